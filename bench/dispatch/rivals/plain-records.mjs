// What a careful user of a job queue writes down of each call, on plain tables of his own: the notification's new state,
// the attempt, the history and an outbox row, in one prepared statement, so that all of it holds or none.
import { Pool } from 'pg';

const TABLES = `
create table if not exists notification
  (id uuid primary key, due_at timestamptz not null, state text not null, request_id text, answered_at timestamptz);
create index if not exists notification_due on notification (due_at) where state = 'planned';
create table if not exists notification_attempt
  (notification uuid not null, attempt integer not null, started_at timestamptz not null, ended_at timestamptz not null,
   http_status integer, outcome text not null, primary key (notification, attempt));
create table if not exists notification_history
  (notification uuid not null, sequence integer not null, from_state text not null, to_state text not null,
   at timestamptz not null, primary key (notification, sequence));
create table if not exists notification_outbox
  (id bigint generated always as identity primary key, notification uuid not null, state text not null, request_id text,
   created_at timestamptz not null, published_at timestamptz);
create index if not exists notification_unpublished on notification_outbox (id) where published_at is null`;

/** @param {string} source of the columns id, request_id, began, ended */
const recording = (source) => `
with call as (${source}),
moved as (
  update notification n set state = 'accepted', request_id = c.request_id, answered_at = c.ended
    from call c where n.id = c.id and n.state = 'planned' returning n.id),
tried as (
  insert into notification_attempt select c.id, 1, c.began, c.ended, 202, 'taken' from call c join moved using (id)),
noted as (
  insert into notification_history select c.id, 1, 'planned', 'accepted', c.ended from call c join moved using (id))
insert into notification_outbox (notification, state, request_id, created_at)
select c.id, 'accepted', c.request_id, c.ended from call c join moved using (id)`;

const RECORD_ONE = recording(
  'select $1::uuid as id, $2::text as request_id, $3::timestamptz as began, $4::timestamptz as ended',
);
const RECORD_MANY = recording(
  'select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[]) as u(id, request_id, began, ended)',
);

/** @typedef {{ id: string, requestId: string, began: Date, ended: Date }} Call */

/** @param {string} databaseUrl */
export async function plainRecords(databaseUrl) {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  await pool.query(TABLES);
  return {
    /** @param {readonly string[]} ids */
    plan: async (ids) => {
      await pool.query(
        "insert into notification (id, due_at, state) select id, now(), 'planned' from unnest($1::uuid[]) as u(id)",
        [ids],
      );
      await pool.query('analyze notification');
    },
    /** @param {Call} call */
    one: async ({ id, requestId, began, ended }) => {
      await pool.query({ name: 'one', text: RECORD_ONE, values: [id, requestId, began, ended] });
    },
    /** @param {readonly Call[]} calls */
    many: async (calls) => {
      const values = [
        calls.map((call) => call.id),
        calls.map((call) => call.requestId),
        calls.map((call) => call.began),
        calls.map((call) => call.ended),
      ];
      await pool.query({ name: 'many', text: RECORD_MANY, values });
    },
    /** Throws unless all of so many calls are there. @param {number} total */
    check: async (total) => {
      const { rows } = await pool.query(
        `select (select count(*) from notification where state = 'accepted')::int as accepted,
                (select count(*) from notification_attempt)::int as attempts,
                (select count(*) from notification_history)::int as history,
                (select count(*) from notification_outbox)::int as outbox`,
      );
      for (const [what, found] of Object.entries(rows[0])) {
        if (found !== total) throw new Error(`${found} ${what} instead of ${total}`);
      }
    },
    close: () => pool.end(),
  };
}
