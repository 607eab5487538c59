// What webhooks are still to be told, and the messages that tell it. Tries go by the database's clock; how long a message is kept goes
// by ours, as with every other table.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { AlertRow, Judged } from '../alert.store.js';

// Rows are inserted in order of their key, so that two transactions cannot lock each other out.
const NOTE = prepared(`
insert into webhook_change (webhook, alert, what)
select w.id, a.id, $2 from webhook w join alert a on a.id = any($1::uuid[])
 where (w.causes is null or a.cause = any(w.causes)) and (w.services is null or a.service_id = any(w.services))
 order by 1, 2 on conflict do nothing`);

/** Notes for every webhook what concerns it of these; call it in the transaction that wrote the alerts. */
export async function noteChanges(sql: Sql, { begun, ended }: Judged): Promise<void> {
  const idsOf = (alerts: readonly AlertRow[]): string[] => alerts.map(({ id }) => id);
  if (begun.length > 0) await sql.query(NOTE, [idsOf(begun), 'began']);
  if (ended.length > 0) await sql.query(NOTE, [idsOf(ended), 'ended']);
}

export interface TakenChange {
  readonly webhook: string;
  readonly what: 'began' | 'ended';
  readonly alert: AlertRow;
}

// Locks the webhooks in order of id; one that another process works on is left to it. Primary keys.
const TAKE = prepared(`
with due as (
  select w.id from webhook w
   where exists (select from webhook_change c where c.webhook = w.id
                    and c.noted_at <= clock_timestamp() - $1 * interval '1 millisecond')
   order by w.id for update skip locked),
taken as (
  delete from webhook_change c using due where c.webhook = due.id returning c.webhook, c.alert, c.what)
select t.webhook, t.what, jsonb_build_object('id', a.id, 'cause', a.cause, 'serviceId', a.service_id, 'since', a.since,
         'lastSeenAt', a.last_seen_at, 'endedAt', a.ended_at, 'figure', a.figure, 'worst', a.worst, 'detail', '',
         'acknowledgedAt', null, 'acknowledgedBy', null) as alert
  from taken t join alert a on a.id = t.alert order by t.webhook, a.since, a.cause, a.service_id`);

type Json<Row> = { [Name in keyof Row]: Row[Name] extends Date | null ? string | null : Row[Name] };

/** Takes all changes of webhooks whose oldest change was noted `gatherMs` ago. Make their messages in the same transaction. */
export async function takeChanges(sql: Sql, gatherMs: number): Promise<TakenChange[]> {
  const rows = await sql.query<Omit<TakenChange, 'alert'> & { alert: Json<AlertRow> }>(TAKE, [gatherMs]);
  const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
  return rows.map(({ alert, ...row }) => ({
    ...row,
    alert: {
      ...alert,
      since: new Date(alert.since ?? 0),
      lastSeenAt: new Date(alert.lastSeenAt ?? 0),
      endedAt: dateOf(alert.endedAt),
      acknowledgedAt: null,
    },
  }));
}

export interface NewMessage {
  readonly id: string;
  readonly webhook: string;
  readonly body: string;
}

export async function insertMessages(sql: Sql, messages: readonly NewMessage[], madeAt: Date): Promise<void> {
  for (const { id, webhook, body } of messages)
    await sql.query(
      `insert into webhook_message (id, webhook, body, made_at, next_at) values ($1, $2, $3, $4, clock_timestamp())`,
      [id, webhook, body, madeAt],
    );
}

export interface DueMessage extends NewMessage {
  /** This try is the first, second … */
  readonly tries: number;
  readonly url: string;
  readonly secretSealed: string;
}

// Index webhook_message_due. The lease is its next try: a process that dies in between loses none.
const DUE = prepared(`
with due as (
  select m.id from webhook_message m where m.next_at <= clock_timestamp() order by m.next_at limit $1 for update skip locked),
leased as (
  update webhook_message m set tries = m.tries + 1, next_at = clock_timestamp() + $2 * interval '1 millisecond'
    from due where m.id = due.id returning m.*)
select l.id, l.webhook, l.body, l.tries, w.url, w.secret_sealed as "secretSealed"
  from leased l join webhook w on w.id = l.webhook order by l.id`);

/** Leases messages that are due for `leaseMs`, and counts the try. */
export function leaseDue(sql: Sql, most: number, leaseMs: number): Promise<DueMessage[]> {
  return sql.query<DueMessage>(DUE, [most, leaseMs]);
}

export interface TryEnd {
  readonly id: string;
  readonly webhook: string;
  /** null: it was taken. */
  readonly error: string | null;
  /** Real milliseconds until the next try; null: there is none. */
  readonly againMs: number | null;
}

const END = prepared(`
with message as (
  update webhook_message set taken_at = case when $3::text is null then clock_timestamp() end,
         next_at = clock_timestamp() + $4::float8 * interval '1 millisecond' where id = $1 returning webhook)
update webhook w set delivered_at = case when $3::text is null then clock_timestamp() else w.delivered_at end,
       failing_since = case when $3::text is not null then coalesce(w.failing_since, clock_timestamp()) end, last_error = $3
 where w.id = $2`);

export async function endTry(sql: Sql, { id, webhook, error, againMs }: TryEnd): Promise<void> {
  await sql.query(END, [id, webhook, error, againMs]);
}
