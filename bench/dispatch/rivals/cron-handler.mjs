// A program: what an application without a scheduler writes. A @Cron-style handler: read what is due, then one awaited
// call and one awaited update for each. The wait for its next tick is left out, in its favour. Prints {"ms"}.
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { sameCall } from '../../../dist/bench/dispatch/same-call.js';

/** @type {import('../settings.js').ContestantSettings} */
const { databaseUrl, pushUrl, warmUp, count } = JSON.parse(process.argv[2] ?? '');
const pool = new Pool({ connectionString: databaseUrl });
const calls = sameCall(pushUrl);
await pool.query(`create table if not exists notification
  (id uuid primary key, due_at timestamptz not null, state text not null, request_id text, sent_at timestamptz)`);
await pool.query(
  "create index if not exists notification_due on notification (due_at) where state = 'planned'",
);

/** @param {number} total */
async function handler(total) {
  await pool.query(
    "insert into notification (id, due_at, state) select id, now(), 'planned' from unnest($1::uuid[]) as u(id)",
    [Array.from({ length: total }, () => randomUUID())],
  );
  const began = performance.now();
  const due = await pool.query(
    "select id from notification where state = 'planned' and due_at <= now() order by due_at",
  );
  for (const { id } of due.rows) {
    const requestId = await calls.send(id);
    await pool.query(
      "update notification set state = 'sent', request_id = $2, sent_at = now() where id = $1",
      [id, requestId],
    );
  }
  return performance.now() - began;
}

await handler(warmUp);
const ms = await handler(count);
process.stdout.write(`${JSON.stringify({ ms })}\n`);
await calls.close();
await pool.end();
