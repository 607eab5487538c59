// One target to its provider, and again where its answer asks for that: once with a new token, once on a new connection,
// once where it was not taken. What may have been taken goes no second time.
import type { Clock, EpochMs } from '../../../platform/clock.js';
import type { RequestOutcome } from '../../../platform/http/http2-exchange.js';
import { isOver } from '../deadlines.js';
import type { CredentialNews, Job, Outcome, Target } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import type { Line } from './line.js';
import type { TokenGuard } from './token-guard.js';
import type { Traffic } from './traffic.js';
import type { Verdict } from './verdict.js';

/** What is known of a credential beside its line. */
export interface Credentialed {
  readonly line: Line;
  readonly traffic: Traffic;
  readonly guard: TokenGuard;
  isProven: boolean;
  learned(news: CredentialNews): void;
}

export interface HandOverContext {
  readonly clock: Clock;
  /** The machine's own wall clock, which providers' dates and tokens go by. */
  readonly realNow: () => EpochMs;
  readonly ourFault: (reason: string, job: Job) => void;
}

/** Whoever gives tokens is asked again after this. */
const TOKEN_PAUSE_MS = 5_000;

interface Order {
  readonly job: Job;
  readonly target: Target;
  readonly variant: Variant;
  readonly signal: AbortSignal;
  /** The job's end is not there yet. */
  readonly isWanted: () => boolean;
}

/** With a turn, which the caller ends. */
export async function handOver(
  credentialed: Credentialed,
  order: Order,
  context: HandOverContext,
): Promise<Verdict> {
  const refused = credentialed.line.refuses?.(order.target.token);
  if (refused !== undefined) return { outcome: { kind: 'failed', reason: refused }, pace: 'none' };
  return inTries(credentialed, order, context);
}

async function inTries(
  credentialed: Credentialed,
  { job, target, variant, signal, isWanted }: Order,
  { clock, realNow, ourFault }: HandOverContext,
): Promise<Verdict> {
  const { line } = credentialed;
  const spent: string[] = [];
  for (;;) {
    const given = line.token();
    const answer = given instanceof Promise ? await given : given;
    if (answer.kind !== 'token') return withoutToken(credentialed, answer);
    // Between a job's turn and this moment a token may have been fetched, or another try made.
    const over = isOver(job, clock);
    if (over !== undefined) return { outcome: over, pace: 'none' };
    const request = line.request(answer.token, job, target, variant);
    const outcome = await line.pool.request(request, signal, isWanted);
    if (outcome.kind !== 'answered') {
      if (outcome.kind === 'unknown' || spent.includes('notTaken') || signal.aborted)
        return withoutAnswer(outcome.kind, isOver(job, clock));
      spent.push('notTaken');
      continue;
    }
    const verdict = judged(credentialed, outcome, realNow());
    const { again } = verdict;
    if (again !== undefined && !spent.includes(again)) {
      spent.push(again);
      if (again === 'newConnection' || line.renewToken(answer.token)) continue;
    }
    if (verdict.isOurFault === true && 'reason' in verdict.outcome) ourFault(verdict.outcome.reason, job);
    learn(credentialed, verdict);
    return verdict;
  }
}

function judged(
  { line, isProven, guard }: Credentialed,
  answer: Extract<RequestOutcome, { kind: 'answered' }>,
  now: EpochMs,
): Verdict {
  const verdict = line.judge(answer, { isProven, mayRemove: isProven && guard.isMostlyAccepted, now });
  if (verdict.again === 'newConnection' || verdict.leavesConnection === true)
    line.pool.retire(answer.connection);
  return verdict;
}

function withoutAnswer(kind: 'unknown' | 'notTaken', late: Outcome | undefined): Verdict {
  if (kind === 'unknown') return { outcome: { kind, reason: 'NO_ANSWER' }, pace: 'silent' };
  return { outcome: late ?? { kind: 'retry', reason: 'NOT_TAKEN', afterMs: 0 }, pace: 'none' };
}

function withoutToken(
  credentialed: Credentialed,
  { kind, reason }: { kind: 'refused' | 'unavailable'; reason: string },
): Verdict {
  if (kind === 'unavailable') {
    credentialed.traffic.pause(TOKEN_PAUSE_MS);
    return { outcome: { kind: 'retry', reason, afterMs: TOKEN_PAUSE_MS }, pace: 'none' };
  }
  const verdict: Verdict = { outcome: { kind: 'credential', reason }, pace: 'none' };
  learn(credentialed, verdict);
  return verdict;
}

/** What the next requests under the credential go by. */
function learn(credentialed: Credentialed, { outcome, pace, isAboutToken, pauseMs, warns }: Verdict): void {
  const { guard, traffic } = credentialed;
  if (pace === 'taken') guard.note(true);
  else if (isAboutToken === true) guard.note(false);
  if (pace === 'taken' && !credentialed.isProven) {
    credentialed.isProven = true;
    credentialed.learned({ kind: 'proven' });
  }
  if (pauseMs !== undefined) traffic.pause(pauseMs);
  if (outcome.kind === 'credential') {
    traffic.refused(outcome.reason);
    credentialed.learned({ kind: 'fault', reason: outcome.reason });
  } else if (warns === true && outcome.kind === 'failed')
    credentialed.learned({ kind: 'warning', reason: outcome.reason });
}
