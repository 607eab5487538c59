// Loaded into the measured scheduler (NODE_OPTIONS=--import): writes, every tenth of a second, how long its event loop stood at most.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 100;
const RESOLUTION_MS = 1;

const file = process.env['BENCH_LOOP_FILE'];
if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  setInterval(() => {
    appendFileSync(file, `${Date.now()} ${delay.max / 1e6 - RESOLUTION_MS}\n`);
    delay.reset();
  }, EVERY_MS).unref();
}
