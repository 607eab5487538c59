// The follower makes the polls or the cancels that are due and writes their answers down. runOnce() reads what is due; the calls
// follow it, within the project's shared rate and places in flight, and wake the loop for the next round. Never sends.
import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriter } from '../../platform/database/batch-writer.js';
import { FullReads } from '../../platform/loops/full-reads.js';
import { passesByItself } from '../../platform/database/database-away.js';
import { errorCode } from '../../platform/logging/error-code.js';
import { faultFields } from '../../platform/logging/log.js';
import { NO_TRACING, type Span } from '../../platform/tracing/tracing.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import type { Core } from '../core.js';
import { ReadAhead } from '../read-ahead/read-ahead.js';
import { nextPollAt, recordPolls, type PollRow } from '../store/send/poll.store.js';
import { readPolls, type FoundPoll, type PollWork } from '../store/send/read-work.store.js';
import { traceOfSend } from '../store/trace.store.js';
import { AskGateway, type AskGatewayDeps } from './ask-gateway.js';
import { askAgainRow, stay } from './judge-poll.js';
import { PollQueue } from './poll-queue.js';
import { Rounds } from './ask-for-round.js';

export interface FollowDeps extends AskGatewayDeps, Pick<Core, 'log'> {
  readonly by: string;
  readonly work: PollWork;
  /** This process's slice of the polls now. */
  readonly slice: () => Slice;
  readonly batch: number;
  /** The most polls of a project that it holds at once [512]. */
  readonly room?: number;
  /** Asks the loop for a round. */
  readonly wake: () => void;
  /** When late polls are read from the start again [so often that these reads take a twentieth of the time]. */
  readonly fullReads?: FullReads;
  /** Called after results were written: there is something to publish. */
  readonly onWritten: () => void;
}

/** While more batches than this wait to be written, nothing more is read. */
const MOST_UNWRITTEN = 4;
const ROOM = 512;
/** The rest after a failure that passes by itself, real milliseconds. */
const PASSING_MS = 100;

export class FollowDue {
  readonly #gateway: AskGateway;
  readonly #writer: BatchWriter<PollRow>;
  readonly #ahead: ReadAhead<FoundPoll>;
  readonly #queue: PollQueue;
  readonly #rounds: Rounds;
  #unwritten = 0;
  /** Too many rows wait to be written: nothing more is read until half of them are. */
  #waitsForWriter = false;
  #stopping = false;
  /** The span of the batch that is written next; it begins with the batch's first poll. */
  #asking: Span | undefined;
  #idle: (() => void)[] = [];

