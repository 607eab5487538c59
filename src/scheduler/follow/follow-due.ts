// The follower: asks the push service about sends whose next look is due, cancels what is to be canceled, and writes
// down what it found. runOnce() claims; asking goes on behind it, within the project's shared rate and places on the
// wire, and asks for the next round itself, by what it learned. Never sends.
import { BatchWriter } from '../../platform/batch-writer.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import { faultFields, type Log } from '../../platform/log.js';
import type { PushAnswer, PushApi } from '../decide/push-api.js';
import {
  claimLooks,
  nextLookAt,
  recordLooks,
  releaseLooks,
  type CancelCallRow,
  type DueLook,
  type LookRow,
  type LookWork,
} from '../store/look.store.js';
import { turnDefaults, type ProjectCalls } from '../push-client/project-calls.js';
import { SharedWire } from '../push-client/shared-wire.js';
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
import { LookQueue } from './look-queue.js';
import { readCancel, readReservation } from './read-reservation.js';
import { askAgainRow } from './refused-look.js';
import { readResult } from '../decide/read-result.js';

export interface FollowParts {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly calls: ProjectCalls;
  readonly projects: {
    get(serviceId: string): Promise<{ readonly gatewayZone: string } | undefined>;
    getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, { readonly inFlight: number }>>;
  };
  /** The places on the wire that looks share with the sends of this process; without it they have them alone. */
  readonly wire?: SharedWire;
  readonly gaps: LearnedGaps;
  readonly clock: Clock;
  readonly log: Log;
  readonly by: string;
  readonly works: readonly LookWork[];
  /** Its calls wait behind due sends [true]; an operator's cancels do not. */
  readonly yields?: boolean;
  readonly batch: number;
  /** Real milliseconds; longer than a call may take and wait for its turn. */
  readonly leaseMs: number;
  readonly windowMs: number;
  /** Asks the loop for a round. */
  readonly wake: () => void;
}

/** What comes due side by side is claimed together, real milliseconds: each by itself would be a statement. */
const GATHER_MS = 100;
/** Batches that wait to be written before no more is claimed. */
const MOST_UNWRITTEN = 4;

/** How long a look waits for the project's rate before it is put back, real milliseconds. */
export const LONGEST_TURN_MS = turnDefaults.longestMs;

export class FollowDue {
  readonly #writer: BatchWriter<LookRow>;
  readonly #wire: SharedWire;
  readonly #queue: LookQueue;
  #unwritten = 0;
  #round = 0;
  /** A round was let go for what was not written then. */
  #waitsForWriter = false;
  #gathering: NodeJS.Timeout | undefined;
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #stopping = false;
  #idle: (() => void)[] = [];

