// What a publisher over HTTP is warned of beside a verdict: the warnings of a dry run that looks nothing up (campaign-events.md,
// "Warnings"). Comes after the events are kept and never changes a verdict.
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import { asError } from '../../platform/error-code.js';
import type { Log } from '../../platform/log.js';
import type { PlanChecker } from '../decide/plan/campaign-draft.js';
import type { PlanWarning } from '../decide/plan/plan-types.js';
import type { Verdict } from './write-batch.js';

/** Of one request. A plan may take as long as this; a batch holds 1 000. Beyond it none is begun. */
const BUDGET_MS = 1_000;

export interface WarnOfTakenParts {
  readonly plans: Pick<PlanChecker, 'warnings'>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Pick<Log, 'warn'>;
}

export class WarnOfTaken {
  constructor(private readonly parts: WarnOfTakenParts) {}

  /** In the order of `verdicts`. Null: not asked, for time was up or the dry run failed; what is planned has them. */
  async of(verdicts: readonly Verdict[]): Promise<(readonly PlanWarning[] | null)[]> {
    const { clock } = this.parts;
    const end = clock.elapsed() + BUDGET_MS;
    const all: (readonly PlanWarning[] | null)[] = [];
    for (const verdict of verdicts) {
      if (verdict.kind !== 'accepted' || verdict.toPlan === null) all.push([]);
      else all.push(clock.elapsed() < end ? await this.#of(verdict.toPlan, verdict) : null);
    }
    return all;
  }

  async #of(
    toPlan: Parameters<PlanChecker['warnings']>[0],
    { campaign, trace }: Extract<Verdict, { kind: 'accepted' }>,
  ): Promise<readonly PlanWarning[] | null> {
    try {
      // Sends may be due meanwhile.
      await othersFirst();
      return await this.parts.plans.warnings(toPlan);
    } catch (error) {
      // The event is taken: an answer that says otherwise would be wrong.
      this.parts.log.warn(
        { err: asError(error), campaign, trace },
        'no warnings for the answer: the dry run failed',
      );
      return null;
    }
  }
}
