// npm run bench:soak — a steady load at half of the rate that is measured first, from due to last outcome, with a real push
// service, Kafka and two replicas: a calm stretch, a rolling restart every five minutes, a time without Kafka and one
// without PostgreSQL, midnight, and a day on which what came before is past its retention. Ends with 1 when anything is
// lost, comes twice or does not balance, memory grows, or lateness outside the outages is not held. `--minutes=n` in all
// [60], `--share=n` of the rate, `--outage=n` seconds of each, `--restart=n` minutes [5; 0: none, so that processes live long
// enough to show whether they grow].
import { loadavg } from 'node:os';
import { scheduler } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, report } from '../measure.js';
import { drained, say, soak } from './course.js';
import { findingsOf, verdictOf } from './findings.js';
import { SoakHouse } from './soak-house.js';
import { AHEAD_MS, SteadyLoad } from './steady-load.js';
import { MemoryWatch } from './watch.js';

// Compiled, this file lies in dist/bench/soak.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    share: { type: 'string', default: '0.5' },
    outage: { type: 'string', default: '60' },
    sends: { type: 'string', default: '5000' },
    restart: { type: 'string', default: '5' },
  },
});
const [minutes, share, outageSeconds, burst, restart] = [
  values.minutes,
  values.share,
  values.outage,
  values.sends,
  values.restart,
].map(Number) as [number, number, number, number, number];
const MINUTE_MS = 60_000;
/** Stretches that are measured, and the times between them. */
const PARTS = 6;

/** Sends a second from their due until the last is followed to its end: what is handed off alone is twice as fast. */
async function rateOf(house: SoakHouse, load: SteadyLoad): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const dueAt = house.now() + AHEAD_MS;
    await load.burst(burst, dueAt);
    await scheduler.wait(AHEAD_MS);
    await drained(house);
    // The first warms up.
    if (round > 0) rates.push((burst / (house.now() - dueAt)) * 1_000);
  }
  return median(rates);
}

const users = Array.from({ length: 5_000 }, (_, index) => `soak-${index}`);
const house = await SoakHouse.open(users);
try {
  const load = new SteadyLoad(house, users);
  const rate = await rateOf(house, load);
  const perSecond = Math.floor(share * rate);
  say(`${Math.round(rate)} a second from due to last outcome: ${perSecond} a second from here on`);
  const before = loadavg().map((one) => one.toFixed(1));
  const memory = new MemoryWatch(() => ({
    ...Object.fromEntries(house.replicas.map((replica, index) => [`replica-${index}`, replica.pid])),
    'push-service': house.pushService.pid,
  }));
  const outageMs = outageSeconds * 1_000;
  const stretchMs = (minutes * MINUTE_MS) / PARTS;
  const stretches = await soak(house, load, {
    perSecond,
    stretchMs,
    outageMs,
    // Of a short soak, once a stretch.
    restartEveryMs: Math.min(restart * MINUTE_MS, stretchMs),
  });
  const growths = memory.end();
  const found = await verdictOf(house);
  const command = `npm run bench:soak${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  const section = `## A soak\n\n\`${command}\`; PostgreSQL of its own for the push service, one broker, all on one machine; its load before: ${before.join(' ')}.`;
  const soaked = { share, perSecond, outageMs, sends: load.sends, stretches, found, growths };
  if (!report(root, findingsOf(soaked), section)) process.exitCode = 1;
} finally {
  await house.close();
}
