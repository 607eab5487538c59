// The call of a send that was fired: prepared at once, written on its instant, its answer read and written down. Never
// repeats a call, and makes none once this replica may count as gone.
import type { BatchWriter } from '../../platform/database/batch-writer.js';
import type { Span } from '../../platform/tracing/tracing.js';
import { isNotLeft, type PreparedCall, type PushAnswer } from '../push-client/push-api.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import type { FiredSend } from '../store/send/fire.store.js';
import { answerRow, neverCalledRow, type NeverCalled } from './answer-row.js';
import { buildRequest } from './build-request.js';
import { leaveOnTime } from './leave-on-time.js';
import { beginPushCall, endPushCall } from './push-call-span.js';
import { readSendAnswer } from '../push-client/answers/read-send-answer.js';
import type { Ready } from './check-before-send.js';
import type { DispatchParts } from './dispatch-parts.js';
import type { ProjectQueues } from './project-queues.js';

const CLOCK_SET_BACK: NeverCalled = {
  code: 'CLOCK_SET_BACK',
  detail: 'the clock was set back a moment before its instant',
};
const REPLICA_UNHEARD: NeverCalled = {
  code: 'REPLICA_UNHEARD',
  detail:
    'this process had not reached the database for so long that it may count as gone, or its clock was off',
};
/**
 * Answers of sends that left on their instant wait so long for each other, real milliseconds: until then the machine is
 * theirs that are due together and still on their way. The latest of a hundred was at 11 ms for 17. Not where others wait
 * for their slots.
 */
const GATHER_MS = 15;

interface Leaving {
  readonly prepared: Promise<PreparedCall>;
  readonly onTime: boolean;
  readonly span: Span;
  readonly mayLeave: () => boolean;
}

export class CallFired {
  constructor(
    private readonly parts: DispatchParts,
    private readonly queues: ProjectQueues,
    private readonly answers: BatchWriter<RecordedAnswer>,
  ) {}

  /**
   * Its request is made at once, and written when it is due: a hundred due together take 3 ms less for it, of 13. It was
   * `sending` at `firedAt`, elapsed(), or came to be so later.
   */
  whenDue(one: Ready, fired: FiredSend, firedAt: number): void {
    const { clock, mayLeave } = this.parts;
    const { at } = one.entry;
    const onTime = at > clock.now();
    const span = beginPushCall(this.parts, {
      send: one.entry,
      attempt: fired.attempt,
      trace: one.facts.trace,
    });
    const prepared = this.#prepare(one, fired, span);
    // Whoever awaits it is told, which may be a while from now.
    prepared.catch(() => undefined);
    const leave = async (): Promise<void> => {
      await prepared.catch(() => undefined);
      await this.#call(one, fired, { prepared, onTime, span, mayLeave: () => mayLeave(firedAt) });
    };
    leaveOnTime(
      clock,
      at,
      () => void leave(),
      () => this.notCalled(one, CLOCK_SET_BACK),
    );
  }

  /** It was fired and does not leave. */
  notCalled({ entry }: Ready, why: NeverCalled): void {
    const row = neverCalledRow(entry.id, entry.attempts + 1, this.parts.clock.now(), why);
    this.answers.add(row, () => this.queues.forget(entry, false));
  }

  async #prepare({ entry, facts, look }: Ready, fired: FiredSend, span: Span): Promise<PreparedCall> {
    const { pushApi, clock } = this.parts;
    const body = buildRequest({
      sendId: entry.id,
      mode: look.mode,
      dueAt: look.dueAt,
      scheduleCode: entry.scheduleCode,
      request: facts.request,
      target: fired.target,
      recipients: fired.recipients,
    });
    const at = Math.max(entry.at, clock.now());
    const trace = span.context;
    return pushApi.prepareSend({ serviceId: entry.serviceId, sendId: entry.id, body, at, trace });
  }

  async #call(one: Ready, fired: FiredSend, { prepared, onTime, span, mayLeave }: Leaving): Promise<void> {
    const { calls, clock, log, notTaken } = this.parts;
    const { entry, facts, look } = one;
    let answer: PushAnswer;
    try {
      const write = await prepared;
      answer = await write(mayLeave);
    } catch (error) {
      // The adapter never throws once a request may have begun: what throws is what comes before it.
      log.error({ err: error, send: entry.id, trace: span.context }, 'a request could not be made');
      answer = { kind: 'unanswered', started: false, error: 'REQUEST_NOT_MADE', timedOut: false };
    }
    if (isNotLeft(answer)) return this.notCalled(one, REPLICA_UNHEARD);
    const outcome = readSendAnswer(answer, look.mode);
    endPushCall(log, span, { send: entry.id, answer, outcome });
    const call = {
      id: entry.id,
      attempt: fired.attempt,
      mode: look.mode,
      dueAt: look.dueAt,
      until: facts.until,
      answeredAt: clock.now(),
      random: Math.random(),
    };
    calls.blocks.ended(entry.serviceId, entry.id, answer, outcome.kind === 'unknown');
    if (outcome.kind !== 'taken') notTaken(entry.serviceId, outcome.code);
    const gatherMs = onTime && !this.queues.isAwaited(entry) ? GATHER_MS : 0;
    this.answers.add(answerRow(call, answer, outcome), () => this.queues.forget(entry, true), gatherMs);
  }
}