  constructor(private readonly parts: FollowParts) {
    const { sql, by, batch, log, wire = new SharedWire() } = parts;
    this.#writer = new BatchWriter({
      name: 'looks',
      write: (rows: readonly LookRow[]) => recordLooks(sql, rows, by),
      refused: (row, error) => this.#refused(row, error),
      batch,
      log,
    });
    this.#wire = wire;
    this.#queue = new LookQueue({
      wire,
      ask: (look) => void this.#follow(look),
      drained: () => this.#wake(),
    });
  }

  /**
   * Claims what this process can soon ask about; asking begins at once. Returns how many looks it claimed. It wakes the
   * loop for whatever else is due or comes due: no tick is needed.
   */
  async runOnce(): Promise<number> {
    const { sql, clock, works, batch, leaseMs } = this.parts;
    // The next claim is made while the last one is asked about, and answers are written down.
    this.#waitsForWriter = this.#unwritten > MOST_UNWRITTEN * batch;
    if (this.#stopping || this.#waitsForWriter) return 0;
    this.#round += 1;
    const now = clock.now();
    const rooms = this.#queue.rooms();
    const looks = await claimLooks(sql, {
      now,
      works,
      leaseMs,
      limit: batch,
      ...rooms,
      round: this.#round,
    });
    const isCut = looks.length >= batch;
    if (looks.length > 0) await this.#learnPlaces(looks);
    this.#queue.add(looks, rooms, isCut);
    if (isCut) this.#wake();
    else if (looks.length > 0) this.#wakeSoon();
    else this.#wakeAt(await nextLookAt(sql, now, works));
    return looks.length;
  }

  /** Ends when every look that began is written down. */
  async idle(): Promise<void> {
    if (this.#queue.held > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#writer.idle();
  }

  /** What is claimed and not asked yet goes back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#gathering);
    this.#alarm?.cancel();
    const waiting = this.#queue.clear();
    if (waiting.length > 0) await this.#putBack(waiting);
    this.parts.calls.release();
    await this.idle();
  }

  async #follow(look: DueLook): Promise<void> {
    try {
      const row = await this.#look(look);
      if (row === undefined) {
        await this.#putBack([look, ...this.#queue.starved(look.serviceId)]);
      } else {
        this.#unwritten += 1;
        this.#writer.add(row, () => this.#written(row));
      }
    } catch (error) {
      // The claim's lease ends and it is asked again; an error here is ours, not the push service's.
      this.parts.log.error({ err: error, send: look.id }, 'a look could not be made');
    }
    this.#queue.asked(look.serviceId);
    if (this.#queue.held > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #refused(row: LookRow, error: unknown): Promise<void> {
    const { sql, clock, by, log } = this.parts;
    await recordLooks(sql, [askAgainRow(row, error, clock.now())], by);
    log.error(
      { send: row.id, fault: faultFields(error) },
      'what a look found cannot be written down: it is asked again',
    );
  }

  #written({ nextAt: next }: LookRow): void {
    this.#unwritten -= 1;
    if (this.#waitsForWriter && this.#unwritten <= (MOST_UNWRITTEN / 2) * this.parts.batch) this.#wake();
    if (next !== null && next <= this.parts.clock.now()) this.#wakeSoon();
    else this.#wakeAt(next);
  }

  #wake(): void {
    if (!this.#stopping) this.parts.wake();
  }

  #wakeSoon(): void {
    if (this.#stopping) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#wake();
    }, GATHER_MS);
  }

  /** Once the earliest instant it was given has come. */
  #wakeAt(at: number | null): void {
    if (at === null || this.#stopping || (this.#alarm !== undefined && this.#alarm.at <= at)) return;
    this.#alarm?.cancel();
    const cancel = this.parts.clock.at(at, () => {
      this.#alarm = undefined;
      this.#wakeSoon();
    });
    this.#alarm = { at, cancel };
  }

  /** Before any of them is asked. Settings that cannot be read now are those of before. */
  async #learnPlaces(looks: readonly DueLook[]): Promise<void> {
    const { projects, log } = this.parts;
    try {
      const known = await projects.getMany([...new Set(looks.map((look) => look.serviceId))]);
      for (const [serviceId, { inFlight }] of known) this.#wire.of(serviceId).inFlight = inFlight;
    } catch (error) {
      log.warn({ err: error, looks: looks.length }, 'the settings of projects could not be read');
    }
  }

  /** undefined: the rate left it no turn, or it could not be asked by a fault of ours. */
  async #look(look: DueLook): Promise<LookRow | undefined> {
    const { pushApi } = this.parts;
    const { serviceId, requestId } = look;
    const facts = await this.#facts(look);
    const instead = askCancelOf(look, facts) ?? postponeResult(look, facts);
    if (instead !== undefined) return instead;
    if (requestId === null) throw new Error(`send ${look.id} is ${look.state} without a requestId`);
    if (!(await this.#turn(serviceId))) return undefined;
    if (look.state === 'canceling') return this.#cancel(look, requestId, facts);
    if (look.state === 'reserved') {
      const answer = await this.#heard(serviceId, pushApi.reserveStatus(serviceId, requestId));
      if (answer === undefined) return undefined;
      return judgeReservation(look, readReservation(answer), this.#later(facts));
    }
    const answer = await this.#heard(serviceId, pushApi.result(serviceId, requestId));
    if (answer === undefined) return undefined;
    const row = judgeResult(look, readResult(answer), this.#later(facts));
    if (look.state === 'accepted' && row.to !== null) {
      this.parts.gaps.observe(serviceId, (row.completeTime ?? row.at) - look.stateAt, look.looks);
    }
    return row;
  }

  async #cancel(look: DueLook, requestId: string, facts: LookFacts): Promise<LookRow | undefined> {
    const { pushApi } = this.parts;
    const { serviceId, scheduleCode } = look;
    const standing = look.mode === 'scheduled';
    const answer = await this.#heard(
      serviceId,
      standing && scheduleCode !== null
        ? pushApi.cancelScheduled(serviceId, scheduleCode, requestId)
        : pushApi.cancelReservation(serviceId, requestId),
    );
    if (answer === undefined) return undefined;
    const read = readCancel(answer);
    const call = callRow(answer, facts.now, read.kind === 'confirmed' ? null : read.detail);
    // A standing message has fired meanwhile: its counts are read a last time. Without a turn it is asked again later.
    const asks = standing ? read.kind !== 'unread' : read.kind === 'proves-nothing';
    const asked =
      !asks || !(await this.#turn(serviceId))
        ? undefined
        : await this.#heard(
            serviceId,
            standing ? pushApi.result(serviceId, requestId) : pushApi.reserveStatus(serviceId, requestId),
          );
    const after = asked === undefined ? undefined : standing ? readResult(asked) : readReservation(asked);
    return { ...judgeCancel(look, read, after, this.#later(facts)), call };
  }

  async #turn(serviceId: string): Promise<boolean> {
    const { calls, yields = true } = this.parts;
    return (await calls.turn(serviceId, yields ? 'poll' : 'cancel')) === undefined;
  }

  /** What the answer says about the whole project is heard before it is read. undefined: a fault of ours, nobody was asked. */
  async #heard(serviceId: string, answering: Promise<PushAnswer>): Promise<PushAnswer | undefined> {
    const answer = await answering;
    const { reading, written } = this.parts.calls.blocks.heard(serviceId, answer);
    await written;
    return reading.kind === 'own-fault' ? undefined : answer;
  }

  async #facts({ serviceId }: DueLook): Promise<LookFacts> {
    const { projects, clock, gaps, windowMs } = this.parts;
    const zone = (await projects.get(serviceId))?.gatewayZone ?? 'UTC';
    return {
      now: clock.now(),
      learnedGapMs: gaps.of(serviceId),
      windowMs,
      instantOf: (localTime) => gatewayInstant(localTime, zone),
    };
  }

  #later(facts: LookFacts): LookFacts {
    return { ...facts, now: this.parts.clock.now() };
  }

  async #putBack(looks: readonly DueLook[]): Promise<void> {
    const { sql, log } = this.parts;
    const ids = looks.map(({ id }) => id);
    await releaseLooks(sql, ids).catch((error: unknown) => {
      log.warn({ err: error, looks: ids.length }, 'looks could not be put back; they wait for their lease');
    });
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
