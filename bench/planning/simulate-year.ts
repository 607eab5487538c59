// A year on the planner alone: each day 20 campaigns of different shapes, each in 40 zones. What a cell takes, and whether memory
// stays flat: no plan may leave anything behind.
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import type { Campaign, Segment } from '../../src/scheduler/decide/plan/campaign.js';
import { planCampaign } from '../../src/scheduler/decide/plan/plan.js';
import { noFacts, type PlanningProject } from '../../src/scheduler/decide/plan/plan-types.js';
import { policyDefaults, type Policy } from '../../src/scheduler/decide/timing/campaign-policy.js';
import { HOUR_MS, DAY_MS } from '../../src/zone-rules/civil.js';
import type { Finding } from '../measure.js';

const DAYS = 365;
const START = Date.UTC(2027, 0, 1);
const ZONES = 40;
const IDS_A_ZONE = 3;
/** Memory is compared after the first month, when everything is compiled and every table is built. */
const WARM_DAYS = 30;

const project: PlanningProject = {
  defaultZone: 'Asia/Seoul',
  maxTo: 1_000,
  principalZones: {},
  extensions: [],
  ratePerSecond: 100,
  reservations: true,
  minReserveLeadMs: 180_000,
  reserveHorizonMs: 30 * DAY_MS,
};

/** Five wall times, of which two are in the night and one is strange on some of them, by four policies. */
const TIMES = ['00:15', '02:30', '09:00', '13:45', '21:30'];
const quietHours = { startMinute: 22 * 60, endMinute: 8 * 60, action: 'defer' } as const;
const POLICIES: readonly (Partial<Policy> & { readonly isAd?: true })[] = [
  {},
  { isAd: true, night: 'defer', passedZone: { kind: 'next-day' } },
  { quietHours, jitterMs: 600_000, dst: { gap: 'skip', overlap: 'second' } },
  { pace: { perMinute: 10 }, handoff: 'hold' },
];

export function simulateYear(): Finding[] {
  const rules = loadZoneRules({ directory: process.env['TZDATA_DIR'] });
  const zones = rules
    .names()
    .filter((name) => name.includes('/'))
    .toSorted()
    .filter((_, index) => index % 10 === 0)
    .slice(0, ZONES);
  const segments = zones.map((zone) => ({
    zone,
    audience: {
      type: 'USER' as const,
      to: Array.from({ length: IDS_A_ZONE }, (_, index) => `${zone}-${index}`),
      deviceType: null,
      country: [],
    },
  }));
  let [cells, requests, warmMb] = [0, 0, 0];
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  for (let day = 0; day < DAYS; day += 1) {
    for (const campaign of campaignsOf(START + day * DAY_MS, segments)) {
      // The evening before, when the east has its day already.
      const now = START + day * DAY_MS - 12 * HOUR_MS;
      const plan = planCampaign({
        campaign,
        project,
        audience: noFacts,
        now,
        rules,
        revision: 1,
        isTaken: true,
      });
      cells += plan.totals.cells;
      requests += plan.totals.requests;
    }
    if (day === WARM_DAYS) warmMb = heapMb();
  }
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const grownMb = heapMb() - warmMb;
  const shapes = TIMES.length * POLICIES.length;
  const detail = `${cells} cells, ${requests} requests, ${shapes} shapes × ${zones.length} zones a day for ${DAYS} days`;
  return [
    {
      name: 'a year on the planner alone',
      value: seconds,
      unit: 's',
      bound: { kind: 'at most', value: 120 },
      detail,
    },
    {
      name: 'a cell on the planner alone, processor time',
      value: (user + system) / cells,
      unit: 'µs',
      bound: { kind: 'at most', value: 50 },
      detail,
    },
    {
      name: 'heap that eleven months of planning leave behind',
      value: Math.max(0, grownMb),
      unit: 'MB',
      bound: { kind: 'at most', value: 20 },
      detail: `${warmMb.toFixed(1)} MB after the first month`,
    },
  ];
}

function* campaignsOf(day: number, segments: readonly Segment[]): Generator<Campaign> {
  const date = new Date(day).toISOString().slice(0, 10);
  for (const time of TIMES) {
    for (const { isAd, ...policy } of POLICIES) {
      yield {
        serviceId: 'bench',
        campaignId: `${date}-${time}`,
        name: null,
        tags: [],
        messageType: isAd === true ? 'AD' : 'NOTIF',
        audience: null,
        message: { default: { content: '(광고) Hello' } },
        delivery: { kind: 'recipient', local: `${date}T${time}`, segments },
        policy: { ...policyDefaults, ...policy },
      };
    }
  }
}

/** Of what is still in use: garbage is collected before, where Node was started with --expose-gc. */
function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}
