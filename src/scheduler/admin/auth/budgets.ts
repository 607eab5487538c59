// How much one token, and all tokens of one service together, may ask of this process in a minute (429 BUDGET_SPENT). Over Kafka
// nobody waits for an answer: docs/decisions/0063 has the bounds there.
import type { Counter } from 'prom-client';
import type { Clock } from '../../../platform/clock.js';
import { budgetSpent } from '../../../platform/http/lack-of-turns.js';
import { Problem } from '../../../platform/http/problem.js';
import { TokenBuckets, type Wish } from '../../../platform/token-buckets.js';
import type { CallerIdentity, RequestsLeft } from './caller.js';

/** What a token may use in a minute, by the settings BUDGET_…; all tokens of a service together have SERVICE_TIMES as much. */
export interface BudgetSizes {
  readonly requests: number;
  readonly plans: number;
  readonly cells: number;
  /** Units of 1 000 bytes of events, also of refused ones: all are kept. */
  readonly kilobytes: number;
}
type Budget = keyof BudgetSizes;

/** A plan that is asked for: a dry run, or an event to be planned. */
export interface AskedPlan {
  readonly serviceId: string;
  /** The most cells it may have, counted before anything is expanded. */
  readonly cells: number;
}

const SERVICE_TIMES = 2;

interface BudgetWish extends Wish {
  readonly budget: Budget;
  /** The owner of the budget, in words for the caller. */
  readonly of: string;
}

export class Budgets {
  readonly #buckets: TokenBuckets;

  constructor(
    private readonly sizes: BudgetSizes,
    clock: Pick<Clock, 'elapsed'>,
    private readonly spent: Pick<Counter<'budget'>, 'inc'>,
  ) {
    this.#buckets = new TokenBuckets(clock);
  }

  takeRequest(caller: CallerIdentity): void {
    this.#takeOfAll('requests', caller, 1);
  }

  /** Of the budget of requests that has the least left: the token's, or that of a service that it names. */
  requestsLeft(caller: CallerIdentity): RequestsLeft {
    const all = this.#ofAll('requests', caller, 1).map((wish) => ({
      ...wish,
      left: this.#buckets.left(wish),
    }));
    const least = all.reduce((one, other) => (other.left < one.left ? other : one));
    const { size: limit, perSecond, left } = least;
    return { limit, remaining: Math.floor(left), resetSeconds: Math.ceil((limit - left) / perSecond) };
  }

  /** `bytes` of a body with events. */
  takeEvents(caller: CallerIdentity, bytes: number): void {
    this.#takeOfAll('kilobytes', caller, bytes / 1_000);
  }

  /** Takes all of them or none. Throws BUDGET_SPENT, or 413 where they are more than a whole budget. */
  takePlans(caller: CallerIdentity, plans: readonly AskedPlan[]): void {
    if (plans.length === 0) return;
    const byService = new Map<string, AskedPlan[]>();
    for (const plan of plans) byService.set(plan.serviceId, [...(byService.get(plan.serviceId) ?? []), plan]);
    this.#take([
      this.#ofToken('plans', caller, plans.length),
      this.#ofToken('cells', caller, cellsOf(plans)),
      ...[...byService].flatMap(([serviceId, own]) => [
        this.#ofService('plans', serviceId, own.length),
        this.#ofService('cells', serviceId, cellsOf(own)),
      ]),
    ]);
  }

  /** Throws BUDGET_SPENT. Takes from the token's budget, and from that of each service that the token names. */
  #takeOfAll(budget: Budget, caller: CallerIdentity, amount: number): void {
    this.#take(this.#ofAll(budget, caller, amount));
  }

  #ofAll(budget: Budget, caller: CallerIdentity, amount: number): [BudgetWish, ...BudgetWish[]] {
    const services = caller.holdsEverything ? [] : caller.serviceIds;
    return [
      this.#ofToken(budget, caller, amount),
      ...services.map((serviceId) => this.#ofService(budget, serviceId, amount)),
    ];
  }

  #ofToken(budget: Budget, { tokenId }: CallerIdentity, amount: number): BudgetWish {
    const size = this.sizes[budget];
    return {
      budget,
      of: 'this token',
      name: `${budget} token ${tokenId}`,
      amount,
      size,
      perSecond: size / 60,
    };
  }

  #ofService(budget: Budget, serviceId: string, amount: number): BudgetWish {
    const size = SERVICE_TIMES * this.sizes[budget];
    const of = `the service ${serviceId}`;
    return { budget, of, name: `${budget} service ${serviceId}`, amount, size, perSecond: size / 60 };
  }

  #take(wishes: readonly BudgetWish[]): void {
    const lack = this.#buckets.take(wishes);
    if (lack === undefined) return;
    const { budget, of, size, amount } = lack.lacking;
    this.spent.inc({ budget });
    const words = `${size} ${budget} a minute (BUDGET_${budget.toUpperCase()})`;
    if (lack.waitMs === Infinity) {
      const text = `${amount} ${budget} are more than the whole budget of ${of}, ${words}: ask for less at once`;
      throw new Problem(413, 'TOO_LARGE', text);
    }
    const retryAfterSeconds = Math.max(1, Math.ceil(lack.waitMs / 1_000));
    throw budgetSpent(`${of} has spent its budget of ${words}`, retryAfterSeconds);
  }
}

const cellsOf = (plans: readonly AskedPlan[]): number => plans.reduce((sum, { cells }) => sum + cells, 0);
