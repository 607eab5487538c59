// The provider of tests and demos (push-decisions.md, "Providers"). It accepts every token except those whose names say
// otherwise. The only trace of what it took is the delivery row, written with the outcome. So no answer of it is ever in doubt.
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.js';
import { isOver } from '../deadlines.js';
import type {
  CredentialReport,
  Job,
  Outcome,
  Provider,
  Readiness,
  Target,
  DeliveryCallbacks,
} from '../provider-port.js';

const SENT: Outcome = { kind: 'sent' };
const REJECTED: Outcome = { kind: 'failed', reason: 'REJECTED' };
const UNREGISTERED: Outcome = { kind: 'gone', reason: 'UNREGISTERED' };
const STOPPED: Outcome = { kind: 'retry', reason: 'STOPPED', afterMs: 0 };

/** How long a `slow-` token takes, real milliseconds. */
const SLOW_MS = 2_000;

export class SandboxProvider implements Provider {
  readonly lostAnswerIs = 'again';

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  readiness(): Readiness {
    return 'answering';
  }

  async deliver(job: Job, targets: readonly Target[], to: DeliveryCallbacks): Promise<void> {
    const slow: Target[] = [];
    for (const target of targets) {
      if (to.signal.aborted) to.report(target.place, STOPPED);
      else if (target.token.startsWith('slow-')) slow.push(target);
      else to.report(target.place, this.#take(job, target));
    }
    if (slow.length === 0) return;
    await wait(SLOW_MS, undefined, { signal: to.signal }).catch(() => undefined);
    for (const target of slow) to.report(target.place, to.signal.aborted ? STOPPED : this.#take(job, target));
  }

  check(): Promise<CredentialReport> {
    return Promise.resolve({ good: true, says: 'The sandbox takes every token.' });
  }

  #take(job: Job, { token }: Target): Outcome {
    const over = isOver(job, this.clock);
    if (over !== undefined) return over;
    if (token.startsWith('fail-')) return REJECTED;
    return token.startsWith('gone-') ? UNREGISTERED : SENT;
  }
}
