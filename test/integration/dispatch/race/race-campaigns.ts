// The campaigns of the race, accepted and planned on a hundred days: three projects, one occurrence or two, a send for
// each user.
import type { PlanWorld } from '../../../support/scheduler/plan-world.js';
import { addPastDays } from '../../../../tools/past-days.js';
import { MANNERS, type RaceGateway } from './race-gateway.js';
import type { World } from '../../../support/scheduler/world.js';

const DAY = 86_400_000;
const MINUTE = 60_000;
export const DAYS = 100;
/** Recurrences are planned at most this far ahead. */
const AHEAD_DAYS = 34;
export const PROJECTS = ['shop', 'bank', 'club'] as const;

/** One each. */
export const keyOf = (serviceId: string): string => `key-of-${serviceId}`;
const secretOf = (serviceId: string): string => `secret-of-${serviceId}`;

export class RaceCampaigns {
  #count = 0;

  private constructor(
    private readonly plans: PlanWorld,
    private readonly random: () => number,
    private readonly today: number,
  ) {}

  static async open(
    { world, plans, random }: { world: World; plans: PlanWorld; random: () => number },
    gateway: RaceGateway,
  ): Promise<RaceCampaigns> {
    const today = Date.now();
    await addPastDays(world.dataSource, today - DAYS * DAY, DAYS + 1);
    for (const serviceId of PROJECTS) {
      gateway.know(keyOf(serviceId), secretOf(serviceId));
      // A send has one id: the race is of many fires of few sends each.
      const columns = { max_to: 1, in_flight: 6, rate_per_second: 600, max_retries: 3 };
      await world.project({ service_id: serviceId, base_url: gateway.url, ...columns }, [
        [keyOf(serviceId), secretOf(serviceId)],
      ]);
    }
    return new RaceCampaigns(plans, random, today);
  }

  /** One for each day, due at a random instant of that time. */
  async furnish(from: number, lastMs: number): Promise<void> {
    for (let days = 1; days <= DAYS; days += 1) await this.add(days, from + this.#below(lastMs));
  }

  /** Planned this many days ago; the first occurrence of a recurrence is a minute late by then. */
  async add(days: number, dueAt: number): Promise<void> {
    const { plans } = this;
    plans.clock.set(this.today - days * DAY);
    const twice = days <= AHEAD_DAYS && this.random() < 0.5;
    const first = twice ? dueAt - MINUTE : dueAt;
    const minutes = [first, dueAt].map((at) => new Date(at).getUTCMinutes()).join(',');
    await plans.accepted({
      serviceId: PROJECTS[this.#below(PROJECTS.length)] ?? 'shop',
      audience: { type: 'USER', to: this.#users(), deviceType: null, country: [] },
      delivery: {
        kind: 'instant',
        // A rule counts in seconds.
        at: Math.floor(first / 1_000) * 1_000,
        ...(twice && { recurrence: `FREQ=HOURLY;BYMINUTE=${minutes};COUNT=2` }),
      },
      policy: { handoff: 'hold' },
    });
    await plans.planDue.runOnce();
  }

  /** On a random day. */
  async addAnother(dueAt: number): Promise<void> {
    await this.add(1 + this.#below(DAYS), dueAt);
  }

  #users(): string[] {
    return Array.from({ length: 3 + this.#below(4) }, () => {
      this.#count += 1;
      return `${MANNERS[this.#below(MANNERS.length)]} ${this.#count}`;
    });
  }

  #below(most: number): number {
    return Math.floor(this.random() * most);
  }
}
