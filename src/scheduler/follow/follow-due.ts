// The follower: asks the push service about sends whose next poll is due, makes the cancels that are due, and writes down
// what it found. runOnce() reads what is due; asking goes on after it, within the project's shared rate and places on the
// wire, and wakes the loop for the next round. Never sends.
import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriter } from '../../platform/database/batch-writer.js';
import { FullReads } from '../../platform/loops/full-reads.js';
import { passesByItself } from '../../platform/database/database-away.js';
import { errorCode } from '../../platform/logging/error-code.js';
import { faultFields } from '../../platform/logging/log.js';
import { NO_TRACING, type Span } from '../../platform/tracing/tracing.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import type { Core } from '../core.js';
import type { ProjectPlaces } from '../push-client/rate/calls-in-flight.js';
import type { PushClient } from '../push-client/wire.js';
import {
  duePolls,
  nextPollAt,
  recordPolls,
  type DuePoll,
  type PollRow,
  type PollScope,
  type PollWork,
} from '../store/send/poll.store.js';
import { traceOfSend } from '../store/trace.store.js';
import { AskGateway, type AskGatewayParts } from './ask-gateway.js';
import { askAgainRow, stay } from './judge-poll.js';
import { PollQueue } from './poll-queue.js';
import { Rounds } from './ask-for-round.js';

export interface FollowParts extends AskGatewayParts, Pick<Core, 'log'>, Pick<PushClient, 'wire'> {
  readonly projects: AskGatewayParts['projects'] & ProjectPlaces;
  readonly by: string;
  readonly works: readonly PollWork[];
  /** The part of all polls that is this process's now. */
  readonly slice: () => Slice;
  readonly batch: number;
  /** How many polls of a project it holds at once [512]. */
  readonly room?: number;
  /** Asks the loop for a round. */
  readonly wake: () => void;
  /** When everything is read from the start again. */
  readonly fullReads?: FullReads;
  /** Called after results were written: there is something to publish. */
  readonly onWritten: () => void;
}

/** While more batches than this wait to be written, nothing more is read. */
const MOST_UNWRITTEN = 4;
/** All that is due is read from the start at least this often, real milliseconds, unless that takes a twentieth of the time. */
const FROM_START_MS = 1_000;
const FROM_START_ONE_IN = 20;
/** After a failure that passes by itself, real milliseconds. */
const PASSING_MS = 100;

export class FollowDue {
  readonly #gateway: AskGateway;
  readonly #writer: BatchWriter<PollRow>;
  readonly #queue: PollQueue;
  readonly #rounds: Rounds;
  #unwritten = 0;
  #round = 0;
  /** The last round read nothing, as too much was not written yet. */
  #waitsForWriter = false;
  /** This follower asked for the next round itself: there is more beyond what was read. */
  #isFurther = false;
  readonly #fullReads: FullReads;
  #fromStartAt = -Infinity;
  #stopping = false;
  /** Begins with the first poll of the batch that is written next. */
  #asking: Span | undefined;
  #idle: (() => void)[] = [];

