// Of an uncertain send whose requestId is known, the result is asked for (life-of-a-send.md, "a result after all"): the
// answer named another status than was asked for, or nothing was final within the window. Pure.
import { uncertainWaitMs } from '../decide/lifecycle/next-poll.js';
import type { ResultReading } from '../push-client/answers/read-result.js';
import type { DueLook, LookRow } from '../store/send/poll.store.js';
import { judgeResult, stay, type LookFacts } from './judge-poll.js';

const LONGEST_WAIT_MS = 3_600_000;
/** Then only an operator's word ends it. */
const ASKED_FOR_MS = 7 * 86_400_000;

/** Only a final result moves it; of one that is not, its reason stays and it is asked again, ever more rarely. */
export function judgeUncertain(look: DueLook, reading: ResultReading, facts: LookFacts): LookRow {
  if (reading.kind === 'final') return judgeResult(look, reading, facts);
  const waitMs = uncertainWaitMs(look.requestId) * 2 ** Math.min(look.looks + 1, 20);
  const nextAt = facts.now + Math.min(waitMs, LONGEST_WAIT_MS);
  return {
    ...stay(look, facts),
    detail: look.detail,
    nextAt: nextAt > look.stateAt + ASKED_FOR_MS ? null : nextAt,
    looks: look.looks + 1,
    gatewayStatus: reading.kind === 'pending' ? reading.status : null,
  };
}
