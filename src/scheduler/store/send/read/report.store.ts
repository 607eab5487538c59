// The numbers of a campaign's report: one row for each cell and one for all, each counted by the database over the
// newest send of every chunk (http-api.md, "Reports"). Reads only; tests of a campaign take no part.
import type { Sql } from '../../../../platform/database/database.js';
import { sqlList } from '../../../../platform/database/sql-list.js';
import {
  ENDED_STATES,
  REPLACED_STATES,
  SEND_TERMS,
  statesOfTerm,
} from '../../../decide/lifecycle/send-state.js';

/** Nearest-rank percentiles of a length in milliseconds; all null where nothing was measured. */
export interface Spread {
  readonly count: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

export interface ReportFigures {
  /** planned: the chunks; each of them counts as one of the other terms. */
  readonly sends: Readonly<Record<ReportTerm, number>>;
  readonly devices: Readonly<Record<DeviceTerm, number>>;
  /** Against dueAt, by kind, never mixed: immediate: 202 received; reserved: completeTime. Retries are not in it. */
  readonly lateness: { readonly immediate: Spread; readonly reserved: Spread };
  /** dueAt − intendedAt where that is more than 0: a decision, not a fault. */
  readonly deferral: Spread;
  /** How long after the first due the sends that needed a retry got through. */
  readonly recoveredAfter: Spread;
  /** How the newest sends that left us were handed off. */
  readonly modes: Readonly<Record<string, number>>;
  readonly final: boolean;
}

export const REPORT_TERMS = ['planned', ...SEND_TERMS] as const;
export type ReportTerm = (typeof REPORT_TERMS)[number];

export const DEVICE_TERMS = ['target', 'sent', 'failed', 'pending', 'unknown'] as const;
export type DeviceTerm = (typeof DEVICE_TERMS)[number];

export interface ReportCell {
  readonly occurrence: string;
  readonly cell: string;
  readonly zone: string;
  readonly zoneSource: string;
  readonly segment: number;
  readonly deviceType: string;
  readonly country: string;
  readonly local: unknown;
  /** ISO instants with milliseconds. */
  readonly intendedAt: string | null;
  readonly dueAt: string | null;
  /** As planned; what was done in the end stands in `modes`. */
  readonly mode: string | null;
  readonly rule: string | null;
  readonly verdicts: unknown;
  readonly skipped: string | null;
  readonly recipients: number | null;
}

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

function lengthMs(from: string, to: string): string {
  return `round(extract(epoch from ${to} - ${from}) * 1000)::float8`;
}

function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

const TERM_COUNTS = SEND_TERMS.map(
  (term) => `'${term}', count(*) filter (where state in ${sqlList(statesOfTerm(term))})`,
).join(', ');
const REPLACED = sqlList(REPLACED_STATES);

// A send that settled: what was targeted and not taken by a provider failed. Nothing of it is made up: the interface
// tells targets and takers, `failed` is their difference, never below zero, so that a takers' count above the targets'
// leaves the row unbalanced for all to see. A standing message has fired what it has fired, also while it is cancelled.
const REPORT = `
with chosen as (
  select k.*, k.occurrence || chr(10) || k.cell as row_key from cell k
   where k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%'),
newest as (
  select k.row_key, s.state, s.mode, s.retry_of, coalesce(s.target_count, 0) as target, coalesce(s.sent_count, 0) as sent,
         s.request_id, s.handed_off_at, s.answered_at, s.complete_time, s.intended_at,
         case when s.retry_of is null then s.due_at
              else (select o.due_at from send o
                     where o.campaign = s.campaign and o.occurrence = s.occurrence and o.cell = s.cell
                       and o.chunk = s.chunk and o.retry_of is null and o.state not in ${REPLACED}
                     order by o.id limit 1) end as first_due,
         case when s.state in ${sqlList(statesOfTerm('uncertain'))} then 'unknown'
              when s.mode = 'scheduled' and s.state in ('scheduled', 'canceling') then 'settled'
              when s.state in ${sqlList(statesOfTerm('open'))} then 'pending'
              else 'settled' end as kind
    from chosen k
    join send s on s.campaign = k.campaign and s.occurrence = k.occurrence and s.cell = k.cell and s.next_send is null
                   and s.state not in ${REPLACED}),
measured as (
  select *,
         case when mode = 'immediate' and retry_of is null and request_id is not null
              then ${lengthMs('first_due', 'answered_at')} end as immediate_late,
         case when mode = 'reserved' and retry_of is null then ${lengthMs('first_due', 'complete_time')} end as reserved_late,
         case when first_due > intended_at then ${lengthMs('intended_at', 'first_due')} end as deferred,
         case when retry_of is not null and state = 'sent'
              then ${lengthMs('first_due', "case mode when 'reserved' then complete_time else answered_at end")} end as recovered
    from newest),
counted as (
  select row_key,
         jsonb_build_object(${TERM_COUNTS}) as sends,
         jsonb_build_object(
           'target', coalesce(sum(target), 0),
           'sent', coalesce(sum(sent) filter (where kind = 'settled'), 0),
           'failed', coalesce(sum(greatest(target - sent, 0)) filter (where kind = 'settled'), 0),
           'pending', coalesce(sum(target) filter (where kind = 'pending'), 0),
           'unknown', coalesce(sum(target) filter (where kind = 'unknown'), 0)) as devices,
         jsonb_build_object('immediate', ${spread('immediate_late')}, 'reserved', ${spread('reserved_late')}) as lateness,
         ${spread('deferred')} as deferral,
         ${spread('recovered')} as recovered,
         jsonb_strip_nulls(jsonb_build_object(
           'immediate', nullif(count(handed_off_at) filter (where mode = 'immediate'), 0),
           'reserved', nullif(count(handed_off_at) filter (where mode = 'reserved'), 0),
           'scheduled', nullif(count(handed_off_at) filter (where mode = 'scheduled'), 0))) as modes,
         coalesce(bool_and(state in ${sqlList(ENDED_STATES)}), true) as final
    from measured group by grouping sets ((row_key), ())),
figured as (
  select row_key, jsonb_build_object('sends', sends, 'devices', devices, 'lateness', lateness, 'deferral', deferral,
                                     'recoveredAfter', recovered, 'modes', modes, 'final', final) as figures
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
  };
}

function zeros<Term extends string>(terms: readonly Term[]): Record<Term, number> {
  return Object.fromEntries(terms.map((term) => [term, 0])) as Record<Term, number>;
}
