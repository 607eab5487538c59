// Breakdowns of ended sends (docs/decisions/0055). send_breakdown has the sends that the push service is still to be asked about;
// breakdown_rollup has sums of the devices that it reported, by SEND_KEYS. Each send is added once: the statement that deletes its row,
// or writes its breakdown into the row, also adds the breakdown to the sums. A send that may be retried keeps its row, so that a retry
// can subtract the breakdown from the sums.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { RETRYABLE_STATES } from '../../decide/lifecycle/send-state.js';
import { COUNTS, DUE } from '../send/measured-send.js';
import { ENDED, keysOf, SEND_KEYS } from './counted-sends.js';
import { reasonsOf } from './reasons-of.js';
import { NOT_REPORTED, type ReportedGroup } from './reported-group.js';
import { addTo, type Sums } from './sums.js';

/** The keys of breakdown_rollup in addition to SEND_KEYS. */
export const REPORTED_KEYS = [
  'reported_device_type',
  'reported_country',
  'language',
  'outcome',
  'reason',
] as const;

/**
 * A query of rows for breakdown_rollup. It reads a relation `b` with SEND_KEYS and `reported`, a list of ReportedGroup. `weight`: an SQL
 * number that each count of devices is multiplied by.
 */
export const reportedRows = (b: string, weight = '1'): string => `
select ${SEND_KEYS.map((name) => `b.${name}`).join(', ')}, t.device_type as reported_device_type, t.country as reported_country,
       t.language, t.outcome, t.reason, ${weight} * t.devices as devices
  from ${b} cross join lateral jsonb_to_recordset(b.reported)
         as t(device_type text, country text, language text, outcome text, reason text, devices bigint)`;

export const BREAKDOWN_ROLLUP: Sums = {
  table: 'breakdown_rollup',
  keys: [...SEND_KEYS, ...REPORTED_KEYS],
  added: ['devices'],
};

/**
 * Inserts the ended sends of `events` whose breakdown is worth a call, in projects whose gateway has breakdowns. These sends have at
 * least $5 target devices, or fell short: nobody got them, or fewer devices than they have targets or ids. Those of fewer than $5
 * devices are `small`. A send that a retry has replaced is left out.
 */
export const wantBreakdowns = (events: string): string => `
insert into send_breakdown (send, ${SEND_KEYS.join(', ')}, request_id, recipients, target, sent, small, since, next_at)
select s.id, ${keysOf('s', DUE)}, s.request_id, s.recipients, s.target_count, coalesce(s.sent_count, 0),
       greatest(s.target_count, coalesce(s.recipients, case s.target_count when 0 then $5::integer end)) < $5, s.state_at, s.state_at
  from ${events} e
 cross join lateral (select s.* from send s where s.id = e.send and s.ended_at >= ends_from(e.send) limit 1) s
  join project p on p.service_id = s.service_id and ${hasBreakdowns('p')}
 cross join lateral (select k.* from cell k
                      where k.campaign = s.campaign and k.occurrence = s.occurrence and k.cell = s.cell limit 1) k
 where (select exists (select from project p where ${hasBreakdowns('p')}))
   and e.to_state in ${ENDED} and ${COUNTS} and s.occurrence not like 'test-%'
   and s.request_id is not null and s.target_count is not null
   and (s.target_count >= $5 or s.target_count = 0 or coalesce(s.sent_count, 0) < greatest(s.target_count, s.recipients))
on conflict do nothing`;

function hasBreakdowns(p: string): string {
  return `'result-breakdown' = any(${p}.extensions)`;
}

// A statement of its own that opens no partition (platform/database/pooled-database.ts): it may have to wait for another process that
// writes the same send's breakdown.
const WITHDRAW = prepared(`
with withdrawn as (delete from send_breakdown where send = any($1::uuid[]) returning *)
${addTo(BREAKDOWN_ROLLUP, `(${reportedRows('withdrawn b', '-1')})`)}`);

/** Deletes sends that a retry replaced: nobody asks about them any more, and their breakdowns are subtracted. By primary key. */
export async function withdrawBreakdowns(sql: Sql, sends: readonly string[]): Promise<void> {
  if (sends.length > 0) await sql.query(WITHDRAW, [sends]);
}

export interface DueBreakdown {
  readonly send: string;
  readonly serviceId: string;
  readonly requestId: string;
  /** Devices, as its result says. */
  readonly target: number;
  readonly sent: number;
  /** How many ids it went to; null: its audience is not made of ids. */
  readonly recipients: number | null;
  /** How often the push service was asked and gave no breakdown that could be used. */
  readonly asked: number;
}

/** Nobody else takes a send for this long. So sends that a dead process took are due again. */
const TAKEN = "interval '5 minutes'";

// Reads the index send_breakdown_due twice for each project; skips rows that other processes have locked. How many small ones are
// taken is rounded up or down by chance: so a slow project gets its share as well, one in some rounds.
const TAKE_DUE = prepared(`
with due as (
  select b.send from project p
   cross join lateral (values
     (false, $2::bigint), (true, least($2, floor($5::float8 * p.rate_per_second + random())::bigint))) kind(small, most)
   cross join lateral (
    select b.send from send_breakdown b
     where b.service_id = p.service_id and b.small = kind.small and b.reported is null and b.next_at <= $1
     order by b.next_at, b.send limit kind.most for update skip locked) b
   where ${hasBreakdowns('p')} and (p.blocked_until is null or p.blocked_until <= $1)
   order by hashtextextended(p.service_id, $3) limit $4)
update send_breakdown b set next_at = $1::timestamptz + ${TAKEN} from due where b.send = due.send
returning b.send, b.service_id as "serviceId", b.request_id as "requestId", b.recipients, b.target::float8 as target,
          b.sent::float8 as sent, b.asked`);

