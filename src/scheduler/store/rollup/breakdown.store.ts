// What the push service's breakdowns tell of ended sends (docs/decisions/0055): which sends it is still to be asked about, and sums of
// what it told, by the keys of send_rollup. A send's row is what is told once: whoever takes it away, or writes into it what was
// told, adds that to the sums in the same statement. Of a send that may be retried the row stays with what was told, so that a
// retry takes it out again.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { RETRYABLE_STATES } from '../../decide/lifecycle/send-state.js';
import { keptFrom } from '../kept-from.js';
import { COUNTS, DUE } from '../send/measured-send.js';
import { ENDED, keysOf, SEND_KEYS } from './counted-sends.js';
import { addTo, type Sums } from './sums.js';

/** Where a breakdown, or nobody, tells: keys of breakdown_rollup beside those of send_rollup. */
export const TOLD_KEYS = ['told_device_type', 'told_country', 'language', 'outcome', 'reason'] as const;

/** The outcome of devices of which nobody can tell more; why is the reason. */
export const NOT_TOLD = 'not-told';

/** So many devices of one kind. */
export interface ToldPart {
  readonly device_type: string;
  readonly country: string;
  readonly language: string;
  readonly outcome: 'sent' | 'failed' | 'unknown' | 'suppressed' | 'pending' | typeof NOT_TOLD;
  readonly reason: string | null;
  readonly devices: number;
}

/** Rows of breakdown_rollup of a relation `b` with SEND_KEYS and told, a list of ToldPart; so many times. */
export const toldRows = (b: string, weight = '1'): string => `
select ${SEND_KEYS.map((name) => `b.${name}`).join(', ')}, t.device_type as told_device_type, t.country as told_country,
       t.language, t.outcome, t.reason, ${weight} * t.devices as devices
  from ${b} cross join lateral jsonb_to_recordset(b.told)
         as t(device_type text, country text, language text, outcome text, reason text, devices bigint)`;

export const BREAKDOWN_ROLLUP: Sums = {
  table: 'breakdown_rollup',
  keys: [...SEND_KEYS, ...TOLD_KEYS],
  added: ['devices'],
};

/**
 * Of the ended sends of `events` those whose breakdown is worth a call, of projects that have it: so many devices ($5), or nobody
 * of an audience of as many, or of no known number, for then those who were suppressed are of interest. One that a retry has
 * taken the place of counts no more.
 */
export const wantBreakdowns = (events: string): string => `
insert into send_breakdown (send, ${SEND_KEYS.join(', ')}, request_id, target, sent, since, next_at)
select s.id, ${keysOf('s', DUE)}, s.request_id, s.target_count, coalesce(s.sent_count, 0), s.state_at, s.state_at
  from ${events} e
 cross join lateral (select s.* from send s where s.id = e.send limit 1) s
  join project p on p.service_id = s.service_id and ${tells('p')}
 cross join lateral (select k.* from cell k
                      where k.campaign = s.campaign and k.occurrence = s.occurrence and k.cell = s.cell limit 1) k
 where (select exists (select from project p where ${tells('p')}))
   and e.to_state in ${ENDED} and ${COUNTS} and s.occurrence not like 'test-%'
   and s.request_id is not null and s.target_count is not null
   and (s.target_count >= $5 or s.target_count = 0 and coalesce(k.recipients / nullif(k.chunks, 0), $5) >= $5)
on conflict do nothing`;

function tells(p: string): string {
  return `'result-breakdown' = any(${p}.extensions)`;
}

// A statement of its own, which opens no partition: it may wait for who tells of the same send (platform/database/pooled-database.ts).
const WITHDRAW = prepared(`
with withdrawn as (delete from send_breakdown where send = any($1::uuid[]) returning *)
${addTo(BREAKDOWN_ROLLUP, `(${toldRows('withdrawn b', '-1')})`)}`);

/** Of sends that a retry took the place of: they are asked about no more, and what was told is taken out. By primary key. */
export async function withdrawBreakdowns(sql: Sql, sends: readonly string[]): Promise<void> {
  if (sends.length > 0) await sql.query(WITHDRAW, [sends]);
}

export interface DueBreakdown {
  readonly send: string;
  readonly serviceId: string;
  readonly requestId: string;
  /** As its result told. */
  readonly target: number;
  readonly sent: number;
  /** How often it was asked for in vain. */
  readonly asked: number;
}

/** What a process that died had taken is due again after it. */
const TAKEN = "interval '5 minutes'";

// Index send_breakdown_due, a probe a project; steps over what others take at the moment.
const TAKE_DUE = prepared(`
with due as (
  select b.send from project p cross join lateral (
    select b.send from send_breakdown b
     where b.service_id = p.service_id and b.told is null and b.next_at <= $1
     order by b.next_at, b.send limit $2 for update skip locked) b
   where ${tells('p')} and (p.blocked_until is null or p.blocked_until <= $1)
   order by hashtextextended(p.service_id, $3) limit $4)
update send_breakdown b set next_at = $1::timestamptz + ${TAKEN} from due where b.send = due.send
returning b.send, b.service_id as "serviceId", b.request_id as "requestId", b.target::float8 as target, b.sent::float8 as sent, b.asked`);

