// A program: pg-boss fetching and completing in batches, the calls of a batch at once, one job per send making the same
// call, and, where it is to, writing down what came of a batch in one statement. Prints {"ms"}.
import { randomUUID } from 'node:crypto';
import PgBoss from 'pg-boss';
import { sameCall } from '../../../dist/bench/dispatch/same-call.js';
import { plainRecords } from './plain-records.mjs';

/** @type {import('../settings.js').ContestantSettings} */
const { databaseUrl, pushUrl, warmUp, count, inFlight, records } = JSON.parse(process.argv[2] ?? '');
const calls = sameCall(pushUrl);
const book = records ? await plainRecords(databaseUrl) : undefined;
const boss = new PgBoss({ connectionString: databaseUrl, max: 10, supervise: false, schedule: false });
boss.on('error', (error) => process.stderr.write(`${error}\n`));
await boss.start();
const queue = 'send';
await boss.createQueue(queue);

/** @param {string} id */
async function call(id) {
  const began = new Date();
  const requestId = await calls.send(id);
  return { id, requestId, began, ended: new Date() };
}

// fetch() and complete() by hand: its work() rests at least half a second between two batches.
/** @param {number} total */
async function measure(total) {
  const ids = Array.from({ length: total }, () => randomUUID());
  await book?.plan(ids);
  await boss.insert(ids.map((id) => ({ name: queue, data: { id } })));
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      while (done < total) {
        const jobs = (await boss.fetch(queue, { batchSize: inFlight })) ?? [];
        if (jobs.length === 0) return;
        const made = await Promise.all(jobs.map(({ data }) => call(/** @type {{ id: string }} */ (data).id)));
        await book?.many(made);
        await boss.complete(
          queue,
          jobs.map((job) => job.id),
        );
        done += jobs.length;
      }
    }),
  );
  return performance.now() - began;
}

await measure(warmUp);
const ms = await measure(count);
await book?.check(warmUp + count);
process.stdout.write(`${JSON.stringify({ ms })}\n`);
await boss.stop({ graceful: false });
await calls.close();
await book?.close();
process.exit(0);
