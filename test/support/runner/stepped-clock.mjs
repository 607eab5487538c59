// Loaded before a program by NODE_OPTIONS: its `Date` goes by the machine's clock and so many milliseconds more as
// stand in the file that STEPPED_CLOCK_FILE names. SIGUSR2 steps it there. The program itself knows nothing of it, and
// its timers and performance.now() go on undisturbed, as they do when a machine's clock is set.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env['STEPPED_CLOCK_FILE'] ?? '';
const RealDate = Date;
let aheadMs = 0;

function step() {
  aheadMs = Number(readFileSync(file, 'utf8'));
  writeFileSync(`${file}.${process.pid}`, String(aheadMs));
}

const now = () => RealDate.now() + aheadMs;
const SteppedDate = new Proxy(RealDate, {
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  construct: (target, given, asked) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, asked === SteppedDate ? target : asked),
  apply: () => new RealDate(now()).toString(),
});
RealDate.prototype.constructor = SteppedDate;
globalThis.Date = SteppedDate;

process.on('SIGUSR2', step);
step();
