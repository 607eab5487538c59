// The warnings that a publisher over HTTP gets with a verdict: those of a dry run that looks nothing up (warnings.md,
// "Warnings"). Runs after the events are kept, and never changes a verdict.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import { asError } from '../../platform/logging/error-code.js';
import type { Log } from '../../platform/logging/log.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { PlanChecker } from '../decide/plan/plan-ports.js';
import type { PlanWarning } from '../decide/plan/plan-types.js';
import type { Verdict } from './write-batch.js';

/** After this time, no further dry run of the request begins. A single dry run may take as long, and a batch has up to 1 000 events. */
const BUDGET_MS = 1_000;

type Warnings = readonly PlanWarning[] | null;

export class WarnOfTaken {
  constructor(
    private readonly plans: Pick<PlanChecker, 'warnings'>,
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  /** In the order of `verdicts`. Null: unknown, because time was up or the dry run failed; the plan will have them. */
  async of(verdicts: readonly Verdict[]): Promise<Warnings[]> {
    const { clock } = this;
    const end = clock.elapsed() + BUDGET_MS;
    const all: Warnings[] = [];
    for (const verdict of verdicts) {
      if (verdict.kind !== 'accepted' || verdict.toPlan === null) all.push([]);
      else all.push(clock.elapsed() < end ? await this.#of(verdict.toPlan, verdict) : null);
    }
    return all;
  }

  async #of(
    toPlan: Campaign,
    { campaign, trace }: Extract<Verdict, { kind: 'accepted' }>,
  ): Promise<Warnings> {
    try {
      // A send of this process may be due.
      await yieldToOthers();
      return await this.plans.warnings(toPlan);
    } catch (error) {
      // The event is taken, whatever happens here, and the answer must say so.
      const text = 'no warnings for the answer: the dry run failed';
      this.log.warn({ err: asError(error), campaign, trace }, text);
      return null;
    }
  }
}
