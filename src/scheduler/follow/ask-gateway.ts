// Makes one poll: asks the push service about a send, or cancels it there, within the project's rate, and judges the answer.
// Never sends; the caller writes the row that it returns.
import type { Sql } from '../../platform/database/database.js';
import { NO_SPAN, NO_TRACING, type Span } from '../../platform/tracing/tracing.js';
import type { Core } from '../core.js';
import type { PushAnswer, PushApi } from '../push-client/push-api.js';
import { readResult } from '../push-client/answers/read-result.js';
import type { PushClient } from '../push-client/stage.js';
import type { ProjectStore } from '../store/project.store.js';
import type { CancelCallRow, PollRow } from '../store/send/poll.store.js';
import type { DuePoll } from '../store/send/read-work.store.js';
import { traceOfSend } from '../store/trace.store.js';
import { gatewayInstant } from '../push-client/answers/gateway-instant.js';
import {
  askCancelOf,
  judgeCancel,
  judgeReservation,
  judgeResult,
  judgeUncertain,
  postponeResult,
  type PollFacts,
} from './judge-poll.js';
import type { LearnedGaps } from './learned-gaps.js';
import { readCancel, readReservation } from '../push-client/answers/read-reservation.js';

/** Without `tracing` there are no spans. */
export interface AskGatewayDeps
  extends Pick<Core, 'clock' | 'rules'>, Partial<Pick<Core, 'tracing'>>, Pick<PushClient, 'calls'> {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly gaps: LearnedGaps;
  /** Whether its calls wait for due sends [true]; an operator's cancels do not. */
  readonly yields?: boolean;
  readonly windowMs: number;
}

export class AskGateway {
  constructor(private readonly deps: AskGatewayDeps) {}

  /** undefined: the rate gave no turn, or a fault on our side, for which the project is blocked, prevented the call. */
  async about(poll: DuePoll): Promise<PollRow | undefined> {
    const { serviceId, requestId } = poll;
    const facts = await this.#facts(poll);
    const instead = askCancelOf(poll, facts) ?? postponeResult(poll, facts);
    if (instead !== undefined) return instead;
    if (requestId === null) throw new Error(`send ${poll.id} is ${poll.state} without a requestId`);
    if (poll.state === 'canceling') return this.#cancel(poll, requestId, facts);
    const isReserved = poll.state === 'reserved';
    const answer = await this.#status(serviceId, requestId, isReserved);
    if (answer === undefined) return undefined;
    if (isReserved) return judgeReservation(poll, readReservation(answer), this.#later(facts));
    const judge = poll.state === 'uncertain' ? judgeUncertain : judgeResult;
    const row = judge(poll, readResult(answer), this.#later(facts));
    if (poll.state === 'accepted' && row.to !== null) {
      this.deps.gaps.observe(serviceId, (row.completeTime ?? row.at) - poll.stateAt, poll.polls);
    }
    return row;
  }

  async #cancel(poll: DuePoll, requestId: string, facts: PollFacts): Promise<PollRow | undefined> {
    const { pushApi } = this.deps;
    const { serviceId, scheduleCode } = poll;
    const standing = poll.mode === 'scheduled';
    const begin = await this.#cancelSpans(poll);
    let span = NO_SPAN;
    const answer = await this.#call(serviceId, () => {
      span = begin();
      return standing && scheduleCode !== null
        ? pushApi.cancelScheduled(serviceId, scheduleCode, requestId, span.context)
        : pushApi.cancelReservation(serviceId, requestId, span.context);
    });
    if (answer === undefined) return undefined;
    const read = readCancel(answer);
    const outcome = { 'http.response.status_code': answer.status, 'carillon.outcome': read.kind };
    span.end(outcome, read.kind === 'confirmed' ? undefined : read.kind);
    const call = callRow(answer, facts.now, read.kind === 'confirmed' ? null : read.detail);
    // A standing message may have fired meanwhile: its counts are read a last time. Without a turn a later poll reads them.
    const asks = standing ? read.kind !== 'unread' : read.kind === 'proves-nothing';
    const asked = asks ? await this.#status(serviceId, requestId, !standing) : undefined;
    const after = asked === undefined ? undefined : standing ? readResult(asked) : readReservation(asked);
    return { ...judgeCancel(poll, read, after, this.#later(facts)), call };
  }

  /** Asks for the status of a reservation, or for a result; undefined: see #call(). */
  async #status(serviceId: string, requestId: string, isReserved: boolean): Promise<PushAnswer | undefined> {
    const { pushApi } = this.deps;
    return this.#call(serviceId, () =>
      isReserved ? pushApi.reserveStatus(serviceId, requestId) : pushApi.result(serviceId, requestId),
    );
  }

  /** Returns what begins a span in the campaign's trace. The trace is looked up only where spans are exported. */
  async #cancelSpans({ id, serviceId }: DuePoll): Promise<() => Span> {
    const { sql, tracing = NO_TRACING } = this.deps;
    const parent = tracing.isOn ? await traceOfSend(sql, id) : undefined;
    if (parent === undefined) return () => NO_SPAN;
    const facts = {
      'carillon.send.id': id,
      'carillon.service.id': serviceId,
      'http.request.method': 'DELETE',
    };
    return () => tracing.begin({ name: 'push cancel', kind: 'client', parent, facts });
  }

  /** Makes a call. A block of the project takes effect before this returns. undefined: no turn, or a fault on our side. */
  async #call(serviceId: string, ask: () => Promise<PushAnswer>): Promise<PushAnswer | undefined> {
    const { calls, yields = true } = this.deps;
    const called = await calls.call(serviceId, yields ? 'poll' : 'cancel', ask);
    return called.kind !== 'called' || called.reading.kind === 'local-fault' ? undefined : called.answer;
  }

  async #facts({ serviceId }: DuePoll): Promise<PollFacts> {
    const { projects, rules, clock, gaps, windowMs } = this.deps;
    const zone = (await projects.get(serviceId))?.gatewayZone ?? 'UTC';
    return {
      now: clock.now(),
      learnedGapMs: gaps.of(serviceId),
      windowMs,
      instantOf: (localTime) => gatewayInstant(localTime, zone, rules),
    };
  }

  #later(facts: PollFacts): PollFacts {
    return { ...facts, now: this.deps.clock.now() };
  }
}

function callRow(answer: PushAnswer, startedAt: number, words: string | null): CancelCallRow {
  return {
    startedAt,
    requestSent: answer.kind === 'answered' || answer.started,
    httpStatus: answer.status ?? null,
    errorCode: answer.kind === 'unanswered' ? answer.error : null,
    answer: words,
    outcome: words === null ? 'confirmed' : answer.kind,
  };
}
