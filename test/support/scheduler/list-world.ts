// A whole scheduler with one push project, lists uploaded to it over HTTP, and campaigns that go to them.
import { SteppedClock } from '../../../src/platform/clock.js';
import { cloneDatabase } from '../postgres/database.js';
import { eventually } from '../eventually.js';
import { scheduled, type Json } from './intake-world.js';
import { schedulerConfig, startScheduler, type Answer, type TestScheduler } from './running-scheduler.js';
import { START } from './scheduler-world.js';

export const SERVICE = 'shop-app';

export interface Uploaded {
  version: string;
  rows: number;
  duplicates: number;
  byZone: { zone: string | null; rows: number }[];
  invalidZones: { value: string; rows: number; near?: string }[];
  contentDigest: string;
  unchanged: boolean;
  expiresAt: string;
}

export class ListWorld {
  #published = 0;

  private constructor(
    readonly clock: SteppedClock,
    readonly scheduler: TestScheduler,
    private readonly dropDatabase: () => Promise<void>,
    public publisher: string,
  ) {}

  static async open(env: Record<string, string> = {}, settings: Json = {}): Promise<ListWorld> {
    const clock = new SteppedClock(START);
    const database = await cloneDatabase();
    const config = schedulerConfig(database.url, { CARILLON_ROLES: 'api,plan', LOOP_IDLE_MS: '50', ...env });
    const scheduler = await startScheduler(config, { clock });
    await eventually(() => scheduler.dataSource.isInitialized);
    const publisher = await scheduler.bearer(['publisher']);
    const world = new ListWorld(clock, scheduler, () => database.drop(), publisher);
    await world.project(SERVICE, settings);
    return world;
  }

  async close(): Promise<void> {
    await this.scheduler.close();
    await this.dropDatabase();
  }

  async project(serviceId: string, settings: Json = {}): Promise<void> {
    const made = await this.scheduler.call('POST', '/v1/projects', {
      authorization: await this.scheduler.bearer(['admin']),
      body: {
        serviceId,
        baseUrl: 'http://127.0.0.1:9',
        key: { accessKey: 'access', secretKey: 'secret-of-sixteen' },
        maxTo: 2,
        lookupMax: 0,
        ...settings,
      },
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }

  /** A token lasts an hour of the same clock. */
  async moveTo(instant: number): Promise<void> {
    this.clock.set(new Date(instant).toISOString());
    this.publisher = await this.scheduler.bearer(['publisher']);
  }

  put(
    name: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
    query = '',
  ): Promise<Answer> {
    return this.scheduler.call('PUT', `/v1/audiences/${name}?serviceId=${SERVICE}${query}`, {
      authorization: this.publisher,
      body,
      headers: { 'content-type': 'text/csv', ...headers },
    });
  }

  async uploaded(name: string, body: string, query = ''): Promise<Uploaded> {
    const answer = await this.put(name, body, {}, query);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body as Uploaded;
  }

  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.scheduler.call(method, path, {
      authorization: this.publisher,
      ...(body !== undefined && { body }),
    });
  }

  /** The list of a name as it is shown. */
  async list(name: string): Promise<{ versions: Json[]; uploads: Json[] }> {
    const answer = await this.call('GET', `/v1/audiences/${name}?serviceId=${SERVICE}`);
    if (answer.status !== 200) throw new Error(`${answer.status}`);
    return answer.body as { versions: Json[]; uploads: Json[] };
  }

  data(more: Json): Json {
    return scheduled('x', { delivery: { at: '2027-03-02T09:00', zone: 'recipient' }, ...more })[
      'data'
    ] as Json;
  }

  publish(data: Json): Promise<Answer> {
    this.#published += 1;
    const time = new Date(this.clock.now()).toISOString();
    return this.scheduler.call('POST', '/v1/events', {
      authorization: this.publisher,
      body: scheduled(`list-${this.#published}`, {}, { data, time }),
      headers: { 'content-type': 'application/cloudevents+json' },
    });
  }

  /** The campaign that an event became, once planning is through with it. */
  async planned(data: Json): Promise<{ id: string; state: string }> {
    const answer = await this.publish(data);
    const id = (answer.body as { events: { campaignId?: string }[] }).events[0]?.campaignId;
    if (id === undefined) throw new Error(JSON.stringify(answer.body));
    const state = await eventually(
      async () => {
        const shown = (await this.call('GET', `/v1/campaigns/${id}`)).body as { state: string };
        return ['accepted', 'planning'].includes(shown.state) ? false : shown.state;
      },
      { withinMs: 50_000 },
    );
    return { id, state };
  }

  /** The ids of each cell's requests, in the order of their chunks. */
  async recipients(campaign: string): Promise<Record<string, string[][]>> {
    const rows = await this.scheduler.dataSource.query<{ cell: string; recipients: string[] }>(
      `select s.cell, r.recipients from send s join send_recipients r on r.send = s.id
        where s.campaign = $1 order by s.cell, s.occurrence, s.chunk`,
      [campaign],
    );
    const cells: Record<string, string[][]> = {};
    for (const { cell, recipients } of rows) (cells[cell] ??= []).push(recipients);
    return cells;
  }

  async count(table: string): Promise<number> {
    const [row] = await this.scheduler.dataSource.query<{ count: number }>(
      `select count(*)::int as count from ${table}`,
    );
    return row?.count ?? 0;
  }
}
