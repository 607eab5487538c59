// The figures of a campaign's report. A new figure is added only here: its SQL, its member of the answer, its columns of CSV and its
// comment in the views come from here. measured-send.ts measures lengths. The summary over many campaigns and the ledger count by
// the same SQL. decide/lifecycle/ says as what each state counts.
import { z } from 'zod';
import { sqlList } from '../../../platform/database/sql-list.js';
import { count } from '../../../platform/http/zod-schemas.js';
import { ENDED_STATES, SEND_TERMS, statesOfTerm, type SendTerm } from '../../decide/lifecycle/send-state.js';
import { MODES } from '../../decide/timing/send-mode.js';
import { goneSends } from '../../store/rollup/counted-sends.js';
import type { Sums } from '../../store/rollup/sums.js';
import { LENGTHS, measuredSends } from '../../store/send/measured-send.js';

type Length = (typeof LENGTHS)[number];
type Mode = (typeof MODES)[number];

export const REPORT_TERMS = ['planned', ...SEND_TERMS] as const;

const TERM_MEANS: Readonly<Record<SendTerm, string>> = {
  sent: 'a provider took a device, or an operator confirmed that it went; nobody knows of delivery',
  empty: 'final, and nobody was there to send to; no failure',
  failed: 'no device was taken, its reservation failed, or an operator found that it never went',
  stale: 'reserved, and the push service let it lapse',
  rejected: 'refused by the push service',
  canceled:
    'cancelled before it went; a standing message: cancelled, and counted with its firings until then',
  expired: 'given up, because it would have gone later than the policy allows',
  skipped: 'left out by planning',
  uncertain: 'of unknown fate, for an operator to resolve',
  standing: 'attached to a schedule code, and still standing',
  open: 'not ended yet',
};

/** The terms of devices: each adds up one number of a send, over sends of one kind (kindOf) or over all. */
export const DEVICES = {
  target: {
    number: 'target',
    kind: undefined,
    comment: 'Devices targeted, as the push service reports: sent + failed + pending + unknown',
  },
  sent: { number: 'sent', kind: 'settled', comment: 'Devices that a provider took' },
  failed: {
    number: 'failed',
    kind: 'settled',
    comment:
      'Devices targeted and not taken by a provider, of sends with a final result: target minus sent, never below 0',
  },
  pending: {
    number: 'target',
    kind: 'pending',
    comment: 'Devices targeted by sends that have no final result yet',
  },
  unknown: { number: 'target', kind: 'unknown', comment: 'Devices targeted by uncertain sends' },
} as const;
export type DeviceTerm = keyof typeof DEVICES;
export const DEVICE_TERMS = Object.keys(DEVICES) as readonly DeviceTerm[];
/** The sum of these is `target`. */
export const REACHED_TERMS = ['sent', 'failed', 'pending', 'unknown'] as const satisfies DeviceTerm[];

/** A length: its columns of CSV, its member of the answer, its kind in report_lateness, and its column in report_send. */
interface LengthFigure {
  readonly csv: string;
  readonly of: (figures: Pick<ReportFigures, 'lateness' | 'deferral' | 'recoveredAfter'>) => Spread;
  readonly kind: string;
  readonly column: string;
  readonly comment: string;
}
export const LENGTH_FIGURES: Readonly<Record<Length, LengthFigure>> = {
  immediate_late: {
    csv: 'lateImmediate',
    of: ({ lateness }) => lateness.immediate,
    kind: 'immediate',
    column: 'immediate_late_ms',
    comment: 'Lateness of an immediate send: from its due until the 202 was received',
  },
  reserved_late: {
    csv: 'lateReserved',
    of: ({ lateness }) => lateness.reserved,
    kind: 'reserved',
    column: 'reserved_late_ms',
    comment: "Lateness of a reserved send: from its due until the push service's completeTime",
  },
  deferred: {
    csv: 'deferral',
    of: ({ deferral }) => deferral,
    kind: 'deferral',
    column: 'deferral_ms',
    comment: 'How long after the time asked for it was due: a decision, not a fault',
  },
  recovered: {
    csv: 'recoveredAfter',
    of: ({ recoveredAfter }) => recoveredAfter,
    kind: 'recovered-after',
    column: 'recovered_after_ms',
    comment: 'From the first due of its chunk until a retry got through. A retry counts in no other kind',
  },
};

