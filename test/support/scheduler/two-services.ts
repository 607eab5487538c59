// A whole scheduler and the real push service in this process, talking over HTTP, on one day that the spec steps
// through.
import { Client as PgClient } from 'pg';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { cloneDatabase } from '../postgres/database.js';
import { eventually } from '../eventually.js';
import { foundExtensions, offBut } from './extensions-used.js';
import {
  aMasterKey,
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from './running-scheduler.js';
import { scheduled, type Json } from './intake-world.js';

export const START = Date.parse('2027-03-01T00:00:00.000Z');
const PATIENT = { withinMs: 50_000 };

export interface Cell extends Json {
  occurrence: string;
  cell: string;
  dueAt: string;
  handOffAt: string;
  mode: string;
  rule: string;
  skipped: string | null;
  requests: number;
  recipients: number | null;
  target: Json;
  verdicts: Json;
}
export interface Plan extends Json {
  planHash: string;
  items: Cell[];
  nextCursor: string | null;
  totals: { requests: number; skippedRequests: number };
}

/** What the push service keeps of one request, read from its own table. */
export interface Taken {
  requestId: string;
  service: string;
  kind: 'immediate' | 'reserved' | 'scheduled';
  state: string;
  /** When it goes out; null for a standing one. */
  fireAt: Date | null;
  target: Json & { type: string; to?: string[] };
  message: Json & { default: { content: string } };
}

export class TwoServices {
  /** Events so far; the last is `c-<that>`. */
  published = 0;
  /** The token of a publisher for every service. moveTo renews it. */
  publisher = '';

  private constructor(
    private readonly start: (env?: Record<string, string>) => Promise<TestScheduler>,
    readonly clock: SteppedClock,
    readonly stage: Stage,
    readonly scheduler: TestScheduler,
    private readonly pushDatabase: PgClient,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  /** `roles`: the scheduler's; `env`: further settings of both. */
  static async open(roles = 'api,plan,dispatch', env: Record<string, string> = {}): Promise<TwoServices> {
    const clock = new SteppedClock(START);
    const [database, stage] = await Promise.all([cloneDatabase(), openStage(env)]);
    const given = { CARILLON_ROLES: roles, LOOP_IDLE_MS: '50', CARILLON_MASTER_KEY: aMasterKey(), ...env };
    const start = (more: Record<string, string> = {}): Promise<TestScheduler> =>
      startScheduler(schedulerConfig(database.url, { ...given, ...more }), { clock });
    const scheduler = await start();
    await eventually(() => scheduler.dataSource.isInitialized);
    const pushDatabase = new PgClient({ connectionString: stage.target.databaseUrl });
    await pushDatabase.connect();
    const world = new TwoServices(start, clock, stage, scheduler, pushDatabase, () => database.drop());
    await world.moveTo(START);
    return world;
  }

  async close(): Promise<void> {
    await this.scheduler.close();
    await this.pushDatabase.end();
    await this.stage.close();
    await this.dropDatabase();
  }

  /** Another process of the scheduler, on the same database and clock; the caller closes it. */
  another(env: Record<string, string>): Promise<TestScheduler> {
    return this.start(env);
  }

  /** Both services' clocks, the push service's first: it is asked only once it is that late there too. */
  async step(instant: number | string): Promise<void> {
    const at = new Date(instant).toISOString();
    await this.stage.freeze(at);
    this.clock.set(at);
  }

  /** As step; and a token for what is asked then, for tokens last an hour of the same clock. */
  async moveTo(instant: number | string): Promise<void> {
    await this.step(instant);
    this.publisher = await this.scheduler.bearer(['publisher']);
  }

  /** A service of the push service and the push project that drives it. */
  async project(
    { extensions = [], ...settings }: Json & { readonly extensions?: readonly string[] } = {},
    serviceId?: string,
  ): Promise<Client> {
    const client = await this.stage.project(serviceId === undefined ? {} : { serviceId });
    const { keys } = client;
    const made = await this.scheduler.call('POST', '/v1/projects', {
      authorization: await this.scheduler.bearer(['admin']),
      body: {
        serviceId: client.serviceId,
        baseUrl: this.stage.target.url,
        key: keys,
        maxTo: 2,
        ratePerSecond: 1_000,
        extensionsOff: offBut(extensions),
        ...settings,
      },
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    await foundExtensions(this.scheduler.dataSource, client.serviceId, extensions);
    return client;
  }

  /**
   * As project(), with reservations up to a day ahead, and with these users: in Seoul, each with one device, agreed to everything but for
   * what `more` says.
   */
  async projectOf(users: readonly string[], settings: Json = {}, more: Json = {}): Promise<Client> {
    const client = await this.project({ reserveHorizonMs: 86_400_000, ...settings });
    for (const userId of users) {
      const made = await client.register({
        userId,
        country: 'KR',
        timezone: 9 * 3_600,
        deviceType: 'GCM',
        isNotificationAgreement: true,
        isAdAgreement: true,
        isNightAdAgreement: true,
        ...more,
      });
      if (made.status !== 201) throw new Error(made.text);
    }
    return client;
  }

  async preview(data: Json, query = ''): Promise<Answer> {
    return this.scheduler.call('POST', `/v1/plans${query}`, { authorization: this.publisher, body: data });
  }

  async publish(data: Json, batch = false): Promise<Answer> {
    this.published += 1;
    const time = new Date(this.clock.now()).toISOString();
    const event = scheduled(`c-${this.published}`, {}, { data, time });
    return this.scheduler.call('POST', '/v1/events', {
      authorization: this.publisher,
      body: batch ? [event] : event,
      headers: { 'content-type': `application/cloudevents${batch ? '-batch' : ''}+json` },
    });
  }

  /** As a publisher of every service. */
  async get(path: string): Promise<Answer> {
    return this.scheduler.call('GET', path, { authorization: this.publisher });
  }

  /** The campaign's state once planning is through with it. */
  async planned(campaign: string): Promise<string> {
    return eventually(async () => {
      const { state } = (await this.get(`/v1/campaigns/${campaign}`)).body as { state: string };
      return ['accepted', 'planning'].includes(state) ? false : state;
    }, PATIENT);
  }

  /** Every item of a paged answer. */
  async all<Item>(path: string, limit = 3): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body } = await this.get(`${path}?limit=${limit}&cursor=${cursor}`);
      if (status !== 200) throw new Error(`${path} was answered ${status}: ${JSON.stringify(body)}`);
      const page = body as { items: Item[]; nextCursor: string | null };
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }

  /** For each service: requests that it took, requests that are due and not done, and devices that were handed one. */
  async counts(): Promise<ReadonlyMap<string, { taken: number; open: number; handed: number }>> {
    const { rows } = await this.pushDatabase.query<{
      service: string;
      taken: number;
      open: number;
      handed: number;
    }>(
      `select m.service_id as service, count(*)::int as taken,
              (count(*) filter (where m.fire_at <= $1 and m.state <> 'FINISHED'))::int as open,
              (sum(f.handed))::int as handed
         from push.message m
         cross join lateral (select count(*) as handed from push.firing f join push.delivery d on d.firing_id = f.id
                              where f.message_id = m.id) f
        group by m.service_id`,
      [new Date(this.clock.now())],
    );
    return new Map(rows.map(({ service, ...counts }) => [service, counts]));
  }

  /** Schedules, messages and firings whose time has come at the push service, and that are not through. */
  async firing(): Promise<number> {
    const { rows } = await this.pushDatabase.query<{ open: number }>(
      `select (select count(*) from push.message where fire_at <= $1 and state in ('READY', 'PROCESSING', 'FIRED'))::int
            + (select count(*) from push.schedule where next_fire_at <= $1)::int
            + (select count(*) from push.firing where due_at <= $1 and state in ('READY', 'SENDING'))::int as open`,
      [new Date(this.clock.now())],
    );
    return rows[0]?.open ?? 0;
  }

  /** When the push service will fire a schedule next, from its own table. */
  async nextFiring(scheduleCode: string): Promise<Date | null | undefined> {
    const { rows } = await this.pushDatabase.query<{ at: Date | null }>(
      'select next_fire_at as at from push.schedule where schedule_code = $1',
      [scheduleCode],
    );
    return rows[0]?.at;
  }

  /** The push service's own list of what it was asked for. */
  async taken(): Promise<Taken[]> {
    const { rows } = await this.pushDatabase.query<Taken>(
      `select id as "requestId", service_id as service, kind, state, fire_at as "fireAt",
              request::jsonb -> 'target' as target, request::jsonb -> 'message' as message
         from push.message order by id`,
    );
    return rows;
  }
}

/** The campaign an event became, by our id. */
export function campaignOf(answer: Answer): string {
  return (answer.body as { events: { campaignId: string }[] }).events[0]?.campaignId ?? '';
}

export function dataOf(more: Json): Json {
  return scheduled('x', more)['data'] as Json;
}

/** A delivery on every recipient's own clock. */
export const recipientAt = (at: string, more: Json = {}): Json => ({ at, zone: 'recipient', ...more });
