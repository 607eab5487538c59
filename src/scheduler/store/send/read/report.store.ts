// The numbers of a campaign's report: its totals, and one row for each cell, each counted by the database on their own over
// the newest send of every chunk (http-api.md, "Reports"). Reads only; tests of a campaign take no part.
import { z } from 'zod';
import type { Sql } from '../../../../platform/database/database.js';
import { count } from '../../../../platform/http/schema-parts.js';
import { MODES } from '../../../decide/timing/mode.js';
import { PreviewedCell } from './plan-view.js';
import { SEND_TERMS } from '../../../decide/lifecycle/send-state.js';
import { LENGTHS } from '../measured-send.js';
import { ALL_ENDED, COUNTED, DEVICE_TERMS, measuredWhere, type DeviceTerm } from './report-figures.js';

const ms = z.number().nullable();
export const Spread = z
  .object({ count, p50Ms: ms, p95Ms: ms, p99Ms: ms, maxMs: ms })
  .describe('Nearest-rank percentiles of a length in milliseconds; all null where nothing was measured')
  .meta({ id: 'Spread' });
export type Spread = z.output<typeof Spread>;

export const REPORT_TERMS = ['planned', ...SEND_TERMS] as const;
export type ReportTerm = (typeof REPORT_TERMS)[number];

export const ReportFigures = z.object({
  sends: z
    .record(z.enum(REPORT_TERMS), count)
    .describe('planned: the requests; each of them counts as one of the other terms'),
  devices: z
    .record(z.enum(DEVICE_TERMS), count)
    .describe('pending has no final result yet, unknown belongs to uncertain sends'),
  lateness: z
    .object({ immediate: Spread, reserved: Spread })
    .describe('Against dueAt: immediate until the 202 was received, reserved until completeTime. No retries'),
  deferral: Spread.describe('dueAt - intendedAt where that is more than 0: a decision, not a fault'),
  recoveredAfter: Spread.describe('How long after the first due the sends that needed a retry got through'),
  modes: z.partialRecord(z.enum(MODES), count).describe('How the newest sends that left us were handed off'),
  final: z.boolean(),
  gone: count.describe(
    'How many of the sends are kept as sums alone: their lengths are to two significant digits',
  ),
});
export type ReportFigures = z.output<typeof ReportFigures>;

/** As planned: what was done in the end stands in `modes`. */
export const ReportCell = PreviewedCell.omit({ target: true, handOffAt: true, requests: true });
export type ReportCell = z.output<typeof ReportCell>;
export type ReportRow = ReportCell & ReportFigures;

/** The campaign's sends that a report counts, of parameter 1 and of the occurrence of parameter 2 where there is one. */
const MEASURED = measuredWhere('m.campaign = $1 and ($2::text is null or m.occurrence = $2)', 'send_gone');

/** Over MEASURED as `m`: flat, and one sort a length. */
const FIGURES = [
  ...Object.entries(COUNTED).map(([name, counted]) => `(${counted})::float8 as ${name}`),
  ...LENGTHS.map(
    (length) => `array[count(m.${length})::float8, max(m.${length})]
      || percentile_disc(array[0.5, 0.95, 0.99]) within group (order by m.${length}) as ${length}`,
  ),
  `${ALL_ENDED} as final`,
].join(', ');

/** What FIGURES come to: all null for a cell whose sends are not there. */
type Counted = Readonly<
  Record<
    | `sends_${(typeof SEND_TERMS)[number]}`
    | `devices_${DeviceTerm}`
    | `mode_${(typeof MODES)[number]}`
    | 'gone',
    number | null
  > &
    /** How many, the longest and the percentiles, if there are any. */
    Record<(typeof LENGTHS)[number], readonly (number | null)[] | null> & {
      planned: number;
      final: boolean | null;
    }
>;

function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

const CHOSEN = `k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%'`;
const TOTALS = `
select (select coalesce(sum(k.chunks), 0)::float8 from cell k where ${CHOSEN}) as planned, ${FIGURES} from ${MEASURED} m`;

/** The totals of a campaign, of one occurrence where that is named. */
export async function reportTotals(sql: Sql, campaign: string, occurrence?: string): Promise<ReportFigures> {
  const [counted] = await sql.query<Counted>(TOTALS, [campaign, occurrence ?? null]);
  if (counted === undefined) throw new Error('the totals of a report have no row');
  return figuresOf(counted);
}

// By the keys that both tables have an index of, so that nothing is gathered before the first row is there.
const ROWS = `
select jsonb_build_object(
         'occurrence', k.occurrence, 'cell', k.cell, 'zone', k.zone, 'zoneSource', k.zone_source, 'segment', k.segment,
         'deviceType', k.device_type, 'country', k.country, 'local', k.local_reading,
         'intendedAt', ${instantText('k.intended_at')}, 'dueAt', ${instantText('k.due_at')}, 'mode', k.mode,
         'rule', k.mode_rule, 'verdicts', k.verdicts, 'skipped', k.skipped_code, 'recipients', k.recipients) as cell,
       k.chunks::float8 as planned, f.*
  from cell k
  left join (select m.occurrence as of_occurrence, m.cell as of_cell, ${FIGURES} from ${MEASURED} m
              group by m.occurrence, m.cell) f on f.of_occurrence = k.occurrence and f.of_cell = k.cell
 where ${CHOSEN}
 order by k.occurrence, k.cell`;

/**
 * Of so few most are garbage before they are moved to the old generation: a process grew by 31 MB over the CSV of a million
 * cells, by 51 with pages of 500, which took no less time.
 */
const PAGE = 100;

/**
 * The rows of a campaign by occurrence and cell, in pages; `sql` is a transaction of one moment, or the pages are not of one.
 */
export async function* reportRows(
  sql: Sql,
  campaign: string,
  occurrence?: string,
): AsyncGenerator<readonly ReportRow[], void, void> {
  await sql.query(`declare report_rows no scroll cursor for ${ROWS}`, [campaign, occurrence ?? null]);
  for (;;) {
    const page = await sql.query<Counted & { cell: ReportCell }>(`fetch ${PAGE} from report_rows`);
    if (page.length > 0) yield page.map(({ cell, ...counted }) => ({ ...cell, ...figuresOf(counted) }));
    if (page.length < PAGE) return;
  }
}

/** Without sends: zero everywhere, and not final where something was planned, which then does not balance. */
function figuresOf(counted: Counted): ReportFigures {
  const { planned } = counted;
  return {
    sends: { planned, ...each(SEND_TERMS, (term) => counted[`sends_${term}`] ?? 0) },
    devices: each(DEVICE_TERMS, (term) => counted[`devices_${term}`] ?? 0),
    lateness: { immediate: spreadOf(counted.immediate_late), reserved: spreadOf(counted.reserved_late) },
    deferral: spreadOf(counted.deferred),
    recoveredAfter: spreadOf(counted.recovered),
    modes: each(
      MODES.filter((mode) => (counted[`mode_${mode}`] ?? 0) > 0),
      (mode) => counted[`mode_${mode}`] ?? 0,
    ),
    final: counted.final ?? planned === 0,
    gone: counted.gone ?? 0,
  };
}

function spreadOf(measured: Counted[(typeof LENGTHS)[number]]): Spread {
  const [lengths, maxMs = null, p50Ms = null, p95Ms = null, p99Ms = null] = measured ?? [];
  return { count: lengths ?? 0, p50Ms, p95Ms, p99Ms, maxMs };
}

function each<Key extends string>(keys: readonly Key[], of: (key: Key) => number): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<Key, number>;
}
