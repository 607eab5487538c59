// Repeats requests whose answer was lost, under the same Idempotency-Key and with the same body: a gateway that took the
// first request returns its first answer. Never repeats a request to a gateway without that extension.
import { v7 } from 'uuid';
import type { BatchWriter } from '../../platform/database/batch-writer.js';
import { isUndone } from '../../platform/database/database-away.js';
import { isNotLeft, type PushAnswer } from '../push-client/push-api.js';
import { nextAttempt } from '../decide/lifecycle/back-off.js';
import { endAttempts, type RecordedAnswer } from '../store/send/answer.store.js';
import {
  dueRepeats,
  restRepeats,
  endUncalled,
  fireRepeat,
  resendUncertain,
  type DueRepeat,
  type FiredRepeat,
} from '../store/send/repeat.store.js';
import { answerWriter } from './answer-writer.js';
import { buildRequest } from './build-request.js';
import { beginPushCall, endPushCall } from './push-call.js';
import type { DispatchDeps } from './dispatch-deps.js';
import type { SendAnswer } from '../push-client/answers/read-send-answer.js';
import { requestKey } from './request-key.js';
import { RevisionCache } from './revision-cache.js';

export interface RepeatDeps extends Pick<
  DispatchDeps,
  'sql' | 'pushApi' | 'calls' | 'clock' | 'log' | 'tracing' | 'replica' | 'mayLeave'
> {
  /** The longest that a call takes, real milliseconds. */
  readonly timeoutMs: number;
}

/** The most repeats, and the most sends to be sent again, of all projects in one round: both are rare. */
const AT_ONCE = 16;
const BY = 'dispatch-repeat';

export class RepeatUncertain {
  readonly #revisions: RevisionCache;
  /** Keeps answers while the database is away. */
  readonly #recorder: BatchWriter<RecordedAnswer>;
  /** By send, an attempt for which no call was made. The database did not say whether it has a row of the attempt. */
  readonly #uncalled = new Map<string, number>();

  constructor(private readonly deps: RepeatDeps) {
    this.#revisions = new RevisionCache(deps.sql);
    this.#recorder = answerWriter({ ...deps, by: BY, batch: AT_ONCE });
  }