const ms = z.number().nullable();
export const Spread = z
  .object({ count, p50Ms: ms, p95Ms: ms, p99Ms: ms, maxMs: ms })
  .describe('Nearest-rank percentiles of a length in milliseconds; all null where nothing was measured')
  .meta({ id: 'Spread' });
export type Spread = z.output<typeof Spread>;
export const SPREAD_MEMBERS = Spread.keyof().options;

export const ReportFigures = z.object({
  sends: z
    .record(z.enum(REPORT_TERMS), count)
    .describe('planned: the requests; each counts as one of the other terms'),
  devices: z
    .record(z.enum(DEVICE_TERMS), count)
    .describe('pending: no final result yet; unknown: the send is uncertain'),
  lateness: z
    .object({ immediate: Spread, reserved: Spread })
    .describe('Against dueAt: immediate until the 202 was received, reserved until completeTime. No retries'),
  deferral: Spread.describe('dueAt - intendedAt where that is more than 0: a decision, not a fault'),
  recoveredAfter: Spread.describe('How long after the first due of their chunk the retries got through'),
  modes: z
    .partialRecord(z.enum(MODES), count)
    .describe('How many of the newest sends that left us were handed off in each mode'),
  final: z.boolean(),
  gone: count.describe('How many of the sends are kept only as sums: their lengths are at most 2 % off'),
});
export type ReportFigures = z.output<typeof ReportFigures>;

/** Sends and devices by term. */
export type Counts = Pick<ReportFigures, 'sends' | 'devices'>;

/** Every count with the name of its column of CSV, in their order. */
export const COUNT_COLUMNS: readonly (readonly [name: string, of: (counts: Counts) => number])[] = [
  ...REPORT_TERMS.map((term) => [`sends.${term}`, ({ sends }: Counts) => sends[term]] as const),
  ...DEVICE_TERMS.map((term) => [`devices.${term}`, ({ devices }: Counts) => devices[term]] as const),
];

/** Whether both sides of sends and of devices agree. */
export function isBalanced({ sends, devices }: Counts): boolean {
  const ends = SEND_TERMS.reduce((sum, term) => sum + sends[term], 0);
  const reached = REACHED_TERMS.reduce((sum, term) => sum + devices[term], 0);
  return sends.planned === ends && devices.target === reached;
}

/**
 * As what the devices of a send `s` count. For a settled send, every device that was targeted and not taken by a provider has failed.
 * The interface reports only devices targeted and devices taken: `failed` is their difference, never below zero, so that a row with
 * more taken than targeted does not balance. The firings of a standing message are settled, also while it is being cancelled.
 */
export const kindOf = (
  s: string,
): string => `case when ${s}.state in ${sqlList(statesOfTerm('uncertain'))} then 'unknown'
              when ${s}.mode = 'scheduled' and ${s}.state in ('scheduled', 'canceling') then 'settled'
              when ${s}.state in ${sqlList(statesOfTerm('open'))} then 'pending'
              else 'settled' end`;

const MEASURED = `service_id, campaign, occurrence, cell, state, mode, handed_off, ${LENGTHS.join(', ')}, sends, target, sent, failed`;

/**
 * The sends that a report counts and for which `where`, a condition on `m`, holds: a row for each send that is kept, and for those
 * that are gone the rows of the sums that `gone` names. Tests are left out.
 */
export const measuredWhere = (where: string, gone: (sums: Sums) => string): string => `(
  select m.*, ${kindOf('m')} as kind
    from (select ${MEASURED}, false as gone from (${measuredSends('send')}) l
          union all select ${MEASURED}, true from (${goneSends(gone)}) g) m
   where ${where} and m.occurrence not like 'test-%')`;

type CountName = `sends_${SendTerm}` | `devices_${DeviceTerm}` | `mode_${Mode}` | 'gone';

