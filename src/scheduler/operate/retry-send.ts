// Retrying one send that ended badly: asks the push service once more whether anybody got it, then makes a new send for
// the same chunk, once. Never touches the old one.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database.js';
import { notFound, Problem } from '../../platform/problem.js';
import { writeAudit } from '../store/audit.store.js';
import { notCalledProblem } from '../push-client/not-called-problem.js';
import type { ProjectStore } from '../store/project.store.js';
import { insertRetries, lockCampaigns, retryCandidates, type RetryCandidate } from '../store/retry.store.js';
import { sendById, type SendView } from '../store/send-view.store.js';
import type { AskDelivered, Delivered } from './ask-delivered.js';
import { ALREADY_RETRIED, mayHaveArrived, refuseRetry, type RetryRefusal } from './judge-retry.js';

export interface RetryParts {
  readonly database: Database;
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly askDelivered: AskDelivered;
  readonly clock: Clock;
}

export interface RetryAsk {
  readonly send: string;
  readonly who: string;
  readonly holds: (serviceId: string) => boolean;
  /** Some devices got it already, and are to get it again. */
  readonly acceptDuplicates: boolean;
}

/** The new send; `duplicates`: devices that got the old one as well. */
export type RetriedSend = SendView & { readonly duplicates: number };

export class RetrySend {
  constructor(private readonly parts: RetryParts) {}

  /**
   * Throws 404 for an unknown or foreign send, 409 with the reason where it may not be retried, 502 RESULT_UNREAD when
   * the push service does not say whether anybody got it, 409, 429 or 503 where it cannot be asked now.
   */
  async run(ask: RetryAsk): Promise<RetriedSend> {
    const { database, projects } = this.parts;
    const [found] = await retryCandidates(database, [ask.send]);
    if (found === undefined || !ask.holds(found.serviceId)) throw notFound('send');
    refuse(found, (await projects.get(found.serviceId))?.maxRetries ?? 0);
    const delivered = await this.#delivered(found);
    if (delivered > 0 && !ask.acceptDuplicates) {
      throw new Problem(
        409,
        'DELIVERED_TO_SOME',
        `${delivered} devices got it: send acceptDuplicates: true to retry`,
        {
          details: { sentCount: delivered },
        },
      );
    }
    const id = await database.transaction((sql) => this.#retry(sql, found, ask.who, delivered));
    const made = await sendById(database, id);
    if (made === undefined) throw new Error(`the retry ${id} is gone`);
    return { ...made, duplicates: delivered };
  }

  /** Devices that got it. */
  async #delivered(found: RetryCandidate): Promise<number> {
    const { serviceId, requestId } = found;
    if (requestId === null || !mayHaveArrived(found)) return 0;
    const delivered: Delivered = await this.parts.askDelivered(serviceId, requestId);
    if (delivered.kind === 'final') return delivered.sentCount;
    if (delivered.kind === 'blocked' || delivered.kind === 'no-turn')
      throw notCalledProblem(delivered, this.parts.clock.now());
    throw delivered.kind === 'pending'
      ? new Problem(409, 'RESULT_NOT_FINAL', 'the push service is still sending it')
      : new Problem(
          502,
          'RESULT_UNREAD',
          `the push service did not say whether anybody got it: ${delivered.detail}`,
        );
  }

  async #retry(
    sql: Sql,
    { id: of, campaign, serviceId }: RetryCandidate,
    who: string,
    delivered: number,
  ): Promise<string> {
    await lockCampaigns(sql, [campaign]);
    // Once more under the lock: a cancel may have come while the push service was asked.
    const [now] = await retryCandidates(sql, [of]);
    if (now === undefined) throw notFound('send');
    refuse(now, Infinity);
    const at = this.parts.clock.now();
    const id = v7({ msecs: at });
    const made = await insertRetries(sql, [{ of, id, dueAt: at }], at, who);
    if (made.length === 0) throw conflict(ALREADY_RETRIED);
    await writeAudit(sql, {
      at: new Date(at),
      who,
      action: 'send.retry',
      target: of,
      serviceId,
      before: { state: now.state, retries: now.retries },
      after: { send: id, duplicates: delivered },
    });
    return id;
  }
}

/** Throws the 409 that says why this send is not retried. */
function refuse(found: RetryCandidate, maxRetries: number): void {
  const refusal = refuseRetry(found, maxRetries);
  if (refusal !== undefined) throw conflict(refusal);
}

function conflict({ code, text, details }: RetryRefusal): Problem {
  return new Problem(409, code, text, details === undefined ? {} : { details });
}
