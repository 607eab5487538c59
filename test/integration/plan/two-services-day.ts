// Leads the journeys through the same days together: each is previewed and published on the first midnight, then both
// services' clocks stand at every instant that any preview names, and at each the push service is let finish.
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/scheduler/intake-world.js';
import { PEOPLE, type Journey } from './preview-cases.js';
import {
  campaignOf,
  dataOf,
  START,
  type Cell,
  type Plan,
  type Taken,
  type TwoServices,
} from '../../support/scheduler/two-services.js';

/** One request as a preview foresees it, and as the push service has it. */
export interface Asked {
  readonly cell: string;
  readonly kind: string;
  readonly at: string | null;
  readonly target: Json;
}

export interface Led {
  readonly previewed: Plan;
  readonly campaign: string;
  readonly state: string;
  /** By the preview alone. */
  readonly foreseen: readonly Asked[];
  /** The push service's own list, each request named by the cell of the send that knows it. */
  readonly asked: readonly Asked[];
  /** `who MM-DD HH:mm[:ss]`. */
  readonly got: readonly string[];
  readonly sends: readonly SendShown[];
}

export interface SendShown {
  readonly occurrence: string;
  readonly cell: string;
  readonly chunk: number;
  readonly state: string;
  readonly code: string | null;
  readonly requestId: string | null;
}

interface UnderWay {
  readonly journey: Journey;
  readonly service: string;
  readonly previewed: Plan;
  readonly campaign: string;
  readonly foreseen: readonly (Asked & { readonly leavesAt: number })[];
}

export interface Days {
  readonly led: ReadonlyMap<string, Led>;
  /** Requests that no send of a journey knows of. */
  readonly strangers: readonly Taken[];
}

export async function leadThroughDays(world: TwoServices, journeys: readonly Journey[]): Promise<Days> {
  const services = new Map<string, string>();
  const underWay: UnderWay[] = [];
  for (const journey of journeys) {
    const settings = JSON.stringify(journey.project ?? {});
    const service = services.get(settings) ?? (await peopled(world, journey.project));
    services.set(settings, service);
    underWay.push(await begin(world, journey, service));
  }
  const stops = underWay.flatMap(({ journey, foreseen }) => [
    ...(journey.stops ?? []).map((stop) => Date.parse(stop)),
    ...foreseen.flatMap(({ at, leavesAt }) => [leavesAt, ...(at === null ? [] : [Date.parse(at)])]),
  ]);
  const states = new Map<string, string>();
  for (const { campaign } of underWay) states.set(campaign, await world.planned(campaign));
  const stuck = new Set<string>();
  for (const stop of [...new Set([START, ...stops])].toSorted((a, b) => a - b)) {
    await world.step(stop);
    for (const service of await late(world, underWay, stop, stuck)) stuck.add(service);
  }
  await world.moveTo(START);
  const taken = new Map((await world.taken()).map((one) => [one.requestId, one]));
  const led = new Map<string, Led>();
  for (const one of underWay) {
    const outcome = await outcomeOf(world, one, states.get(one.campaign) ?? '', taken);
    led.set(one.journey.what, outcome);
    for (const { requestId } of outcome.sends) taken.delete(requestId ?? '');
  }
  return { led, strangers: [...taken.values()] };
}

/** A service of the push service where the people and the schedule are registered, and its push project. */
async function peopled(world: TwoServices, settings: Json | undefined): Promise<string> {
  const client = await world.project(settings);
  await client.post('channels', { channelName: 'vip' });
  await client.post('schedules', {
    scheduleCode: 'WEEKLY',
    scheduleTime: '21:34',
    dayOfWeeks: ['MON'],
    startDate: '2027-03-01',
    endDate: '2027-03-08',
  });
  for (const { userId, country, hours, vip = true, agrees = true, ...person } of PEOPLE) {
    const made = await client.register({
      userId,
      country,
      timezone: hours * 3_600,
      ...(vip && { channelName: 'vip' }),
      deviceType: person.deviceType ?? 'GCM',
      isNotificationAgreement: agrees,
      isAdAgreement: agrees,
      isNightAdAgreement: agrees && (person.nightAd ?? true),
    });
    if (made.status !== 201) throw new Error(made.text);
  }
  return client.serviceId;
}

async function begin(world: TwoServices, journey: Journey, service: string): Promise<UnderWay> {
  const data = dataOf({ ...journey.data, serviceId: service });
  if (journey.lookedUp === true) await lookUp(world, data);
  const answer = await world.preview(data, '?limit=500');
  if (answer.status !== 200) throw new Error(`${journey.what}: ${JSON.stringify(answer.body)}`);
  const previewed = answer.body as Plan;
  const accepted = await world.publish({ ...data, planHash: previewed.planHash });
  if (accepted.status !== 202) throw new Error(`${journey.what}: ${JSON.stringify(accepted.body)}`);
  const campaign = campaignOf(accepted);
  return {
    journey,
    service,
    previewed,
    campaign,
    foreseen: previewed.items.flatMap((cell) => foreseenOf(cell, data)),
  };
}

