// Settles uncertain sends where the gateway closes keys: it names the message that it took under the key, or takes none under it any
// more. Never sends; a send that is proved not to have gone is planned again, and leaves under another key.
import type { BatchWriter } from '../../platform/database/batch-writer.js';
import { policyDefaults } from '../decide/timing/campaign-policy.js';
import { nextState } from '../decide/lifecycle/send-state.js';
import { readClose } from '../push-client/answers/read-close.js';
import type { Answered } from '../push-client/push-api.js';
import { KEY_CLOSED, type AnsweredState, type RecordedAnswer } from '../store/send/answer.store.js';
import { claimCloses, restUnproved, type DueClose } from '../store/send/close-key.store.js';
import type { RevisionFacts } from '../store/send/fire.store.js';
import { answerRow } from './answer-row.js';
import { answerWriter } from './answer-writer.js';
import type { DispatchDeps } from './dispatch-deps.js';
import { judgeClose, NOT_PROVABLE, PROVED_NOT_SENT, type CloseVerdict } from './judge-close.js';
import { requestKey } from './request-key.js';
import { RevisionCache } from './revision-cache.js';

export interface CloseDeps extends Pick<DispatchDeps, 'sql' | 'pushApi' | 'calls' | 'clock' | 'log'> {
  /** The longest that a call takes, real milliseconds. */
  readonly timeoutMs: number;
}

/** The most sends of a project in one round. */
const AT_ONCE = 32;
const BY = 'dispatch-close';
const OBSERVED = {
  success: 'answered-success',
  reserved: 'answered-reserved',
  scheduled: 'answered-scheduled',
} as const;

type Settled = Extract<CloseVerdict, { readonly kind: 'taken' | 'again' | 'too-late' }>;

export class CloseKeys {
  readonly #revisions: RevisionCache;
  /** Keeps what was proved while the database is away. */
  readonly #recorder: BatchWriter<RecordedAnswer>;

  constructor(private readonly deps: CloseDeps) {
    this.#revisions = new RevisionCache(deps.sql);
    this.#recorder = answerWriter({ ...deps, by: BY, batch: AT_ONCE });
  }

  /** Resolves when what each close proved is written down. Returns how many sends it asked about. */
  async runOnce(): Promise<number> {
    const { sql, clock, timeoutMs } = this.deps;
    const now = clock.now();
    const sends = await claimCloses(sql, { now, limit: AT_ONCE, againAt: now + 2 * timeoutMs });
    if (sends.length === 0) return 0;
    const factsOf = await this.#revisions.getMany(sends);
    await Promise.all(sends.map((send) => this.#close(send, factsOf(send))));
    return sends.length;
  }

  async #close(send: DueClose, facts: RevisionFacts | undefined): Promise<void> {
    if (facts === undefined) return;
    const { sql, pushApi, calls, clock, log } = this.deps;
    const { id, serviceId } = send;
    const key = requestKey(serviceId, facts, send);
    const called = await calls.call(serviceId, 'cancel', () => pushApi.closeKey(serviceId, key));
    // It is due again when its claim ends.
    if (called.kind !== 'called') return;
    const { answer } = called;
    const { lateness } = { ...policyDefaults, ...facts.policy };
    const verdict = judgeClose(send, readClose(answer), { now: clock.now(), lateness });
    if (verdict.kind === 'unread' || answer.kind === 'unanswered') return;
    const { trace } = facts;
    if (verdict.kind === 'no-proof') {
      await restUnproved(sql, send, { code: NOT_PROVABLE, detail: verdict.detail });
      log.warn({ send: id, trace, detail: verdict.detail }, 'an uncertain send waits for a person');
      return;
    }
    const row = rowOf(send, answer, verdict, { now: clock.now(), until: facts.until });
    await new Promise<void>((end) => this.#recorder.add(row, end, 0, end));
    log.info(
      { send: id, proved: verdict.kind, trace },
      'a close proved what had become of an uncertain send',
    );
  }
}

function rowOf(
  { id, attempts: attempt, mode, dueAt }: DueClose,
  answer: Answered,
  verdict: Settled,
  { now: answeredAt, until }: { readonly now: number; readonly until: number | null },
): RecordedAnswer {
  const call = { id, attempt, mode, dueAt, until, answeredAt, random: 0 };
  if (verdict.kind === 'taken') {
    const { requestId, statusName } = verdict;
    const observation = OBSERVED[statusName];
    return answerRow(call, answer, { kind: 'taken', observation, requestId, gatewayStatus: statusName });
  }
  const isLate = verdict.kind === 'too-late';
  const detail = isLate ? verdict.detail : 'the gateway took nothing under its key';
  const row = answerRow(call, answer, {
    kind: 'not-sent',
    cause: 'key-again',
    code: PROVED_NOT_SENT,
    detail,
  });
  const state = nextState('uncertain', isLate ? 'proved-too-late' : 'proved-not-sent') as AnsweredState;
  return { ...row, state, httpStatus: null, outcome: KEY_CLOSED, nextAt: isLate ? null : answeredAt };
}
