// Wall times to instants: ours against luxon's own DateTime.fromObject, the same wall times in the same run, by turns.
import { DateTime } from 'luxon';
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import { dateOfDays, HOUR_MS, MINUTE_MS, splitLocal } from '../../src/zone-rules/civil.js';
import { resolveLocal } from '../../src/scheduler/decide/timing/local-time.js';
import { policyDefaults } from '../../src/scheduler/decide/timing/campaign-policy.js';
import { requireZoneTable } from '../../src/scheduler/decide/audience/zone-by-name.js';
import { median, timed, type Finding } from '../measure.js';

const ROUNDS = 9;
const OURS_A_ROUND = 400_000;
const LUXONS_A_ROUND = 8_000;
const ZONES = [
  'Asia/Seoul',
  'America/New_York',
  'Europe/Berlin',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Pacific/Auckland',
];

export function resolveLocalTimes(): Finding {
  const rules = loadZoneRules({ directory: process.env['TZDATA_DIR'] });
  const start = Date.UTC(2026, 0, 1);
  const cases = Array.from({ length: OURS_A_ROUND }, (_, index) => {
    const zone = ZONES[index % ZONES.length] ?? 'Etc/UTC';
    // Every 97 minutes over eight years: all hours of all days, changes of clocks included.
    const local = start + ((index * 97) % (8 * 365 * 24 * 60)) * MINUTE_MS;
    const { days, msOfDay } = splitLocal(local);
    const clock = { hour: Math.floor(msOfDay / HOUR_MS), minute: Math.floor(msOfDay / MINUTE_MS) % 60 };
    return { zone, table: requireZoneTable(zone, rules), local, object: { ...dateOfDays(days), ...clock } };
  });
  let sum = 0;
  let agreed = 0;
  const ours: number[] = [];
  const luxons: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(
      timed(() => {
        for (const { local, table } of cases) sum += resolveLocal(local, table, policyDefaults.dst).instant;
      }) / OURS_A_ROUND,
    );
    luxons.push(
      timed(() => {
        for (let index = 0; index < LUXONS_A_ROUND; index += 1) {
          const { zone, object } = cases[index] ?? { zone: 'Etc/UTC', object: {} };
          sum += DateTime.fromObject(object, { zone }).toMillis();
        }
      }) / LUXONS_A_ROUND,
    );
  }
  for (const { local, table, object, zone } of cases.slice(0, LUXONS_A_ROUND)) {
    const { instant, verdict } = resolveLocal(local, table, policyDefaults.dst);
    if (verdict !== 'exact' || DateTime.fromObject(object, { zone }).toMillis() === instant) agreed += 1;
  }
  // Where a wall time exists once there is one answer, and no speed without it; the sum keeps the work from being idle.
  if (agreed !== LUXONS_A_ROUND || sum === 0)
    throw new Error(`${LUXONS_A_ROUND - agreed} answers differ from luxon's`);
  const [our, luxon] = [median(ours), median(luxons)];
  const perSecond = (ms: number): string => `${Math.round(1 / ms) * 1_000}/s`;
  return {
    name: 'local times resolved against luxon’s DateTime.fromObject',
    value: luxon / our,
    unit: '×',
    bound: { kind: 'at least', value: 100 },
    detail: `ours ${perSecond(our)}, luxon ${perSecond(luxon)}, ${rules.source} ${rules.version}`,
  };
}