export interface BreakdownScope {
  readonly now: Date;
  /** Of a project. */
  readonly room: number;
  readonly limit: number;
  /** Each begins with another project. */
  readonly round: number;
}

/** Those that are due, the oldest of each project that can be called: nobody else takes them meanwhile. */
export async function takeBreakdowns(sql: Sql, scope: BreakdownScope): Promise<DueBreakdown[]> {
  const { now, room, limit, round } = scope;
  return sql.query<DueBreakdown>(TAKE_DUE, [now, room, round, limit]);
}

/** Taken, and not asked about: they are due again. */
export async function putBackBreakdowns(sql: Sql, sends: readonly string[], now: Date): Promise<void> {
  if (sends.length === 0) return;
  await sql.query('update send_breakdown set next_at = $2 where send = any($1::uuid[]) and told is null', [
    sends,
    now,
  ]);
}

/** `over`: a query of sends and what is told of each. */
const settle = (over: string): string => {
  const told = `${SEND_KEYS.map((name) => `b.${name}`).join(', ')}, o.told`;
  const mine = 'b.send = o.send and b.told is null and b.state';
  const retryable = sqlList(RETRYABLE_STATES);
  return `
with over as materialized (${over}),
kept as (update send_breakdown b set told = o.told from over o where ${mine} in ${retryable} returning ${told}),
gone as (delete from send_breakdown b using over o where ${mine} not in ${retryable} returning ${told}),
settled as materialized (select * from kept union all select * from gone),
added as (${addTo(BREAKDOWN_ROLLUP, `(${toldRows('settled b')})`)})
select count(*)::int as settled from settled`;
};

const TELL = prepared(settle('select $1::uuid as send, $2::jsonb as told'));

/** What becomes of one send's devices. Whether it was still to be told. */
export async function tellBreakdown(sql: Sql, send: string, told: readonly ToldPart[]): Promise<boolean> {
  const [row] = await sql.query<{ settled: number }>(TELL, [send, JSON.stringify(told)]);
  return row?.settled === 1;
}

const PUT_OFF = prepared(
  'update send_breakdown set next_at = $2, asked = asked + 1, last_code = $3 where send = $1 and told is null',
);

/** To be asked for again; `code`: why it was in vain. */
export async function putOffBreakdown(
  sql: Sql,
  send: string,
  { nextAt, code }: { readonly nextAt: Date; readonly code: string },
): Promise<void> {
  await sql.query(PUT_OFF, [send, nextAt, code]);
}

// Reads all that wait, in order of their sends; steps over those of others.
const GIVE_UP = settle(`
select b.send, case when b.target = 0 then '[]'::jsonb else jsonb_build_array(jsonb_build_object(
         'device_type', 'all', 'country', 'all', 'language', 'all', 'outcome', '${NOT_TOLD}', 'devices', b.target,
         'reason', case when p.service_id is null then 'NO_EXTENSION' else coalesce(b.last_code, 'NOT_ASKED') end)) end as told
  from send_breakdown b left join project p on p.service_id = b.service_id and ${tells('p')}
 where b.told is null and (b.since <= $1 or p.service_id is null)
 order by b.send limit $2 for update of b skip locked`);

/** Of sends that ended by then, and of projects that have the extension no more, nobody is asked. Returns how many. */
export async function giveUpBreakdowns(sql: Sql, endedBy: Date, most: number): Promise<number> {
  const [row] = await sql.query<{ settled: number }>(GIVE_UP, [endedBy, most]);
  return row?.settled ?? 0;
}

/** What was told of sends that are kept no more, and so never retried; at most so many. By primary key, the oldest first. */
export async function forgetTold(sql: Sql, most: number): Promise<number> {
  const gone = await sql.query(
    `delete from send_breakdown where send = any(array(
       select b.send from send_breakdown b
        where b.told is not null and b.send < ${keptFrom('send')} and not exists (select from send_old o where o.id = b.send)
        order by b.send limit $1)) returning 1`,
    [most],
  );
  return gone.length;
}

export interface WaitingBreakdowns {
  /** At most as many as are counted. */
  readonly waiting: number;
  /** Since the oldest's send ended, milliseconds; null: none waits. */
  readonly ageMs: number | null;
}

/** Reads up to a hundred thousand. */
export async function waitingBreakdowns(sql: Sql, now: Date): Promise<WaitingBreakdowns> {
  const [row] = await sql.query<WaitingBreakdowns>(
    `select count(*)::float8 as waiting, extract(epoch from $1 - min(b.since))::float8 * 1000 as "ageMs"
       from (select since from send_breakdown where told is null limit 100000) b`,
    [now],
  );
  return row ?? { waiting: 0, ageMs: null };
}
