// Calls the gateway for a send that was fired. Prepares the request at once, writes it to the connection at the send's instant, and
// records the answer. Never repeats a call, and makes none when the other replicas may take this one for dead.
import type { BatchWriter } from '../../platform/database/batch-writer.js';
import type { Span } from '../../platform/tracing/tracing.js';
import { isNotLeft, type PreparedCall, type PushAnswer } from '../push-client/push-api.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import type { FiredSend } from '../store/send/fire.store.js';
import { neverCalledRow, type NeverCalled } from './answer-row.js';
import { buildRequest } from './build-request.js';
import type { Ready } from './check-before-send.js';
import type { DispatchDeps } from './dispatch-deps.js';
import type { KeptFires } from './kept-fires.js';
import { leaveOnTime } from './leave-on-time.js';
import type { ProjectQueues } from './project-queues.js';
import { beginPushCall, endPushCall } from './push-call.js';
import { requestKey } from './request-key.js';

const CLOCK_SET_BACK: NeverCalled = {
  code: 'CLOCK_SET_BACK',
  detail: 'the clock was set back a moment before its instant',
};
const REPLICA_SILENT: NeverCalled = {
  code: 'REPLICA_SILENT',
  detail:
    'this process had not reached the database for so long that others may take it for dead, or its clock was wrong',
};
/**
 * The answer of a send that left at its instant is written this much later, with others, real milliseconds: until then the
 * machine's time is for sends of the same instant that have not left. The latest of a hundred left after 11 ms instead of 17.
 * There is no such wait where other sends wait for a place in flight.
 */
const GATHER_MS = 15;

interface Leaving {
  readonly fired: FiredSend;
  readonly firedAt: number;
  readonly prepared: Promise<PreparedCall>;
  readonly onTime: boolean;
  readonly span: Span;
}

interface Around {
  readonly queues: ProjectQueues;
  readonly answers: BatchWriter<RecordedAnswer>;
  readonly kept: KeptFires;
}

export class CallFired {
  constructor(
    private readonly deps: DispatchDeps,
    private readonly around: Around,
  ) {}

  /**
   * Prepares the request at once and writes it when it is due: a hundred sends of one instant take 3 ms less this way, of 13.
   * The send became `sending` at `firedAt`, elapsed(), or later.
   */
  whenDue(ready: Ready, fired: FiredSend, firedAt: number): void {
    const { clock } = this.deps;
    const { entry, facts } = ready;
    this.around.kept.fired(entry.id, fired.attempt);
    const onTime = entry.at > clock.now();
    const span = beginPushCall(this.deps, { send: entry, attempt: fired.attempt, trace: facts.trace });
    const prepared = this.#prepare(ready, fired, span);
    // #call() reports this failure later.
    prepared.catch(() => undefined);
    leaveOnTime(
      clock,
      entry.at,
      () => void this.#call(ready, { fired, firedAt, prepared, onTime, span }),
      () => this.notCalled(ready, CLOCK_SET_BACK),
    );
  }

  /** Records that a send was fired and no call is made. */
  notCalled({ entry }: Ready, why: NeverCalled): void {
    const row = neverCalledRow(entry.id, entry.attempts + 1, this.deps.clock.now(), why);
    this.around.kept.answered(row);
    this.around.answers.add(row, () => this.around.queues.forget(entry, false));
  }

  async #prepare({ entry, facts, check }: Ready, fired: FiredSend, span: Span): Promise<PreparedCall> {
    const { pushApi, clock } = this.deps;
    const { id: sendId, serviceId, scheduleCode } = entry;
    const { mode, dueAt } = check;
    const key = requestKey(serviceId, facts, fired);
    const body = buildRequest({ ...fired, key, mode, dueAt, scheduleCode, request: facts.request });
    const at = Math.max(entry.at, clock.now());
    return pushApi.prepareSend({ serviceId, sendId, key, body, at, trace: span.context });
  }

  async #call(ready: Ready, { fired, firedAt, prepared, onTime, span }: Leaving): Promise<void> {
    const { clock, log, mayLeave, onTaken, onNotTaken } = this.deps;
    const { entry, facts, check } = ready;
    const { id, serviceId } = entry;
    let answer: PushAnswer;
    let leftAt = entry.at;
    try {
      const write = await prepared;
      leftAt = clock.now();
      answer = await write(() => mayLeave(firedAt));
    } catch (error) {
      // The adapter never throws once a request may have begun.
      log.error({ err: error, send: id, trace: span.context }, 'a request could not be made');
      answer = { kind: 'unanswered', started: false, error: 'REQUEST_NOT_MADE', timedOut: false };
    }
    if (isNotLeft(answer)) return this.notCalled(ready, REPLICA_SILENT);
    const { mode, dueAt } = check;
    const call = { id, serviceId, attempt: fired.attempt, mode, dueAt, until: facts.until };
    const { outcome, row } = endPushCall(this.deps, span, call, answer);
    if (outcome.kind === 'taken') onTaken?.(mode, Math.max(0, leftAt - entry.at) / 1_000);
    else onNotTaken(serviceId, outcome.code);
    const { kept, answers, queues } = this.around;
    kept.answered(row);
    const gatherMs = onTime && !queues.isAwaited(entry) ? GATHER_MS : 0;
    answers.add(row, () => queues.forget(entry, true), gatherMs);
  }
}
