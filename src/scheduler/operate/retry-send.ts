// Retrying one send that ended badly: asks the push service once more whether anybody got it, and then makes one new send for the
// same chunk. Never changes the old send.
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { count } from '../../platform/http/zod-schemas.js';
import { Problem } from '../../platform/http/problem.js';
import { notCalledProblem } from '../push-client/blocks/not-called-problem.js';
import {
  makeRetries,
  REFUSALS,
  retryCandidates,
  type RetryCandidate,
  type RetryRefusal,
} from '../store/send/retry.store.js';
import { writeAudit } from '../store/audit.store.js';
import { noSuchSend, sendById, SendView } from '../store/read/send-view.store.js';
import type { AskDelivered } from './ask-delivered.js';

export interface RetryDeps {
  readonly database: Database;
  readonly askDelivered: AskDelivered;
  readonly clock: Clock;
}

export interface RetryAsk {
  readonly send: string;
  readonly who: string;
  readonly holds: (serviceId: string) => boolean;
  /** Retry even if some devices got it already. */
  readonly acceptDuplicates: boolean;
}

/** The new send. */
export const RetriedSend = SendView.extend({
  duplicates: count.describe('Devices that got the old send as well'),
}).meta({ id: 'RetriedSend' });
export type RetriedSend = z.output<typeof RetriedSend>;

export class RetrySend {
  constructor(private readonly deps: RetryDeps) {}

  /**
   * Throws 404 for an unknown or foreign send, 409 with the reason where it may not be retried, 502 RESULT_UNREAD where the push
   * service does not say whether anybody got it, and 409, 429 or 503 where it cannot be asked now.
   */
  async run({ send, who, holds, acceptDuplicates }: RetryAsk): Promise<RetriedSend> {
    const { database, clock } = this.deps;
    const [found] = await retryCandidates(database, [send]);
    if (found === undefined || !holds(found.serviceId)) throw await noSuchSend(database, send);
    if (found.refusal !== null) throw refused(found.refusal, found);
    const duplicates = await this.#delivered(found);
    if (duplicates > 0 && !acceptDuplicates) {
      const text = `${duplicates} devices got it: send acceptDuplicates: true to retry`;
      throw new Problem(409, 'DELIVERED_TO_SOME', text, { details: { sentCount: duplicates } });
    }
    const now = clock.now();
    const made = await database.transaction(async (sql) => {
      const order = { now, by: who, nextDue: () => now };
      const retry = (await makeRetries(sql, [found.id], order)).get(found.id);
      if (typeof retry !== 'object') return retry;
      // The send's state is still the one that was read: only its retry changes a send that has ended.
      const { serviceId, state, retries } = found;
      await writeAudit(sql, {
        at: new Date(now),
        who,
        action: 'send.retry',
        target: found.id,
        serviceId,
        before: { state, retries },
        after: { send: retry.id, dueAt: new Date(retry.dueAt), retries: retries + 1, duplicates },
      });
      return retry;
    });
    if (made === undefined || typeof made === 'string') throw refused(made ?? 'PAST_RETENTION', found);
    const view = await sendById(database, made.id);
    if (view === undefined) throw new Error(`the retry ${made.id} is gone`);
    return { ...view, duplicates };
  }

  /** How many devices got it. */
  async #delivered({ serviceId, askAbout }: RetryCandidate): Promise<number> {
    if (askAbout === null) return 0;
    const delivered = await this.deps.askDelivered(serviceId, askAbout);
    const { kind } = delivered;
    if (kind === 'final') return delivered.sentCount;
    if (kind === 'pending')
      throw new Problem(409, 'RESULT_NOT_FINAL', 'the push service is still sending it');
    if (kind === 'blocked' || kind === 'no-turn') throw notCalledProblem(delivered, this.deps.clock.now());
    const text = `the push service did not say whether anybody got it: ${delivered.detail}`;
    throw new Problem(502, 'RESULT_UNREAD', text);
  }
}

function refused(code: RetryRefusal, { state, retries }: RetryCandidate): Problem {
  return new Problem(409, code, REFUSALS[code], { details: { state, retries } });
}
