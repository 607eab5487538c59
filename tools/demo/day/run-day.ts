// `npm run demo -- --day`: a day of campaigns in two minutes. Both services run on one fast clock. The tour uploads a list, publishes,
// approves, pauses and resumes as people would, says what happens on whose clock, and holds what devices got against the plan.
import { scheduler as timers } from 'node:timers/promises';
import { z } from 'zod';
import type { EpochMs, SystemClock } from '../../../src/platform/clock.js';
import { CLOSED_CAMPAIGN } from '../../../src/scheduler/decide/lifecycle/campaign-state.js';
import type { Endpoints } from '../../endpoints.js';
import { Management } from '../management.js';
import { publishEvents } from '../publish.js';
import type { Terminal } from '../terminal.js';
import { DayApi, type DayCell, type DaySend } from './day-api.js';
import { dayCampaigns, eventOf, NOON_MAX_LATE_MS, type Day, type DayCampaign } from './day-campaigns.js';
import { cellLine, dayLine, readingIn, shownInstant } from './day-words.js';
import { dayDifferences, expectedZones, type Delivery, type Pause } from './day-verdict.js';
import { TRAVELLERS, ZONES } from './travellers.js';

const POLL_EVERY_MS = 250;
/** Beyond this the tour gives up and shows what it has, real milliseconds after the last due. */
const GIVE_UP_AFTER_MS = 60_000;
/** A device has its message that long after its due at the latest: five real seconds at 720 times the speed. */
const ON_TIME_WITHIN_MS = 3_600_000;

const PAUSED = 'noon';
const APPROVED = 'good-morning';
const ENDED: ReadonlySet<string> = new Set(CLOSED_CAMPAIGN);
const Ledger = z.object({ balanced: z.boolean(), planned: z.object({ left: z.number() }) });

interface Running {
  readonly campaign: DayCampaign;
  readonly id: string;
  readonly cells: readonly DayCell[];
  sends: readonly DaySend[];
}

export interface DayDeps {
  readonly endpoints: Endpoints;
  readonly terminal: Terminal;
  /** The clock that both services run on. */
  readonly clock: SystemClock;
  readonly day: Day;
}

/** True when in every zone devices got what the plan said, and the ledger balances. */
export async function runDay(deps: DayDeps): Promise<boolean> {
  return new DayTour(deps).run();
}

class DayTour {
  readonly #api: DayApi;
  readonly #management: Management;
  readonly #shown = new Map<string, string>();
  #pause: Pause | undefined;

  constructor(private readonly deps: DayDeps) {
    this.#api = new DayApi(deps.endpoints);
    this.#management = new Management(deps.endpoints);
  }

  async run(): Promise<boolean> {
    const { day, terminal } = this.deps;
    await this.#until(day.opensAt, 'the day begins');
    const running = await this.#publish();
    await this.#approve(running);
    const acts = this.#pauseAndResume(running);
    // The tour ends with it where it fails.
    await Promise.race([acts, this.#follow(running)]);
    await acts;
    await this.#follow(running);
    terminal.wait('');
    return this.#verdict(running);
  }

  async #publish(): Promise<Running[]> {
    const { endpoints, terminal, clock, day } = this.deps;
    const list = await this.#api.uploadList();
    this.#say(`a list is uploaded: ${list.rows} users in ${list.byZone.length} zones`);
    const campaigns = dayCampaigns(day);
    const way = await publishEvents(
      endpoints,
      campaigns.map((campaign) => ({ ...eventOf(campaign, clock.now()), subject: campaign.subject })),
    );
    this.#say(`${campaigns.length} campaigns are published (${way})`);
    const planned = await this.#planned(campaigns);
    for (const { campaign, cells } of planned) {
      terminal.print(`\n${terminal.paint('bold', campaign.subject)}: ${campaign.shows}`);
      for (const cell of cells) terminal.print(cellLine(campaign, cell, terminal.paint));
    }
    terminal.print('');
    return planned;
  }

  async #planned(campaigns: readonly DayCampaign[]): Promise<Running[]> {
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    for (;;) {
      const found = await this.#api.campaigns();
      const known = campaigns.flatMap((campaign) => {
        const row = found.get(campaign.subject);
        return row === undefined || row.state === 'planning' ? [] : [{ campaign, id: row.id }];
      });
      if (known.length === campaigns.length) {
        const running = known.map(async (one) => ({
          ...one,
          cells: westward(await this.#api.cells(one.id)),
          sends: [],
        }));
        return Promise.all(running);
      }
      if (performance.now() > deadline) throw new Error('the campaigns were not planned within a minute');
      await timers.wait(POLL_EVERY_MS);
    }
  }

  async #approve(running: readonly Running[]): Promise<void> {
    const waiting = idOf(running, APPROVED);
    await this.#api.approve(waiting);
    this.#say(`${APPROVED.padEnd(13)} an operator approves it; until now nothing of it could leave`);
  }