/** `sends_…`, `devices_…`, `mode_…` and `gone`: each a sum over measuredWhere as `m`, and the comment of its column in the views. */
export const COUNTED: Readonly<Record<CountName, { readonly sql: string; readonly comment: string }>> = {
  ...by('sends', SEND_TERMS, (term) => ({
    sql: sumOf('sends', `m.state in ${sqlList(statesOfTerm(term))}`),
    comment: `Requests whose newest send is ${term}: ${TERM_MEANS[term]}`,
  })),
  ...by('devices', DEVICE_TERMS, (term) => ({ sql: sumOfDevices(term), comment: DEVICES[term].comment })),
  ...by('mode', MODES, (mode) => ({
    sql: sumOf('sends', `m.handed_off and m.mode = '${mode}'`),
    comment: `Of the newest sends, those that left us and were handed off as ${mode}`,
  })),
  gone: {
    sql: sumOf('sends', 'm.gone'),
    comment: 'How many of the sends are kept as sums alone: they have no row in report_send',
  },
};

function sumOfDevices(term: DeviceTerm): string {
  const { number, kind } = DEVICES[term];
  return sumOf(number, kind === undefined ? 'true' : `m.kind = '${kind}'`);
}

function sumOf(number: string, where: string): string {
  return `coalesce(sum(m.${number}) filter (where ${where}), 0)`;
}

/** Whether all have ended; null where there are no sends. */
export const ALL_ENDED = `bool_and(m.state in ${sqlList(ENDED_STATES)})`;

/** All figures over measuredWhere as `m`: flat, and one sort for each length. */
export const FIGURES = [
  ...Object.entries(COUNTED).map(([name, { sql }]) => `(${sql})::float8 as ${name}`),
  ...LENGTHS.map(
    (length) => `array[count(m.${length})::float8, max(m.${length})]
      || percentile_disc(array[0.5, 0.95, 0.99]) within group (order by m.${length}) as ${length}`,
  ),
  `${ALL_ENDED} as final`,
].join(', ');

/** The counts alone. */
export const SUMMED_COUNTS = Object.entries(COUNTED)
  .filter(([name]) => /^(sends|devices)_/.test(name))
  .map(([name, { sql }]) => `(${sql})::float8 as ${name}`)
  .join(', ');

export type CountedCounts = Readonly<
  Record<`sends_${SendTerm}` | `devices_${DeviceTerm}`, number | null> & { planned: number }
>;

/** A row of FIGURES with what was planned; all null for a cell that has no sends. */
export type CountedFigures = CountedCounts &
  Readonly<
    Record<`mode_${Mode}` | 'gone', number | null> &
      /** For each length: how many, the longest and, if there are any, the percentiles. */
      Record<Length, readonly (number | null)[] | null> & { final: boolean | null }
  >;

/** Without sends every figure is zero. If something was planned, the row is then not final and does not balance. */
export function figuresOf(row: CountedFigures): ReportFigures {
  const handedOff = MODES.filter((mode) => (row[`mode_${mode}`] ?? 0) > 0);
  return {
    ...countsOf(row),
    lateness: { immediate: spreadOf(row.immediate_late), reserved: spreadOf(row.reserved_late) },
    deferral: spreadOf(row.deferred),
    recoveredAfter: spreadOf(row.recovered),
    modes: each(handedOff, (mode) => row[`mode_${mode}`]),
    final: row.final ?? row.planned === 0,
    gone: row.gone ?? 0,
  };
}

/** null: zero everywhere. */
export const countsOf = (row: Partial<CountedCounts> | null): Counts => ({
  sends: { planned: row?.planned ?? 0, ...each(SEND_TERMS, (term) => row?.[`sends_${term}`]) },
  devices: each(DEVICE_TERMS, (term) => row?.[`devices_${term}`]),
});

function spreadOf(measured: CountedFigures[Length]): Spread {
  const [lengths, maxMs = null, p50Ms = null, p95Ms = null, p99Ms = null] = measured ?? [];
  return { count: lengths ?? 0, p50Ms, p95Ms, p99Ms, maxMs };
}

/** A number for each key; 0 where there is none. */
export function each<Key extends string>(
  keys: readonly Key[],
  of: (key: Key) => number | null | undefined,
): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, of(key) ?? 0])) as Record<Key, number>;
}

function by<const Name extends string, const Term extends string, Value>(
  name: Name,
  terms: readonly Term[],
  of: (term: Term) => Value,
): Record<`${Name}_${Term}`, Value> {
  return Object.fromEntries(terms.map((term) => [`${name}_${term}`, of(term)])) as Record<
    `${Name}_${Term}`,
    Value
  >;
}
