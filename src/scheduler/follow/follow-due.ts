// The follower: asks the push service about sends whose next look is due, cancels what is to be canceled, and writes
// down what it found. runOnce() claims and starts asking; one slow project keeps no other waiting. Never sends.
import { v7 } from 'uuid';
import { BatchWriter } from '../../platform/batch-writer.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import type { PushAnswer, PushApi } from '../decide/push-api.js';
import {
  claimLooks,
  recordLooks,
  type CancelCallRow,
  type DueLook,
  type FollowedState,
  type LookRow,
} from '../store/look.store.js';
import { gatewayInstant } from './gateway-instant.js';
import {
  askCancelOf,
  judgeCancel,
  judgeReservation,
  judgeResult,
  postponeResult,
  type LookFacts,
} from './judge-look.js';
import type { LearnedGaps } from './learned-gaps.js';
import { readCancel, readReservation } from './read-reservation.js';
import { readResult } from '../decide/read-result.js';

export interface FollowParts {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly projects: { get(serviceId: string): Promise<{ readonly gatewayZone: string } | undefined> };
  readonly gaps: LearnedGaps;
  readonly clock: Clock;
  readonly log: Log;
  readonly by: string;
  /** Which of the followed states this follower looks at. */
  readonly states: readonly FollowedState[];
  readonly batch: number;
  /** Real milliseconds; longer than a call may take. */
  readonly leaseMs: number;
  readonly windowMs: number;
  /** Asks the loop for a round. */
  readonly wake: () => void;
}

/** GETs of one project at once: the dispatcher's calls come first. */
const PER_PROJECT = 32;
/** Over all projects. */
const AT_ONCE = 256;

export class FollowDue {
  readonly #writer: BatchWriter<LookRow>;
  readonly #asking = new Map<string, number>();
  #total = 0;
  #round = 0;
  #stopping = false;
  #idle: (() => void)[] = [];

  constructor(private readonly parts: FollowParts) {
    const { sql, by, batch, log } = parts;
    this.#writer = new BatchWriter({
      name: 'looks',
      write: (rows: readonly LookRow[]) => recordLooks(sql, rows, by),
      batch,
      log,
    });
  }

  /** Returns how many looks it began; idle() ends when they are written down. */
  async runOnce(): Promise<number> {
    if (this.#stopping || this.#total >= AT_ONCE) return 0;
    const { sql, clock, states, batch, leaseMs } = this.parts;
    const token = v7();
    this.#round += 1;
    const looks = await claimLooks(sql, {
      now: clock.now(),
      states,
      token,
      leaseMs,
      limit: Math.min(batch, AT_ONCE - this.#total),
      rooms: new Map([...this.#asking].map(([serviceId, count]) => [serviceId, PER_PROJECT - count])),
      room: PER_PROJECT,
      round: this.#round,
    });
    for (const look of looks) {
      this.#count(look.serviceId, 1);
      void this.#follow(look, token);
    }
    return looks.length;
  }

  /** Ends when every look that began is written down. */
  async idle(): Promise<void> {
    if (this.#total > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#writer.idle();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.idle();
  }

  async #follow(look: DueLook, token: string): Promise<void> {
    try {
      const row = await this.#look(look, token);
      this.#writer.add(row, () => this.#count(look.serviceId, -1));
    } catch (error) {
      // The claim's lease ends and it is asked again; an error here is ours, not the push service's.
      this.parts.log.error({ err: error, send: look.id }, 'a look could not be made');
      this.#count(look.serviceId, -1);
    }
  }

  async #look(look: DueLook, token: string): Promise<LookRow> {
    const { pushApi } = this.parts;
    const { serviceId, requestId } = look;
    const facts = await this.#facts(look, token);
    const instead = askCancelOf(look, facts) ?? postponeResult(look, facts);
    if (instead !== undefined) return instead;
    if (requestId === null) throw new Error(`send ${look.id} is ${look.state} without a requestId`);
    if (look.state === 'canceling') return this.#cancel(look, requestId, facts);
    if (look.state === 'reserved') {
      const answer = await pushApi.reserveStatus(serviceId, requestId);
      return judgeReservation(look, readReservation(answer), this.#later(facts));
    }
    const answer = await pushApi.result(serviceId, requestId);
    const row = judgeResult(look, readResult(answer), this.#later(facts));
    if (look.state === 'accepted' && row.to !== null) {
      this.parts.gaps.observe(serviceId, (row.completeTime ?? row.at) - look.stateAt);
    }
    return row;
  }

  async #cancel(look: DueLook, requestId: string, facts: LookFacts): Promise<LookRow> {
    const { pushApi } = this.parts;
    const { serviceId, scheduleCode } = look;
    const standing = look.mode === 'scheduled';
    const answer =
      standing && scheduleCode !== null
        ? await pushApi.cancelScheduled(serviceId, scheduleCode, requestId)
        : await pushApi.cancelReservation(serviceId, requestId);
    const read = readCancel(answer);
    const call = callRow(answer, facts.now, read.kind === 'confirmed' ? null : read.detail);
    // A standing message has fired meanwhile: its counts are read a last time.
    const after = standing
      ? read.kind === 'unread'
        ? undefined
        : readResult(await pushApi.result(serviceId, requestId))
      : read.kind === 'proves-nothing'
        ? readReservation(await pushApi.reserveStatus(serviceId, requestId))
        : undefined;
    return { ...judgeCancel(look, read, after, this.#later(facts)), call };
  }

  async #facts({ serviceId }: DueLook, token: string): Promise<LookFacts> {
    const { projects, clock, gaps, windowMs } = this.parts;
    const zone = (await projects.get(serviceId))?.gatewayZone ?? 'UTC';
    return {
      now: clock.now(),
      token,
      learnedGapMs: gaps.of(serviceId),
      windowMs,
      instantOf: (localTime) => gatewayInstant(localTime, zone),
    };
  }

  #later(facts: LookFacts): LookFacts {
    return { ...facts, now: this.parts.clock.now() };
  }

  #count(serviceId: string, by: 1 | -1): void {
    const count = (this.#asking.get(serviceId) ?? 0) + by;
    if (count === 0) this.#asking.delete(serviceId);
    else this.#asking.set(serviceId, count);
    const wasFull = this.#total >= AT_ONCE || count >= PER_PROJECT - 1;
    this.#total += by;
    if (by === -1 && wasFull) this.parts.wake();
    if (this.#total > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
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