  /** Resolves when the answer of every repeat is written down. Returns how many sends it repeated or planned again. */
  async runOnce(): Promise<number> {
    const { sql, calls, clock, mayLeave } = this.deps;
    await this.#endUncalled();
    const resent = await resendUncertain(sql, clock.now(), AT_ONCE, BY);
    if (!mayLeave()) return resent;
    const without = calls.blocks.withoutRepeats;
    const ask = { now: clock.now(), limit: AT_ONCE, without };
    const sends = await dueRepeats(sql, ask);
    if (sends.length === 0) {
      const rested = await restRepeats(sql, ask);
      return resent + (rested < AT_ONCE ? 0 : rested);
    }
    const offering = await this.#offering(new Set(sends.map(({ serviceId }) => serviceId)));
    const repeatable = sends.filter(({ serviceId }) => offering.has(serviceId));
    const repeats = await Promise.allSettled(repeatable.map((send) => this.#repeat(send)));
    const failed = repeats.find((repeat) => repeat.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return resent + sends.length;
  }

  /** Ends attempts for which no call was made. Throws while the database is away; then nothing is repeated either. */
  async #endUncalled(): Promise<void> {
    if (this.#uncalled.size === 0) return;
    const { sql, clock, replica } = this.deps;
    const uncalled = [...this.#uncalled].map(([id, attempt]) => ({ id, attempt }));
    for (const id of await endUncalled(sql, uncalled, { now: clock.now(), replica }))
      this.#uncalled.delete(id);
  }

  /**
   * The projects whose gateways still name the extension now, as they answer a GET for a message that does not exist. A gateway that
   * was replaced by one without the extension would send a second time.
   */
  async #offering(serviceIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const { calls, pushApi } = this.deps;
    const asked = [...serviceIds].map(async (serviceId) => {
      const called = await calls.call(serviceId, 'look-up', () => pushApi.result(serviceId, v7()));
      const offers =
        called.kind === 'called' && called.answer.kind === 'answered' ? called.answer.offers : [];
      return offers?.includes('idempotency-key') === true ? [serviceId] : [];
    });
    return new Set((await Promise.all(asked)).flat());
  }

  async #repeat(send: DueRepeat): Promise<void> {
    const { sql, pushApi, clock, log, mayLeave } = this.deps;
    const facts = (await this.#revisions.getMany([send]))(send);
    if (facts === undefined) return;
    const { id, serviceId } = send;
    const firedAt = clock.elapsed();
    const fired = await this.#fire(send);
    if (fired === undefined) return;
    const { attempt, mode, dueAt } = fired;
    const key = requestKey(serviceId, facts, fired);
    const body = buildRequest({ ...fired, key, request: facts.request });
    const at = clock.now();
    const span = beginPushCall(this.deps, { send: { id, serviceId, at }, attempt, trace: facts.trace });
    const trace = span.context;
    let answer: PushAnswer;
    try {
      const write = await pushApi.prepareSend({
        serviceId,
        sendId: id,
        key,
        body,
        at,
        trace,
      });
      answer = await write(() => mayLeave(firedAt));
    } catch (error) {
      // The adapter never throws once a request may have begun.
      this.#notCalled(send, attempt);
      throw error;
    }
    if (isNotLeft(answer)) return this.#notCalled(send, attempt);
    const call = { id, serviceId, attempt, mode, dueAt, until: facts.until };
    const { outcome, row } = endPushCall(this.deps, span, call, answer);
    if (decidesFate(answer, outcome)) {
      // The second `end`: an answer that is set aside for later is not waited for, because others are to be repeated.
      await new Promise<void>((end) => this.#recorder.add(row, end, 0, end));
      log.info(
        { send: id, outcome: outcome.kind, trace },
        'a repeat showed what had become of an uncertain send',
      );
      return;
    }
    // The repeat showed nothing either.
    const { answeredAt: now } = row;
    const next = nextAttempt({ failures: attempt, now, random: Math.random(), deadlineAt: Infinity });
    await endAttempts(sql, [{ ...row, endedAt: now, nextAt: next.kind === 'at' ? next.at : now }]);
  }

  #notCalled({ id, serviceId }: DueRepeat, attempt: number): void {
    this.deps.calls.blocks.gate(serviceId).circuit.released(id);
    this.#uncalled.set(id, attempt);
  }

  /**
   * Fires a repeat when the project's rate gives it a turn, the gateway's circuit admits it and this process may still send. The
   * database decides whether the repeat is still wanted and nobody else has fired it. For a half-open circuit it is the probe.
   */
  async #fire(send: DueRepeat): Promise<FiredRepeat | undefined> {
    const { sql, calls, clock, replica, mayLeave, timeoutMs } = this.deps;
    const { id, serviceId, attempts } = send;
    if ((await calls.turn(serviceId, 'repeat')) !== undefined || !mayLeave()) return undefined;
    const { circuit } = calls.blocks.gate(serviceId);
    if (!circuit.admit(id, clock.elapsed(), 'repeat')) return undefined;
    let fired: FiredRepeat | undefined;
    try {
      const now = clock.now();
      fired = await fireRepeat(sql, send, { now, replica, againAt: now + 2 * timeoutMs });
      // This attempt is made now: an earlier fire of it that the database did not answer can no longer take effect.
      if (fired !== undefined) this.#uncalled.delete(id);
    } catch (error) {
      if (!isUndone(error)) this.#uncalled.set(id, attempts + 1);
      throw error;
    } finally {
      if (fired === undefined) circuit.released(id);
    }
    return fired;
  }
}

/**
 * Whether a repeat shows what became of the first request: it returned the first answer, or a 400. A gateway looks the key up before
 * it checks the body. So if it refuses the body now (its reserveTime has passed), it did not take the first request. A repeat that
 * did not leave shows nothing.
 */
function decidesFate(answer: PushAnswer, outcome: SendAnswer): boolean {
  return outcome.kind === 'taken' || (outcome.kind === 'refused' && answer.status === 400);
}
