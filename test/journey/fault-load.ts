// Campaigns that are on their way while a fault strikes, and the verdict afterwards: what the push service has taken and
// handed to devices, held against what the scheduler says of each.
import { v7 } from 'uuid';
import { publishEvents } from '../../tools/demo/publish.js';
import { eventually } from '../support/eventually.js';
import { SERVICE, type FaultHouse } from './fault-house.js';

/** Devices that every campaign reaches. */
const DEVICES = { GCM: 2 };

interface Dues {
  /** Milliseconds from now to the first and to the last due. */
  readonly from: number;
  readonly to: number;
}

interface SendSeen {
  readonly campaignId: string;
  readonly campaign: string;
  readonly id: string | null;
  readonly state: string | null;
  readonly requestId: string | null;
  readonly handedOffAt: Date | null;
  readonly target: number | null;
  readonly sent: number | null;
}

interface Request {
  readonly id: string;
  readonly requestedAt: Date;
}

/** Where the load goes, and where the verdict reads. */
export type Loaded = Pick<FaultHouse, 'endpoints' | 'scheduler' | 'push' | 'management'>;

export class Load {
  /** By campaign id. */
  readonly dues = new Map<string, number>();

  constructor(
    private readonly house: Loaded,
    readonly random: () => number,
  ) {}

  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + Math.floor(this.random() * (high - low + 1));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.between(0, values.length - 1)] as Value;
  }

  /**
   * Campaigns of one send each, to everybody, over HTTP where Kafka is not the point: a killed member's partitions rest
   * for ten seconds. Published again until all are taken. Returns their ids.
   */
  async publish(count: number, { from, to }: Dues, way: 'kafka' | 'http' = 'http'): Promise<string[]> {
    const now = Date.now();
    const events = Array.from({ length: count }, () => {
      const due = now + this.between(from, to);
      const campaignId = `campaign-${v7()}`;
      this.dues.set(campaignId, due);
      return eventOf(campaignId, due);
    });
    const { endpoints } = this.house;
    const where = way === 'kafka' ? endpoints : { ...endpoints, kafkaBrokers: [] };
    await eventually(() => publishEvents(where, events), { withinMs: 60_000, everyMs: 200 });
    return events.map(({ subject }) => subject);
  }

  /** Waits until so many sends of these campaigns have left at least once. */
  async handedOff(count: number, of: readonly string[] = [...this.dues.keys()]): Promise<void> {
    await eventually(
      async () => (await this.seen(of)).filter((send) => send.handedOffAt !== null).length >= count,
      { withinMs: 60_000, everyMs: 20 },
    );
  }

  /** Waits until every campaign is over; throws those that are not. */
  async over(withinMs: number): Promise<void> {
    await eventually(
      async () => {
        const seen = await this.seen();
        const open = seen.filter(
          (send) => send.campaign !== 'completed' || !['sent', 'uncertain'].includes(send.state ?? ''),
        );
        if (seen.length < this.dues.size)
          throw new Error(`only ${seen.length} of ${this.dues.size} campaigns are there`);
        if (open.length > 0)
          throw new Error(`${open.length} are not over: ${JSON.stringify(open.slice(0, 3))}`);
      },
      { withinMs, everyMs: 50 },
    );
  }

  /** What is wrong, as sentences; none is right. `aheadMs`: how far ahead of the true time a scheduler's clock was. */
  async wrongs(allowed: { uncertain: number; aheadMs?: number }): Promise<string[]> {
    const seen = await this.seen();
    const requests = await this.requests();
    const wrongs: string[] = [];
    for (const send of seen) {
      const { campaignId, state, requestId } = send;
      const due = this.dues.get(campaignId) ?? Infinity;
      const taken = requests.get(campaignId) ?? [];
      const say = (what: string): number => wrongs.push(`${campaignId}, ${state}: ${what}`);
      if (taken.length > 1) say(`the push service took it ${taken.length} times`);
      if (state === 'sent' && taken[0]?.id !== requestId)
        say(`its requestId is ${requestId}, and the push service's ${taken[0]?.id}`);
      for (const { id, requestedAt } of taken) {
        if (requestedAt.getTime() < due - (allowed.aheadMs ?? 0)) say('it was taken before its due');
        const delivered = await this.house.management.deliveredTo(id);
        if (JSON.stringify(delivered) !== JSON.stringify(DEVICES))
          say(`delivered to ${JSON.stringify(delivered)}`);
      }
      if ((send.handedOffAt?.getTime() ?? 0) < due) say('it was handed over before its due by its own clock');
      if (state === 'sent' && (send.sent !== DEVICES.GCM || send.target !== DEVICES.GCM))
        say(`reported as ${send.sent} of ${send.target}`);
    }
    const uncertain = seen.filter((send) => send.state === 'uncertain').length;
    if (uncertain > allowed.uncertain)
      wrongs.push(`${uncertain} are uncertain, of at most ${allowed.uncertain}`);
    return wrongs;
  }

  /** Where each campaign stands, for a failure. */
  async standing(): Promise<string> {
    const seen = await this.seen();
    const known = new Set(seen.map(({ campaignId }) => campaignId));
    const missing = [...this.dues.keys()].filter((campaignId) => !known.has(campaignId));
    const { rows } = await this.house.scheduler.query<object>(
      `select e.received_at, r.* from rejection r join event e on e.id = r.event order by e.received_at desc limit 3`,
    );
    return [...seen, ...rows, { missing }].map((row) => `${JSON.stringify(row)}\n`).join('');
  }

  private async seen(of: readonly string[] = [...this.dues.keys()]): Promise<SendSeen[]> {
    const { rows } = await this.house.scheduler.query<SendSeen>(
      `select c.campaign_id as "campaignId", c.state as campaign, s.id, s.state, s.request_id as "requestId",
              s.handed_off_at as "handedOffAt", s.target_count::int as target, s.sent_count::int as sent
         from campaign c left join send s on s.campaign = c.id where c.campaign_id = any($1)`,
      [of],
    );
    return rows;
  }

  /** What the push service has taken of this load, by campaign id. */
  private async requests(): Promise<Map<string, Request[]>> {
    const { rows } = await this.house.push.query<Request & { campaignId: string }>(
      `select id, requested_at as "requestedAt", request::jsonb -> 'message' -> 'default' ->> 'content' as "campaignId"
         from message where service_id = $1 order by id`,
      [SERVICE],
    );
    const taken = new Map<string, Request[]>();
    for (const row of rows) taken.set(row.campaignId, [...(taken.get(row.campaignId) ?? []), row]);
    return taken;
  }
}

function eventOf(campaignId: string, due: number) {
  return {
    specversion: '1.0',
    id: v7(),
    source: '/demo/faults',
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    // A publisher whose clock was set back with ours.
    time: new Date(Math.min(Date.now(), due)).toISOString(),
    data: {
      serviceId: SERVICE,
      name: campaignId,
      audience: { type: 'ALL' },
      message: { default: { content: campaignId } },
      delivery: { at: new Date(due).toISOString() },
      policy: { handoff: 'hold' },
    },
  };
}
