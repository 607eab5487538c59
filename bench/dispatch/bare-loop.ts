// A program: the yardstick. The same signed call, so many at once, and no database at all. Prints {"ms"}
// and its own processor time.
import { timedAsync } from '../measure.js';
import { sameCall } from './same-call.js';
import type { ContestantSettings } from './settings.js';

const { pushUrl, warmUp, count, inFlight, kind } = JSON.parse(process.argv[2] ?? '') as ContestantSettings;
const calls = sameCall(pushUrl);

async function run(total: number): Promise<void> {
  let left = total;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        if (kind === 'result') await calls.result(`r-${left}`);
        else {
          const requestId = await calls.send();
          if (kind === 'life') await calls.result(requestId);
        }
      }
    }),
  );
}

await run(warmUp);
const before = process.cpuUsage();
const ms = await timedAsync(() => run(count));
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ ms, processorMs: (user + system) / 1_000 })}\n`);
await calls.close();
