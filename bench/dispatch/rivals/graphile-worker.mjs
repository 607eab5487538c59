// A program: graphile-worker at the best settings found (local queue, batched completion), one job per send making the
// same call. Jobs are there before it starts. Prints {"ms"}.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { sameCall } from '../../../dist/bench/dispatch/same-call.js';

/** @type {import('../settings.js').ContestantSettings} */
const { databaseUrl, pushUrl, warmUp, count, inFlight } = JSON.parse(process.argv[2] ?? '');
const calls = sameCall(pushUrl);
// It would tell of every job.
const logger = new Logger(() => () => undefined);
const preset = {
  worker: {
    connectionString: databaseUrl,
    concurrentJobs: inFlight,
    maxPoolSize: 10,
    pollInterval: 200,
    localQueue: { size: 500, ttl: 60_000 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    logger,
  },
};
const utils = await makeWorkerUtils({ preset });
await utils.migrate();

/** @param {number} total */
async function measure(total) {
  await utils.addJobs(Array.from({ length: total }, (_, n) => ({ identifier: 'send', payload: { n } })));
  const began = performance.now();
  let done = 0;
  await new Promise((resolve, reject) => {
    run({ preset, taskList: { send: async () => void (await calls.send()) } }).then((runner) => {
      runner.events.on('job:failed', ({ error }) => reject(error));
      runner.events.on('job:complete', () => {
        done += 1;
        // Its completions are written in batches: stop() ends once the last is.
        if (done === total) runner.stop().then(resolve, reject);
      });
    }, reject);
  });
  return performance.now() - began;
}

await measure(warmUp);
const ms = await measure(count);
const left = await utils.withPgClient((client) =>
  client.query('select count(*)::int as left from graphile_worker.jobs'),
);
if (left.rows[0].left !== 0) throw new Error(`${left.rows[0].left} jobs are left`);
process.stdout.write(`${JSON.stringify({ ms })}\n`);
await utils.release();
await calls.close();
process.exit(0);
