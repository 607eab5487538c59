// A program: pg-boss fetching and completing in batches, the calls of a batch at once, one job per send making the same
// call. Prints {"ms"}.
import PgBoss from 'pg-boss';
import { sameCall } from '../../../dist/bench/dispatch/same-call.js';

/** @type {import('../settings.js').ContestantSettings} */
const { databaseUrl, pushUrl, warmUp, count, inFlight } = JSON.parse(process.argv[2] ?? '');
const calls = sameCall(pushUrl);
const boss = new PgBoss({ connectionString: databaseUrl, max: 10, supervise: false, schedule: false });
boss.on('error', (error) => process.stderr.write(`${error}\n`));
await boss.start();
const queue = 'send';
await boss.createQueue(queue);

// fetch() and complete() by hand: its work() rests at least half a second between two batches.
/** @param {number} total */
async function measure(total) {
  await boss.insert(Array.from({ length: total }, (_, n) => ({ name: queue, data: { n } })));
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      while (done < total) {
        const jobs = (await boss.fetch(queue, { batchSize: inFlight })) ?? [];
        if (jobs.length === 0) return;
        await Promise.all(jobs.map(() => calls.send()));
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
process.stdout.write(`${JSON.stringify({ ms })}\n`);
await boss.stop({ graceful: false });
await calls.close();
process.exit(0);
