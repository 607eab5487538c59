// Repeats, under the same Idempotency-Key and body, requests whose answer was lost: the gateway returns the first
// answer if it took the first request. Never repeats one of a gateway without that extension.
import { v7 } from 'uuid';
import { BatchWriter } from '../../platform/batch-writer.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import type { PushAnswer, PushApi } from '../decide/push-api.js';
import { nextAttempt } from '../decide/retry-policy.js';
import { recordAnswers, type RecordedAnswer } from '../store/answer.store.js';
import {
  claimRepeats,
  leaveUncertain,
  mayLeave,
  releaseRepeat,
  resendUncertain,
  type RepeatedSend,
} from '../store/repeat.store.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import { answerRow } from './answer-row.js';
import { buildRequest } from './build-request.js';
import { keepAnswer } from './keep-answer.js';
import { readPushAnswer, type PushOutcome } from './push-outcome.js';
import { RevisionCache } from './revision-cache.js';

export interface RepeatParts {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly calls: ProjectCalls;
  readonly clock: Clock;
  readonly log: Log;
  /** Real milliseconds; longer than a call may take and wait for its turn. */
  readonly leaseMs: number;
}

/** Repeats of a project at once: they are rare. Sends taken up to be sent again: of all projects. */
const AT_ONCE = 16;
const BY = 'dispatch-repeat';

export class RepeatUncertain {
  readonly #revisions: RevisionCache;
  /** Once it is heard what became of a send, a database that is away does not have it forgotten. */
  readonly #recorder: BatchWriter<RecordedAnswer>;

  constructor(private readonly parts: RepeatParts) {
    const { sql, clock, log } = parts;
    this.#revisions = new RevisionCache(sql);
    this.#recorder = new BatchWriter({
      name: 'answers to repeats',
      write: (answers: readonly RecordedAnswer[]) => recordAnswers(sql, answers, BY, clock.now()),
      refused: (answer, error) => keepAnswer({ sql, clock, log, by: BY }, answer, error),
      batch: AT_ONCE,
      log,
    });
  }

  /** What waits for the rate goes back; nothing more is repeated. */
  stop(): void {
    this.parts.calls.release();
  }

  /** Ends when every repeat it began is written down. Returns how many sends it took up. */
  async runOnce(): Promise<number> {
    const { sql, calls, clock, leaseMs } = this.parts;
    const token = v7();
    const resent = await resendUncertain(sql, clock.now(), AT_ONCE, BY);
    const sends = await claimRepeats(sql, {
      now: clock.now(),
      token,
      leaseMs,
      limit: AT_ONCE,
      without: calls.blocks.withoutRepeats,
    });
    await Promise.all(sends.map((send) => this.#repeat(send, token)));
    return resent + sends.length;
  }

  async #repeat(send: RepeatedSend, token: string): Promise<void> {
    const { sql, pushApi, calls, clock, log } = this.parts;
    const facts = (await this.#revisions.getMany([send]))(send);
    if (facts === undefined) return;
    if (!(await this.#mayLeave(send, token))) {
      await releaseRepeat(sql, send, token, clock.now());
      return;
    }
    const body = buildRequest({ ...send, sendId: send.id, request: facts.request });
    const { id, serviceId, attempt, mode, dueAt } = send;
    let answer: PushAnswer;
    try {
      const write = await pushApi.prepareSend({ serviceId, sendId: id, body, at: clock.now() });
      answer = await write();
    } catch (error) {
      // The adapter never throws once a request may have begun.
      calls.blocks.gate(serviceId).circuit.released(id);
      throw error;
    }
    const outcome = readPushAnswer(answer, mode);
    calls.blocks.ended(serviceId, id, answer, outcome.kind === 'unknown');
    const at = clock.now();
    if (settles(answer, outcome)) {
      const call = {
        id,
        token,
        attempt,
        mode,
        dueAt,
        until: facts.until,
        answeredAt: at,
        random: Math.random(),
      };
      await new Promise<void>((written) => this.#recorder.add(answerRow(call, answer, outcome), written));
      log.info({ send: id, outcome: outcome.kind }, 'a repeat told what had become of an uncertain send');
      return;
    }
    const next = nextAttempt({ failures: attempt, now: at, random: Math.random(), deadlineAt: Infinity });
    await leaveUncertain(sql, {
      id,
      token,
      attempt,
      at,
      nextTryAt: next.kind === 'at' ? next.at : at,
      requestSent: answer.kind === 'answered' || answer.started,
      httpStatus: answer.status ?? null,
      errorCode: answer.kind === 'unanswered' ? answer.error : outcome.kind === 'taken' ? null : outcome.code,
      answer: outcome.kind === 'taken' ? null : outcome.detail,
      outcome: outcome.kind,
    });
  }

  /** It has its turn, its gateway's circuit admits it, and it is still wanted. To a gateway in trouble it is the probe. */
  async #mayLeave({ id, serviceId }: RepeatedSend, token: string): Promise<boolean> {
    const { sql, calls, clock } = this.parts;
    if ((await calls.turn(serviceId, 'repeat')) !== undefined) return false;
    const { circuit } = calls.blocks.gate(serviceId);
    if (!circuit.admitRepeat(id, clock.elapsed())) return false;
    let may = false;
    try {
      may = await mayLeave(sql, id, token, clock.now());
    } finally {
      if (!may) circuit.released(id);
    }
    return may;
  }
}

/**
 * The first answer, or a 400: the key is looked up before the body is checked, so a body refused now (its reserveTime
 * has passed) was not taken then. That the repeat itself did not leave says nothing about the first request.
 */
function settles(answer: PushAnswer, outcome: PushOutcome): boolean {
  return outcome.kind === 'taken' || (outcome.kind === 'refused' && answer.status === 400);
}
