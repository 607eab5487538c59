// The numbers of a campaign's report: one row for each cell and one for all, each counted by the database over the
// newest send of every chunk (http-api.md, "Reports"). Reads only; tests of a campaign take no part.
import { z } from 'zod';
import type { Sql } from '../../../../platform/database/database.js';
import { sqlList } from '../../../../platform/database/sql-list.js';
import { count } from '../../../../platform/http/operation.js';
import { MODES } from '../../../decide/timing/mode.js';
import { PreviewedCell } from './plan-view.js';
import { ENDED_STATES, SEND_TERMS, statesOfTerm } from '../../../decide/lifecycle/send-state.js';
import { GONE_SENDS, LENGTHS, measuredSends } from '../measured-send.js';

const ms = z.number().nullable();
export const Spread = z
  .object({ count, p50Ms: ms, p95Ms: ms, p99Ms: ms, maxMs: ms })
  .describe('Nearest-rank percentiles of a length in milliseconds; all null where nothing was measured')
  .meta({ id: 'Spread' });
export type Spread = z.output<typeof Spread>;

export const REPORT_TERMS = ['planned', ...SEND_TERMS] as const;
export type ReportTerm = (typeof REPORT_TERMS)[number];

export const DEVICE_TERMS = ['target', 'sent', 'failed', 'pending', 'unknown'] as const;
export type DeviceTerm = (typeof DEVICE_TERMS)[number];

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

export interface ReportRows {
  readonly rows: readonly (ReportCell & ReportFigures)[];
  readonly totals: ReportFigures;
}

function spread(value: string): string {
  return `jsonb_build_object('count', count(${value}),
    'p50Ms', percentile_disc(0.5) within group (order by ${value}),
    'p95Ms', percentile_disc(0.95) within group (order by ${value}),
    'p99Ms', percentile_disc(0.99) within group (order by ${value}), 'maxMs', max(${value}))`;
}

function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

const TERM_COUNTS = SEND_TERMS.map(
  (term) => `'${term}', count(*) filter (where state in ${sqlList(statesOfTerm(term))})`,
).join(', ');
const MEASURES = (of: string): string =>
  [...LENGTHS, 'target', 'sent', 'failed'].map((name) => `${of}.${name}`).join(', ');

// A send that settled: what was targeted and not taken by a provider failed. Nothing of it is made up: the interface
// tells targets and takers, `failed` is their difference, never below zero, so that a takers' count above the targets'
// leaves the row unbalanced for all to see. A standing message has fired what it has fired, also while it is cancelled.
const REPORT = `
with chosen as (
  select k.*, k.occurrence || chr(10) || k.cell as row_key from cell k
   where k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%'),
measured as (
  select k.row_key, s.state, s.mode, s.handed_off, ${MEASURES('s')}, false as gone
    from chosen k join (${measuredSends('send')}) s on s.campaign = k.campaign and s.occurrence = k.occurrence and s.cell = k.cell
  union all
  select k.row_key, g.state, g.mode, g.handed_off, ${MEASURES('g')}, true
    from chosen k join (${GONE_SENDS}) g on g.campaign = k.campaign and g.occurrence = k.occurrence and g.cell = k.cell),
kinds as (
  select m.*,
         case when state in ${sqlList(statesOfTerm('uncertain'))} then 'unknown'
              when mode = 'scheduled' and state in ('scheduled', 'canceling') then 'settled'
              when state in ${sqlList(statesOfTerm('open'))} then 'pending'
              else 'settled' end as kind
    from measured m),
counted as (
  select row_key,
         jsonb_build_object(${TERM_COUNTS}) as sends,
         jsonb_build_object(
           'target', coalesce(sum(target), 0),
           'sent', coalesce(sum(sent) filter (where kind = 'settled'), 0),
           'failed', coalesce(sum(failed) filter (where kind = 'settled'), 0),
           'pending', coalesce(sum(target) filter (where kind = 'pending'), 0),
           'unknown', coalesce(sum(target) filter (where kind = 'unknown'), 0)) as devices,
         jsonb_build_object('immediate', ${spread('immediate_late')}, 'reserved', ${spread('reserved_late')}) as lateness,
         ${spread('deferred')} as deferral,
         ${spread('recovered')} as recovered,
         jsonb_strip_nulls(jsonb_build_object(
           'immediate', nullif(count(*) filter (where handed_off and mode = 'immediate'), 0),
           'reserved', nullif(count(*) filter (where handed_off and mode = 'reserved'), 0),
           'scheduled', nullif(count(*) filter (where handed_off and mode = 'scheduled'), 0))) as modes,
         coalesce(bool_and(state in ${sqlList(ENDED_STATES)}), true) as final,
         count(*) filter (where gone) as gone
    from kinds group by grouping sets ((row_key), ())),
figured as (
  select row_key, jsonb_build_object('sends', sends, 'devices', devices, 'lateness', lateness, 'deferral', deferral,
                                     'recoveredAfter', recovered, 'modes', modes, 'final', final, 'gone', gone) as figures
    from counted)
select * from (
  select jsonb_build_object(
         'occurrence', k.occurrence, 'cell', k.cell, 'zone', k.zone, 'zoneSource', k.zone_source, 'segment', k.segment,
         'deviceType', k.device_type, 'country', k.country, 'local', k.local_reading,
         'intendedAt', ${instantText('k.intended_at')}, 'dueAt', ${instantText('k.due_at')}, 'mode', k.mode,
         'rule', k.mode_rule, 'verdicts', k.verdicts, 'skipped', k.skipped_code, 'recipients', k.recipients) as cell,
       k.chunks::float8 as planned, f.figures
    from chosen k left join figured f on f.row_key = k.row_key
  union all
  select null, (select coalesce(sum(chunks), 0)::float8 from chosen), (select figures from figured where row_key is null)) r
order by cell->>'dueAt' nulls last, cell->>'occurrence', cell->>'cell'`;

/** A cell without one send (its rows are gone) has no figures; the totals have no cell. */
interface Row {
  readonly cell: ReportCell | null;
  readonly planned: number;
  readonly figures: ReportFigures | null;
}

/** The rows of a campaign (of one occurrence where that is named) and their totals, in one statement: one moment. */
export async function reportRows(sql: Sql, campaign: string, occurrence?: string): Promise<ReportRows> {
  const found = await sql.query<Row>(REPORT, [campaign, occurrence ?? null]);
  const rows: (ReportCell & ReportFigures)[] = [];
  let totals = figuresOf(null, 0);
  for (const { cell, figures, planned } of found) {
    if (cell === null) totals = figuresOf(figures, planned);
    else rows.push({ ...cell, ...figuresOf(figures, planned) });
  }
  return { rows, totals };
}

const NOTHING: Spread = { count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null };

/** Without figures: zero everywhere and not final; a row of which something was planned then does not balance. */
function figuresOf(counted: ReportFigures | null, planned: number): ReportFigures {
  return {
    sends: { ...zeros(REPORT_TERMS), ...counted?.sends, planned },
    devices: { ...zeros(DEVICE_TERMS), ...counted?.devices },
    lateness: counted?.lateness ?? { immediate: NOTHING, reserved: NOTHING },
    deferral: counted?.deferral ?? NOTHING,
    recoveredAfter: counted?.recoveredAfter ?? NOTHING,
    modes: counted?.modes ?? {},
    final: counted?.final ?? planned === 0,
    gone: counted?.gone ?? 0,
  };
}

function zeros<Term extends string>(terms: readonly Term[]): Record<Term, number> {
  return Object.fromEntries(terms.map((term) => [term, 0])) as Record<Term, number>;
}