/** A dry run looks nobody up: an earlier campaign to the same people does, which is due long after these days. */
async function lookUp(world: TwoServices, data: Json): Promise<void> {
  const later = { ...data, delivery: { ...(data['delivery'] as Json), at: '2027-06-01T12:00' } };
  const campaign = campaignOf(await world.publish(later));
  await world.planned(campaign);
}

/** The requests of a cell as the preview shows them; they differ only by a pace. */
function foreseenOf(cell: Cell, data: Json): (Asked & { leavesAt: number })[] {
  if (cell.skipped !== null || 'expired' in cell.verdicts) return [];
  const { pace } = (data['policy'] ?? {}) as { pace?: { perMinute: number } };
  const standing = cell.mode === 'scheduled';
  const dues = Array.from({ length: cell.requests - skippedOf(cell).length }, (_, chunk) => {
    if (standing || pace === undefined) return Math.max(Date.parse(cell.dueAt), START);
    const step = 60_000 / pace.perMinute;
    const after = cell.mode === 'reserved' ? Math.floor(chunk / pace.perMinute) * 60_000 : chunk * step;
    return Date.parse(cell.dueAt) + after;
  });
  const last = Math.max(...dues);
  if (!standing) expect(Math.max(Date.parse(String(cell.verdicts['lastDueAt'])), START)).toBe(last);
  return dues.map((due) => ({
    cell: `${cell.occurrence} ${cell.cell}`,
    kind: cell.mode,
    at: standing ? null : new Date(due).toISOString(),
    target: inOrder(cell.target),
    leavesAt: cell.mode === 'immediate' ? due : Date.parse(cell.handOffAt),
  }));
}

/** The codes of the requests that a pace pushed too far, the last of the cell. */
export function skippedOf({ verdicts }: Cell): string[] {
  return Object.entries((verdicts['skippedRequests'] ?? {}) as Record<string, number>).flatMap(
    ([code, count]) => Array.from({ length: count }, () => code),
  );
}

function inOrder(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== null && value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * Waits until every request that was foreseen up to now has left and reached its devices. Returns the services where this does not
 * happen: nobody waits for them again, and the comparison of their requests shows why.
 */
async function late(
  world: TwoServices,
  underWay: readonly UnderWay[],
  now: number,
  stuck: ReadonlySet<string>,
): Promise<readonly string[]> {
  const nowText = new Date(now).toISOString().slice(5, 19).replace('T', ' ');
  const due = new Map<string, { leave: number; get: number }>();
  for (const { service, foreseen, journey } of underWay) {
    const { leave, get } = due.get(service) ?? { leave: 0, get: 0 };
    due.set(service, {
      leave: leave + foreseen.filter(({ leavesAt }) => leavesAt <= now).length,
      get: get + journey.gets.filter((line) => line.slice(line.indexOf(' ') + 1) <= nowText).length,
    });
  }
  let waiting: string[] = [];
  await eventually(
    async () => {
      const counts = await world.counts();
      waiting = [...due].flatMap(([service, { leave, get }]) => {
        const { taken, open, handed } = counts.get(service) ?? { taken: 0, open: 0, handed: 0 };
        return !stuck.has(service) && (taken < leave || open > 0 || handed < get) ? [service] : [];
      });
      return waiting.length === 0;
    },
    { withinMs: 45_000, everyMs: 40 },
  ).catch(() => undefined);
  return waiting;
}

async function outcomeOf(
  world: TwoServices,
  { campaign, previewed, foreseen }: UnderWay,
  state: string,
  taken: ReadonlyMap<string, Taken>,
): Promise<Led> {
  const sends = await world.all<SendShown>(`/v1/campaigns/${campaign}/sends`, 100);
  const asked: Asked[] = [];
  const got: string[] = [];
  for (const { requestId, occurrence, cell } of sends) {
    const request = taken.get(requestId ?? '');
    if (request === undefined) continue;
    const { kind, fireAt } = request;
    const { to, ...target } = request.target;
    asked.push({
      cell: `${occurrence} ${cell}`,
      kind,
      at: fireAt === null ? null : fireAt.toISOString(),
      target: inOrder(target.type === 'USER' ? target : { ...target, to }),
    });
    for (const { userId, outcome, handedAt } of await world.stage.management.deliveries(request.requestId)) {
      const at = handedAt
        .slice(5, 19)
        .replace('T', ' ')
        .replace(/(?<=:\d\d):00$/, '');
      got.push(`${userId ?? '?'} ${at}${outcome === 'sent' ? '' : ` ${outcome}`}`);
    }
  }
  return {
    previewed,
    campaign,
    state,
    sends,
    foreseen: foreseen.map(({ leavesAt: _leavesAt, ...one }) => one).toSorted(byText),
    asked: asked.toSorted(byText),
    got: got.toSorted(),
  };
}

function byText(one: Asked, other: Asked): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