export interface BreakdownScope {
  readonly now: Date;
  /** The most of one project, of large sends and of small ones. */
  readonly room: number;
  readonly limit: number;
  /** Number of the round: each one begins with another project. */
  readonly round: number;
  /** How many small ones of each project are taken: so many times the calls that it allows a second. */
  readonly smallShare: number;
}

/** Takes sends that are due, the oldest of each project that is not blocked; nobody else takes them for TAKEN. */
export async function takeBreakdowns(sql: Sql, scope: BreakdownScope): Promise<DueBreakdown[]> {
  const { now, room, limit, round, smallShare } = scope;
  return sql.query<DueBreakdown>(TAKE_DUE, [now, room, round, limit, smallShare]);
}

/** Makes sends due again that were taken but not asked about. */
export async function putBackBreakdowns(sql: Sql, sends: readonly string[], now: Date): Promise<void> {
  if (sends.length === 0) return;
  await sql.query(
    'update send_breakdown set next_at = $2 where send = any($1::uuid[]) and reported is null',
    [sends, now],
  );
}

/** Adds breakdowns to the sums and asks about their sends no more; `over`: a query of send and `reported`, the send's breakdown; `also`: more relations, each with a comma. */
const endQuestions = (over: string, also = ''): string => {
  const columns = `${SEND_KEYS.map((name) => `b.${name}`).join(', ')}, o.reported`;
  const waiting = 'b.send = o.send and b.reported is null and b.state';
  const retryable = sqlList(RETRYABLE_STATES);
  return `
with over as materialized (${over}),
kept as (update send_breakdown b set reported = o.reported from over o where ${waiting} in ${retryable} returning ${columns}),
gone as (delete from send_breakdown b using over o where ${waiting} not in ${retryable} returning ${columns}),
${also}
ended as materialized (select * from kept union all select * from gone),
added as (${addTo(BREAKDOWN_ROLLUP, `(${reportedRows('ended b')})`)})
select count(*)::int as ended from ended`;
};

// The send by its primary key, in the partition of its day. Its detail is no part of an outcome: no event is written.
const RECORD = prepared(
  endQuestions(
    'select $1::uuid as send, $2::jsonb as reported',
    `explained as (
  update send s set detail = $3
   where s.id = $1 and s.ended_at >= ends_from($1) and s.ended_at < 'infinity' and s.detail is null and $3::text is not null),`,
  ),
);

/**
 * Writes a send's breakdown down, and why devices did not get it as the send's detail, if it has none. Returns false where somebody
 * already did, or a retry has replaced the send.
 */
export async function recordBreakdown(
  sql: Sql,
  send: string,
  reported: readonly ReportedGroup[],
): Promise<boolean> {
  const parameters = [send, JSON.stringify(reported), reasonsOf(reported)];
  const [row] = await sql.query<{ ended: number }>(RECORD, parameters);
  return row?.ended === 1;
}

const PUT_OFF = prepared(
  'update send_breakdown set next_at = $2, asked = asked + 1, last_code = $3 where send = $1 and reported is null',
);

/** Has the send asked about again at `nextAt`; `code`: why the last answer could not be used. */
export async function putOffBreakdown(
  sql: Sql,
  send: string,
  { nextAt, code }: { readonly nextAt: Date; readonly code: string },
): Promise<void> {
  await sql.query(PUT_OFF, [send, nextAt, code]);
}

// Reads all rows that wait, in order of their sends; skips those that others have locked.
const GIVE_UP = endQuestions(`
select b.send, case when b.target = 0 then '[]'::jsonb else jsonb_build_array(jsonb_build_object(
         'device_type', 'all', 'country', 'all', 'language', 'all', 'outcome', '${NOT_REPORTED}', 'devices', b.target,
         'reason', case when p.service_id is null then 'NO_EXTENSION' else coalesce(b.last_code, 'NOT_ASKED') end)) end as reported
  from send_breakdown b left join project p on p.service_id = b.service_id and ${hasBreakdowns('p')}
 where b.reported is null and (b.since <= $1 or p.service_id is null)
 order by b.send limit $2 for update of b skip locked`);

/** Gives up asking about sends that ended by then, and those of projects that lost the extension. Returns how many. */
export async function giveUpBreakdowns(sql: Sql, endedBy: Date, most: number): Promise<number> {
  const [row] = await sql.query<{ ended: number }>(GIVE_UP, [endedBy, most]);
  return row?.ended ?? 0;
}

/** Deletes the breakdowns of at most `most` sends that are no longer kept: no retry needs them. Scans the table. */
export async function deleteOldBreakdowns(sql: Sql, most: number): Promise<number> {
  const gone = await sql.query(
    `delete from send_breakdown where send = any(array(
       select b.send from send_breakdown b
        where b.reported is not null and b.since < (select kept_from('send')) and not exists (select from send_old o where o.id = b.send)
        limit $1)) returning 1`,
    [most],
  );
  return gone.length;
}

/** How many sends wait, at most 100 000, and how long ago the first of them ended; null: none waits. */
export async function waitingBreakdowns(
  sql: Sql,
  now: Date,
): Promise<{ readonly waiting: number; readonly ageMs: number | null }> {
  const row = await firstRow<{ waiting: number; ageMs: number | null }>(
    sql,
    `select count(*)::float8 as waiting, extract(epoch from $1 - min(b.since))::float8 * 1000 as "ageMs"
       from (select since from send_breakdown where reported is null limit 100000) b`,
    [now],
  );
  return row ?? { waiting: 0, ageMs: null };
}
