// What a soak came to: what was published held against what the push service has taken, the ledger, lateness and memory.
import { median, type Finding } from '../measure.js';
import type { Stretches } from './course.js';
import { SERVICE, type SoakHouse } from './soak-house.js';
import type { Growth, Lateness } from './watch.js';

export interface Verdict {
  readonly taken: number;
  readonly twice: number;
  readonly uncertain: number;
  readonly ledger: string | undefined;
  readonly daysDropped: number;
}

/** What the push service has taken, held against what was published. */
export async function verdictOf(house: SoakHouse): Promise<Verdict> {
  const { rows: taken } = await house.push.query<{ taken: number; twice: number }>(
    `select count(*)::float8 as taken, count(*) filter (where times > 1)::float8 as twice from (
       select count(*) as times from message where service_id = $1
        group by request::jsonb -> 'message' -> 'default' ->> 'content', request::jsonb -> 'target' -> 'to') m`,
    [SERVICE],
  );
  const { rows: kept } = await house.scheduler.query<{ uncertain: number; dropped: number }>(
    `select (select count(*) from send where state = 'uncertain')::float8 as uncertain,
            (select count(distinct day) from send_gone)::float8 as dropped`,
  );
  const [{ taken: count, twice } = { taken: Number.NaN, twice: Number.NaN }] = taken;
  const [{ uncertain, dropped } = { uncertain: Number.NaN, dropped: Number.NaN }] = kept;
  return { taken: count, twice, uncertain, ledger: await house.ledger(), daysDropped: dropped };
}

export interface Soaked {
  readonly share: number;
  readonly perSecond: number;
  readonly outageMs: number;
  readonly sends: number;
  readonly stretches: Stretches;
  readonly found: Verdict;
  readonly growths: readonly Growth[];
}

export function findingsOf({
  share,
  perSecond,
  outageMs,
  sends,
  stretches,
  found,
  growths,
}: Soaked): Finding[] {
  const { calm, later, caughtUpMs } = stretches;
  const late = ({ p50, p99, longest }: Lateness): string => [p50, p99, longest].map(Math.round).join('/');
  const grown = growths
    .map(
      ({ name, minutes: lasted, startMb, endMb, mbPerMinute }) =>
        `${name.split(' ')[0]} ${Math.round(startMb)} → ${Math.round(endMb)} MB in ${lasted.toFixed(1)} min (${mbPerMinute.toFixed(2)} a minute)`,
    )
    .join('; ');
  const exactly = { kind: 'at most', value: 0 } as const;
  return [
    {
      name: `p99 lateness outside the outages, at ${share} of the measured rate, against a calm stretch`,
      value: median(later.map(({ p99 }) => p99 / calm.p99)),
      unit: '×',
      bound: { kind: 'at most', value: 2 },
      detail: `${perSecond} due a second; calm ${late(calm)}; after Kafka's outage, after PostgreSQL's, over midnight, while days go: ${later.map(late).join(' ')} ms (p50/p99/last)`,
    },
    {
      name: `time to catch up with an outage of ${outageMs / 1_000} s, in its length`,
      value: median(caughtUpMs) / outageMs,
      unit: '×',
      bound: { kind: 'at most', value: 2 * (share / (1 - share)) },
      detail: `after Kafka's, after PostgreSQL's: ${caughtUpMs.map((ms) => Math.round(ms / 1_000)).join(' ')} s; with the rest of the rate it takes ${(share / (1 - share)).toFixed(1)} × at least`,
    },
    {
      name: 'sends that the push service took twice',
      value: found.twice,
      unit: 'sends',
      bound: exactly,
      detail: `${found.taken} taken of ${sends} published`,
    },
    {
      name: 'sends that were lost: neither taken nor uncertain',
      value: Math.max(0, sends - found.taken - found.uncertain),
      unit: 'sends',
      bound: exactly,
      detail: `${found.uncertain} uncertain`,
    },
    {
      name: 'lines of the ledger that do not balance at the end',
      value: found.ledger === undefined ? 0 : 1,
      unit: '',
      bound: exactly,
      detail: found.ledger?.split('\n')[0] ?? `${found.daysDropped} days are kept as sums`,
    },
    {
      name: 'days whose sends had gone as sums',
      value: found.daysDropped,
      unit: 'days',
      bound: { kind: 'at least', value: 1 },
      detail: '',
    },
    {
      name: 'memory of a process, growth a minute once warm',
      value: median(growths.map(({ mbPerMinute, startMb }) => (100 * mbPerMinute) / startMb)),
      unit: '%',
      bound: { kind: 'at most', value: 1 },
      detail: grown,
    },
  ];
}