  async #pauseAndResume(running: readonly Running[]): Promise<void> {
    const { day, clock } = this.deps;
    const id = idOf(running, PAUSED);
    await this.#until(day.pauseAt);
    const preview = await this.#api.previewAct(id, 'pause');
    await this.#api.act(id, 'pause', 'the restaurant burns');
    const from = clock.now();
    const [asked, gone] = [preview['askedOfPushService'], preview['tooLate']];
    this.#say(
      `${PAUSED.padEnd(13)} an operator pauses it; requests asked back: ${String(asked)}, gone already: ${String(gone)}`,
    );
    await this.#until(day.resumeAt);
    const { late } = z
      .object({ late: z.object({ expire: z.number(), send: z.number() }) })
      .parse(await this.#api.previewAct(id, 'resume'));
    this.#pause = { from, until: clock.now(), maxLateMs: NOON_MAX_LATE_MS };
    await this.#api.act(id, 'resume', 'lunch is ready');
    this.#say(
      `${PAUSED.padEnd(13)} an operator resumes it; late requests: ${late.send} to go, ${late.expire} to expire`,
    );
  }

  /** Says each end as it comes. Returns once every campaign has ended, or well after the last due. */
  async #follow(running: readonly Running[]): Promise<void> {
    const { day, clock, terminal } = this.deps;
    const rate = clock.rate;
    for (;;) {
      const states = await this.#api.campaigns();
      for (const one of running) {
        one.sends = await this.#api.sends(one.id);
        for (const send of one.sends) await this.#showEnd(one, send);
      }
      const open = running.filter(({ campaign }) => !ENDED.has(states.get(campaign.subject)?.state ?? ''));
      if (open.length === 0 || clock.now() > day.endsAt + GIVE_UP_AFTER_MS * rate) return;
      const names = open.map(({ campaign }) => campaign.subject).join(', ');
      terminal.wait(`${shownInstant(clock.now())}  ${names}`);
      await timers.wait(POLL_EVERY_MS);
    }
  }

  async #showEnd({ campaign }: Running, send: DaySend): Promise<void> {
    const { id, state, zone, requestId, dueAt, code } = send;
    if (zone === null || this.#shown.get(id) === state) return;
    this.#shown.set(id, state);
    const subject = campaign.subject.padEnd(13);
    if (state === 'sent' && requestId !== null && dueAt !== null) {
      const taken = await this.#deliveriesOf(send);
      const at = Math.min(...taken.map((delivery) => delivery.at));
      const lateMs = at - dueAt;
      const late = lateMs > ON_TIME_WITHIN_MS / 2 ? `, ${Math.round(lateMs / 60_000)} min late` : '';
      this.#say(`${subject} ${zone.padEnd(20)} ${readingIn(zone, at)}  on ${taken.length} phones${late}`);
    } else if (state === 'expired' || state === 'failed' || state === 'uncertain') {
      this.#say(`${subject} ${zone.padEnd(20)} ${state}${code === null ? '' : `: ${code}`}`);
    }
  }

  async #deliveriesOf({ requestId }: DaySend): Promise<Delivery[]> {
    if (requestId === null) return [];
    const rows = await this.#management.deliveries(requestId);
    return rows
      .filter(({ outcome }) => outcome === 'sent')
      .map(({ userId, handedAt }) => ({ userId: userId ?? '', at: Date.parse(handedAt) }));
  }

  async #verdict(running: readonly Running[]): Promise<boolean> {
    const { terminal } = this.deps;
    terminal.print('');
    let agreed = true;
    for (const { campaign, cells, sends } of running) {
      const planned = cells.map(({ zone, dueAt, skipped }) => ({
        zone,
        dueAt: skipped === null ? dueAt : null,
      }));
      const expected = expectedZones(planned, campaign.subject === PAUSED ? this.#pause : undefined);
      const deliveries = (await Promise.all(sends.map((send) => this.#deliveriesOf(send)))).flat();
      const differences = dayDifferences(expected, { deliveries, travellers: TRAVELLERS }, ON_TIME_WITHIN_MS);
      agreed &&= differences.length === 0;
      const zones = expected.filter(({ dueAt }) => dueAt !== null).length;
      const asPlanned = `as planned: ${deliveries.length} phones in ${zones} zones, none in ${expected.length - zones}`;
      const name = campaign.subject.padEnd(13);
      if (differences.length === 0) terminal.print(`${name} ${terminal.paint('green', asPlanned)}`);
      for (const difference of differences)
        terminal.print(`${name} ${terminal.paint('red', `NOT as planned: ${difference}`)}`);
    }
    const { balanced, planned } = Ledger.parse(await this.#api.get('/v1/ledger'));
    terminal.print(
      `the ledger ${balanced ? 'balances' : 'does NOT balance'} over ${planned.left} planned sends`,
    );
    return agreed && balanced;
  }

  /** Resolves once the services' clock shows that instant. */
  async #until(at: EpochMs, waitingFor?: string): Promise<void> {
    const { clock, terminal } = this.deps;
    if (waitingFor !== undefined) terminal.wait(`${shownInstant(clock.now())}  ${waitingFor}`);
    await new Promise<void>((resolve) => clock.at(at, resolve));
  }

  #say(sentence: string): void {
    this.deps.terminal.print(dayLine(this.deps.clock.now(), sentence));
  }
}

function idOf(running: readonly Running[], subject: string): string {
  const found = running.find(({ campaign }) => campaign.subject === subject);
  if (found === undefined) throw new Error(`the tour has no campaign ${subject}`);
  return found.id;
}

function westward(cells: readonly DayCell[]): DayCell[] {
  return cells.toSorted((one, other) => ZONES.indexOf(one.zone) - ZONES.indexOf(other.zone));
}
