// Takes a user's id out of the recipients of sends, open and ended. By blocks of a partition of send_recipients: no index has the ids,
// and one would cost every plan more than an erasure costs now and then (docs/decisions/0083).
import type { Sql } from '../../../platform/database/database.js';
import { firstRow } from '../../../platform/database/database.js';
import { CHANNELS } from '../channels.js';

/** Some blocks of a partition, as bounds of its rows' places. */
export interface Blocks {
  readonly partition: string;
  readonly from: string;
  readonly to: string;
}

export interface Erased {
  /** Rows from which the id was taken. */
  readonly found: number;
  /** Rows that still have it, because something that is under way needs them. */
  readonly waits: number;
}

/** Code of a send whose only recipient was erased. */
const CODE = 'RECIPIENT_ERASED';

// A send that is about to be fired has perhaps been read ahead, and its fire would take the recipients of an older snapshot: it waits, as
// does one whose request may have to be repeated with the same bytes. $5: so much later. Rows are locked in order of id.
const OPEN = (partition: string): string => `
with named as materialized (
  select r.send from ${partition} r where r.ctid >= $1::tid and r.ctid < $2::tid and $3::text = any(r.recipients)),
locked as materialized (
  select s.id, s.state, cardinality(array_remove(r.recipients, $3::text)) as rest,
         s.state in ('sending', 'uncertain')
         or s.state = 'planned' and s.next_at <= $5 and coalesce(p.blocked_until, '-infinity') <= $4 as busy
    from (select s.* from named n join send s on s.id = any(array[n.send]) and s.ended_at = 'infinity'
           where s.service_id = $6 order by s.id for update of s) s
    join project p on p.service_id = s.service_id
    join send_recipients r on r.send = s.id and r.send_ended_at = 'infinity'),
free as materialized (select * from locked where not busy),
less as (
  update send_recipients r set recipients = array_remove(r.recipients, $3::text) from free f
   where r.send = f.id and r.send_ended_at = 'infinity' and f.rest > 0)
select (select count(*)::int from free) as found, (select count(*)::int from locked where busy) as waits,
       (select array_agg(f.id order by f.id) from free f where f.rest > 0) as shorter,
       (select array_agg(f.id order by f.id) from free f where f.rest = 0) as empty`;

const COUNT = `
update send s set recipients = cardinality(r.recipients) from send_recipients r
 where s.id = any($1::uuid[]) and s.ended_at = 'infinity' and r.send = s.id and r.send_ended_at = 'infinity'`;

const FORGET = `
update send_recipients r set recipients = '{}' where r.send = any($1::uuid[]) and r.send_ended_at = 'infinity'`;

// What has not left ends; what the push service holds is asked back; what it is delivering stays, and cannot be retried.
const EMPTY = `
update send s set recipients = 0,
       state = case when send_state_goes_back(s.state) then 'canceled' when send_state_is_asked_back(s.state) then 'canceling' else s.state end,
       goal = case when send_state_goes_back(s.state) then null when send_state_is_asked_back(s.state) or s.state = 'canceling' then 'canceled' else s.goal end,
       changes = s.changes + case when send_state_goes_back(s.state) or send_state_is_asked_back(s.state) then 1 else 0 end,
       code = case when send_state_goes_back(s.state) or send_state_is_asked_back(s.state) or s.state = 'canceling' then '${CODE}' else s.code end,
       detail = case when send_state_goes_back(s.state) or send_state_is_asked_back(s.state) or s.state = 'canceling'
                     then 'its only recipient was erased' else s.detail end,
       state_at = case when send_state_goes_back(s.state) or send_state_is_asked_back(s.state) then $2 else s.state_at end,
       state_by = case when send_state_goes_back(s.state) or send_state_is_asked_back(s.state) then 'erasure' else s.state_by end,
       polls = case when send_state_is_asked_back(s.state) then 0 else s.polls end,
       next_at = case when send_state_goes_back(s.state) then null when send_state_is_asked_back(s.state) then $2 else s.next_at end
 where s.id = any($1::uuid[]) and s.ended_at = 'infinity'`;

interface OpenRow extends Erased {
  readonly shorter: readonly string[] | null;
  readonly empty: readonly string[] | null;
}

/** How long before its hand-off a planned send counts as leaving. Longer than dispatchers look ahead. */
const LEAVES_MS = 10_000;

/** Of open sends. In the caller's transaction. */
export async function eraseFromOpenSends(
  sql: Sql,
  { serviceId, userId }: { readonly serviceId: string; readonly userId: string },
  { partition, from, to }: Blocks,
  now: Date,
): Promise<Erased> {
  const soon = new Date(now.getTime() + LEAVES_MS);
  const row = await firstRow<OpenRow>(sql, OPEN(partition), [from, to, userId, now, soon, serviceId]);
  const { found = 0, waits = 0, shorter, empty } = row ?? {};
  if (shorter) await sql.query(COUNT, [shorter]);
  if (empty) {
    await sql.query(FORGET, [empty]);
    await sql.query(EMPTY, [empty, now]);
    await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.cancel, CHANNELS.close, '']);
  }
  return { found, waits };
}

// Their recipients are kept for retries. One without recipients is not retried (retry.store.ts).
const ENDED = (partition: string): string => `
with named as materialized (
  select r.ctid, r.send, r.send_ended_at from ${partition} r
   where r.ctid >= $1::tid and r.ctid < $2::tid and $3::text = any(r.recipients)
     and exists (select from send s where s.id = r.send and s.ended_at = r.send_ended_at and s.service_id = $4)),
less as (
  update ${partition} r set recipients = array_remove(r.recipients, $3::text) from named n
   where r.ctid = n.ctid returning r.send, r.send_ended_at, cardinality(r.recipients) as rest),
counted as (
  update send s set recipients = l.rest from less l where s.id = l.send and s.ended_at = l.send_ended_at)
select count(*)::int as found, 0 as waits from less`;

/** Of sends that have ended and may be retried. */
export async function eraseFromEndedSends(
  sql: Sql,
  { serviceId, userId }: { readonly serviceId: string; readonly userId: string },
  { partition, from, to }: Blocks,
): Promise<Erased> {
  return (
    (await firstRow<Erased>(sql, ENDED(partition), [from, to, userId, serviceId])) ?? { found: 0, waits: 0 }
  );
}
