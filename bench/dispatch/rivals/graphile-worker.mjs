// A program: graphile-worker at the best settings found (local queue, batched completion), one job per send making the
// same call, and, where it is to, writing down what came of it. Jobs are there before it starts. Prints {"ms"}.
import { randomUUID } from 'node:crypto';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { sameCall } from '../../../dist/bench/dispatch/same-call.js';
import { plainRecords } from './plain-records.mjs';

/** @type {import('../settings.js').ContestantSettings} */
const { databaseUrl, pushUrl, warmUp, count, inFlight, records } = JSON.parse(process.argv[2] ?? '');
const calls = sameCall(pushUrl);
const book = records ? await plainRecords(databaseUrl) : undefined;
// It would log every job.
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

/** @param {unknown} payload */
async function send(payload) {
  const { id } = /** @type {{ id: string }} */ (payload);
  const began = new Date();
  const requestId = await calls.send(id);
  await book?.one({ id, requestId, began, ended: new Date() });
}

/** @param {number} total */
async function measure(total) {
  const ids = Array.from({ length: total }, () => randomUUID());
  await book?.plan(ids);
  await utils.addJobs(ids.map((id) => ({ identifier: 'send', payload: { id } })));
  const began = performance.now();
  let done = 0;
  await new Promise((resolve, reject) => {
    run({ preset, taskList: { send } }).then((runner) => {
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
await book?.check(warmUp + count);
process.stdout.write(`${JSON.stringify({ ms })}\n`);
await utils.release();
await calls.close();
await book?.close();
process.exit(0);
