// Of an uncertain send whose requestId is known, the result is asked for (life-of-a-send.md, "a result after all"): the
// answer named another status than was asked for, or nothing was final within the window. Pure.
import { uncertainWaitMs } from '../decide/lifecycle/next-poll.js';
import type { ResultReading } from '../push-client/answers/read-result.js';
import type { DuePoll, PollRow } from '../store/send/poll.store.js';
import { judgeResult, stay, type PollFacts } from './judge-poll.js';

const LONGEST_WAIT_MS = 3_600_000;
/** Then only an operator's word ends it. */
const ASKED_FOR_MS = 7 * 86_400_000;

/** Only a final result moves it; of one that is not, its reason stays and it is asked again, ever more rarely. */
export function judgeUncertain(poll: DuePoll, reading: ResultReading, facts: PollFacts): PollRow {
  if (reading.kind === 'final') return judgeResult(poll, reading, facts);
  const waitMs = uncertainWaitMs(poll.requestId) * 2 ** Math.min(poll.polls + 1, 20);
  const nextAt = facts.now + Math.min(waitMs, LONGEST_WAIT_MS);
  return {
    ...stay(poll, facts),
    detail: poll.detail,
    nextAt: nextAt > poll.stateAt + ASKED_FOR_MS ? null : nextAt,
    polls: poll.polls + 1,
    gatewayStatus: reading.kind === 'pending' ? reading.status : null,
  };
}
