// Turns an answer into the row that is written: the send's next state, when to ask or try again, and how the attempt ended.
// Pure; the random number is a parameter.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Mode } from '../decide/timing/send-mode.js';
import {
  nextReservationPoll,
  nextResultPoll,
  nextStandingPoll,
  uncertainWaitMs,
  UNLEARNED_GAP_MS,
} from '../decide/lifecycle/next-poll.js';
import type { PushAnswer } from '../push-client/push-api.js';
import { nextAttempt } from '../decide/lifecycle/back-off.js';
import { nextState } from '../decide/lifecycle/send-state.js';
import type { AnsweredState, RecordedAnswer } from '../store/send/answer.store.js';
import type { SendAnswer } from '../push-client/answers/read-send-answer.js';

export interface CallFacts {
  readonly id: string;
  readonly attempt: number;
  readonly mode: Mode;
  readonly dueAt: EpochMs | null;
  readonly until: EpochMs | null;
  readonly answeredAt: EpochMs;
  /** [0, 1) */
  readonly random: number;
}

/** The observation of each outcome. Its arrow in decide/lifecycle/send-state.ts moves the send out of `sending`. */
const OBSERVED = { refused: 'refused', 'not-sent': 'not-sent', unknown: 'fate-unknown' } as const;

export function answerRow(facts: CallFacts, answer: PushAnswer, outcome: SendAnswer): RecordedAnswer {
  const observation = outcome.kind === 'taken' ? outcome.observation : OBSERVED[outcome.kind];
  const taken = outcome.kind === 'taken';
  return {
    id: facts.id,
    attempt: facts.attempt,
    state: nextState('sending', observation) as AnsweredState,
    code: taken ? null : outcome.code,
    detail: taken ? null : outcome.detail,
    answeredAt: facts.answeredAt,
    requestId: outcome.kind === 'taken' || outcome.kind === 'unknown' ? (outcome.requestId ?? null) : null,
    gatewayStatus: taken ? outcome.gatewayStatus : null,
    nextAt: nextAt(facts, outcome),
    requestSent: answer.kind === 'answered' || answer.started,
    httpStatus: answer.status ?? null,
    errorCode: answer.kind === 'unanswered' ? answer.error : taken ? null : outcome.code,
    answer: taken ? null : outcome.detail,
    outcome: outcome.kind,
  };
}

/** Why no call was made for a send that was fired. */
export interface NeverCalled {
  readonly code: string;
  readonly detail: string;
}

/** The row of an attempt for which certainly no call was made. */
export function neverCalledRow(
  id: string,
  attempt: number,
  answeredAt: EpochMs,
  why: NeverCalled,
): RecordedAnswer {
  const facts = { mode: 'immediate', dueAt: null, until: null, random: 0 } as const;
  const call = { ...facts, id, attempt, answeredAt };
  const answer: PushAnswer = { kind: 'unanswered', started: false, error: why.code, timedOut: false };
  return answerRow(call, answer, { kind: 'not-sent', cause: 'key-again', ...why });
}

function nextAt(facts: CallFacts, outcome: SendAnswer): EpochMs | null {
  if (outcome.kind === 'taken') return firstPollAt(facts);
  if (outcome.kind === 'not-sent') return againAt(facts, outcome);
  return outcome.kind === 'unknown' ? facts.answeredAt + uncertainWaitMs(outcome.requestId ?? null) : null;
}

function firstPollAt({ mode, dueAt, until, answeredAt: now }: CallFacts): EpochMs {
  if (mode === 'scheduled') return nextStandingPoll(now, until);
  const poll =
    mode === 'reserved' && dueAt !== null
      ? nextReservationPoll({ now, handedOffAt: now, dueAt, pollsSinceDue: 0 })
      : nextResultPoll({ now, acceptedAt: now, polls: 0, learnedGapMs: UNLEARNED_GAP_MS });
  return poll.kind === 'at' ? poll.at : now;
}

function againAt(facts: CallFacts, outcome: Extract<SendAnswer, { kind: 'not-sent' }>): EpochMs {
  const { answeredAt: now, attempt, random } = facts;
  // The clock was corrected or the other key is used next: there is no reason to wait.
  if (outcome.cause === 'key-again') return now;
  // The wait that a 429 asks for is the whole project's and stands in its row: if an operator ends the block, it ends for every send.
  const retryAfterMs = outcome.cause === 'endpoint' ? outcome.retryAfterMs : undefined;
  // No deadline here: the check before send judges it.
  const next = nextAttempt({ failures: attempt, now, random, deadlineAt: Infinity, retryAfterMs });
  return next.kind === 'at' ? next.at : now;
}