  constructor(private readonly deps: FollowDeps) {
    const { batch, room = ROOM, log, clock, wake, calls, work, sql } = deps;
    this.#gateway = new AskGateway(deps);
    this.#writer = new BatchWriter({
      name: 'polls',
      write: (rows: readonly PollRow[]) => this.#write(rows),
      refused: (row, error) => this.#refused(row, error),
      batch,
      log,
    });
    this.#rounds = new Rounds(clock, wake);
    this.#queue = new PollQueue({
      placesOf: (serviceId) => calls.blocks.gate(serviceId).places,
      room,
      ask: (poll) => void this.#follow(poll),
      drained: (serviceId) => {
        if (!this.#isBehind()) this.#ahead.drained(serviceId);
      },
      giveBack: (poll) => this.#ahead.giveBack(poll),
    });
    this.#ahead = new ReadAhead({
      ...deps,
      room,
      read: (ask) => readPolls(sql, { ...ask, work }),
      fullReads: deps.fullReads ?? new FullReads(clock, { everyMs: 0, oneIn: 20 }),
      aheadMs: 0,
      // A poll is always put off to an instant after that of its commit.
      againMs: 0,
      wake: () => this.#rounds.atOnce(),
      queues: this.#queue.byService,
      prepare: (polls) => this.#learnPlaces(polls),
      take: (polls) => this.#queue.add(polls),
    });
  }

  /**
   * Reads polls that are due and begins to make them. Returns how many it read. It wakes the loop when more is due or comes due, so
   * the loop needs no timer.
   */
  async runOnce(): Promise<number> {
    const { sql, clock, work, slice } = this.deps;
    if (this.#stopping || this.#isBehind()) return 0;
    const now = clock.now();
    const read = await this.#ahead.runOnce();
    if (this.#stopping) return read;
    if (read > 0) this.#rounds.soon();
    else this.#rounds.at(await nextPollAt(sql, { now, work, slice: slice() }));
    return read;
  }

  /** Whether so many answers wait to be written that no more polls are to be read. */
  #isBehind(): boolean {
    this.#waitsForWriter ||= this.#unwritten > MOST_UNWRITTEN * this.deps.batch;
    return this.#waitsForWriter;
  }

  /** Resolves when every poll that began is written. */
  async idle(): Promise<void> {
    if (this.#queue.unasked > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#writer.idle();
  }

  /** Leaves polls that have not begun to other processes. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#rounds.stop();
    this.#queue.clear();
    await this.#ahead.stop();
    this.deps.calls.release();
    await this.idle();
  }

  /** Begins the span of a batch, in its own trace: a campaign is polled for days, and a batch has polls of many campaigns. */
  #beginPolls(): void {
    const { by, tracing = NO_TRACING } = this.deps;
    if (!tracing.isOn) return;
    const facts = { 'carillon.by': by };
    this.#asking ??= tracing.begin({ name: 'polls', kind: 'internal', parent: undefined, facts });
  }

  async #write(rows: readonly PollRow[]): Promise<void> {
    const { sql, by, onWritten } = this.deps;
    this.#beginPolls();
    const span = this.#asking;
    this.#asking = undefined;
    await recordPolls(sql, rows, by);
    const moved = rows.filter(({ to }) => to !== null).length;
    span?.end({ 'carillon.polls': rows.length, 'carillon.polls.moved': moved });
    onWritten();
  }

  async #follow(poll: FoundPoll): Promise<void> {
    this.#beginPolls();
    const row = await this.#gateway.about(poll).catch((error: unknown) => this.#failed(poll, error));
    if (row === undefined) {
      this.#queue.gotNoTurn(poll);
    } else {
      this.#unwritten += 1;
      this.#writer.add(row, () => this.#written(poll, row));
      this.#queue.asked(poll);
    }
    if (this.#queue.unasked > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** An error here is ours, not the push service's. The poll is put off, so that the next read does not meet the error again. */
  async #failed(poll: FoundPoll, error: unknown): Promise<PollRow | undefined> {
    const { sql, clock, log } = this.deps;
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
    const { sql, clock, by, log } = this.deps;
    const why = `the database refused the answer to the last poll (${errorCode(error) || 'no SQLSTATE'})`;
    await recordPolls(sql, [askAgainRow(row, why, clock.now())], by);
    log.error(
      { send: row.id, fault: faultFields(error), trace: await traceOfSend(sql, row.id) },
      'the answer to a poll cannot be written down: the poll will be made again',
    );
  }

  #written({ id, serviceId }: FoundPoll, { nextAt }: PollRow): void {
    if (nextAt !== null) this.#ahead.stepBack(serviceId, nextAt);
    this.#ahead.forget(id);
    this.#unwritten -= 1;
    if (this.#waitsForWriter && this.#unwritten <= (MOST_UNWRITTEN / 2) * this.deps.batch) {
      this.#waitsForWriter = false;
      this.#rounds.atOnce();
    }
    this.#rounds.at(nextAt);
  }

  /** If settings cannot be read now, those read before stay in force. */
  async #learnPlaces(polls: readonly FoundPoll[]): Promise<void> {
    const { calls, log } = this.deps;
    const serviceIds = new Set(polls.map(({ serviceId }) => serviceId));
    await calls.see([...serviceIds]).catch((error: unknown) => {
      log.warn({ err: error, polls: polls.length }, 'the settings of projects could not be read');
    });
  }
}