  constructor(private readonly parts: FollowParts) {
    const { batch, room, log, clock, wake, wire } = parts;
    this.#fullReads = parts.fullReads ?? new FullReads(clock, { everyMs: 0, oneIn: FROM_START_ONE_IN });
    this.#gateway = new AskGateway(parts);
    this.#writer = new BatchWriter({
      name: 'polls',
      write: (rows: readonly PollRow[]) => this.#write(rows),
      refused: (row, error) => this.#refused(row, error),
      batch,
      log,
    });
    this.#rounds = new Rounds(clock, () => {
      this.#isFurther = true;
      wake();
    });
    this.#queue = new PollQueue({
      wire,
      ...(room !== undefined && { room }),
      ask: (poll) => void this.#follow(poll),
      drained: () => this.#rounds.atOnce(),
    });
  }

  /**
   * Reads what this process can soon ask about; asking begins at once. Returns how many polls it read. It wakes the loop
   * for whatever else is due or comes due, so it needs no tick.
   */
  async runOnce(): Promise<number> {
    const { batch } = this.parts;
    // The next polls are read while the last ones are made and their answers are written down.
    this.#waitsForWriter = this.#unwritten > MOST_UNWRITTEN * batch;
    if (this.#stopping || this.#waitsForWriter) return 0;
    const { clock, works, slice } = this.parts;
    const scope = { now: clock.now(), works, slice: slice() };
    const elapsed = clock.elapsed();
    // A place in the index is a place of one kind of work: with several, every read is from the start.
    const mayGoOn = works.length === 1 && this.#queue.isReadUpTo;
    const isSoon = !this.#fullReads.isTime;
    const isFurther = mayGoOn && (isSoon || (this.#isFurther && elapsed < this.#fromStartAt + FROM_START_MS));
    this.#isFurther = false;
    let read = isFurther ? await this.#read(scope, true) : 0;
    if (read === 0 && mayGoOn && isSoon) this.#rounds.after(this.#fullReads.waitMs);
    else if (read === 0) {
      this.#fromStartAt = elapsed;
      read = await this.#fullReads.read(() => this.#read(scope, false));
    }
    if (read === 0 && !this.#stopping) this.#rounds.at(await nextPollAt(this.parts.sql, scope));
    return read;
  }

  async #read(scope: PollScope, isFurther: boolean): Promise<number> {
    const { sql, batch: limit } = this.parts;
    this.#round += 1;
    const wanted = this.#queue.wanted(isFurther);
    const polls = await duePolls(sql, { ...scope, ...wanted, limit, round: this.#round });
    // Before any of them is asked.
    if (polls.length > 0) await this.#learnPlaces(polls);
    if (this.#stopping) return 0;
    const isCut = polls.length >= limit;
    this.#queue.add(polls, wanted, isCut, scope.now);
    if (isCut) this.#rounds.atOnce();
    else if (polls.length > 0) this.#rounds.soon();
    return polls.length;
  }

  /** Resolves when every poll that began is written down. */
  async idle(): Promise<void> {
    if (this.#queue.unasked > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#writer.idle();
  }

  /** Polls that have not begun are left to other processes. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#rounds.stop();
    this.#queue.clear();
    this.parts.calls.release();
    await this.idle();
  }

  /** Each batch has a span in a trace of its own: polls of a campaign go on for days, and a batch has many campaigns. */
  #beginPolls(): void {
    const { by, tracing = NO_TRACING } = this.parts;
    if (!tracing.isOn) return;
    const facts = { 'carillon.by': by };
    this.#asking ??= tracing.begin({ name: 'polls', kind: 'internal', parent: undefined, facts });
  }

  async #write(rows: readonly PollRow[]): Promise<void> {
    const { sql, by, onWritten } = this.parts;
    this.#beginPolls();
    const span = this.#asking;
    this.#asking = undefined;
    await recordPolls(sql, rows, by);
    const moved = rows.filter(({ to }) => to !== null).length;
    span?.end({ 'carillon.polls': rows.length, 'carillon.polls.moved': moved });
    onWritten();
  }

  async #follow(poll: DuePoll): Promise<void> {
    this.#beginPolls();
    const row = await this.#gateway.about(poll).catch((error: unknown) => this.#failed(poll, error));
    if (row === undefined) {
      this.#queue.starved(poll);
    } else {
      this.#unwritten += 1;
      this.#writer.add(row, () => this.#written(poll, row));
      this.#queue.asked(poll);
    }
    if (this.#queue.unasked > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** An error here is ours, not the push service's. The poll is put off, so that not every read meets the error again. */
  async #failed(poll: DuePoll, error: unknown): Promise<PollRow | undefined> {
    const { sql, clock, log } = this.parts;
    const trace = await traceOfSend(sql, poll.id);
    log.error({ err: error, send: poll.id, trace }, 'a poll could not be made');
    if (passesByItself(error)) {
      await pause(PASSING_MS);
      return undefined;
    }
    const now = clock.now();
    return askAgainRow(stay(poll, { now }), 'the last poll could not be made', now);
  }

  async #refused(row: PollRow, error: unknown): Promise<void> {
    const { sql, clock, by, log } = this.parts;
    const why = `the database refused what the last poll found (${errorCode(error) || 'no SQLSTATE'})`;
    await recordPolls(sql, [askAgainRow(row, why, clock.now())], by);
    log.error(
      { send: row.id, fault: faultFields(error), trace: await traceOfSend(sql, row.id) },
      'what a poll found cannot be written down: it is asked again',
    );
  }

  #written(poll: DuePoll, { nextAt }: PollRow): void {
    if (nextAt !== null) this.#queue.putOff(poll, nextAt);
    this.#queue.forget(poll);
    this.#unwritten -= 1;
    if (this.#waitsForWriter && this.#unwritten <= (MOST_UNWRITTEN / 2) * this.parts.batch) {
      this.#waitsForWriter = false;
      this.#rounds.atOnce();
    }
    this.#rounds.at(nextAt);
  }

  /** Where settings cannot be read now, those known before stay. */
  async #learnPlaces(polls: readonly DuePoll[]): Promise<void> {
    const { projects, wire, log } = this.parts;
    const serviceIds = polls.map(({ serviceId }) => serviceId);
    await wire.learn(projects, serviceIds).catch((error: unknown) => {
      log.warn({ err: error, polls: polls.length }, 'the settings of projects could not be read');
    });
  }
}
