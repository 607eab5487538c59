// Loaded into the measured scheduler (NODE_OPTIONS=--import): notes how long its event loop stands. In processor time of its thread,
// which a busy machine does not stretch, by what the kernel counts (Linux); and by the wall clock.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Every turn of the event loop that takes longer is followed by a sample. */
const EVERY_MS = 1;
const WRITE_MS = 100;

const file = process.env['BENCH_LOOP_FILE'];
if (isMainThread && file !== undefined) {
  const processorMs = (): number =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  let [wall, processor] = [performance.now(), processorMs()];
  let longest = { wall: 0, processor: 0 };
  let writtenAt = wall;
  setInterval(() => {
    const [now, used] = [performance.now(), processorMs()];
    longest = {
      wall: Math.max(longest.wall, now - wall - EVERY_MS),
      processor: Math.max(longest.processor, used - processor),
    };
    [wall, processor] = [now, used];
    if (now - writtenAt < WRITE_MS) return;
    appendFileSync(file, `${Date.now()} ${longest.processor} ${longest.wall}\n`);
    longest = { wall: 0, processor: 0 };
    writtenAt = now;
  }, EVERY_MS).unref();
}
