// Chunks of targets to their provider: claim, render, hand over slice by slice, record. Before a slice leaves, the chunk's
// frontier is moved past it, so that whatever dies, what may have left is never handed over again. Memory is bounded by
// what is claimed at once; nothing here opens a transaction of its own over a provider's answer.
import { setTimeout as rest } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import type { Span, Tracing } from '../../platform/tracing/tracing.js';
import { databaseFault } from '../gateway/database-fault.js';
import { advance, type ClaimedChunk, type ClaimOrder, type Frontier, type Queue } from './chunk.store.js';
import { isOver } from './deadlines.js';
import { MakeReady } from './make-ready.js';
import { OpenChunk } from './open-chunk.js';
import type { CredentialRef, Job, Outcome, Target } from './provider-port.js';
import { QueueTurns, type Claim, type QueueTurnsOptions, type Route } from './queue-turns.js';
import { Recorder } from './recorder.js';
import { settleOutcome } from './settle-outcome.js';

export interface DeliverContext {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  /** [off] */
  readonly tracing?: Tracing;
  readonly route: QueueTurnsOptions['route'];
  /** Real milliseconds; renewed at a third of it. */
  readonly leaseMs: number;
  /** That call deliverNext() at once [any number]. */
  readonly workers?: number;
  /** Hears of every outcome a provider tells. */
  readonly told?: (credential: CredentialRef, outcome: Outcome) => void;
  /** A push was accepted under a credential that was refused before. */
  readonly recovered?: (credential: CredentialRef) => void;
}

/** Room that does not come within this is not waited for: the rest goes back, for others to have their turn. */
const ROOM_MS = 5_000;

/** Between two slices, real milliseconds, so that a full window is handed answers' worth and not device by device. */
const SLICE_GAP_MS = 5;

/** Of what is handed to no provider. */
const NONE: CredentialRef = { id: '', version: 0, kind: 'sandbox' };

/** What of a chunk leaves now. */
interface Slice {
  readonly chunk: OpenChunk;
  readonly targets: readonly Target[];
}

/** Of what an outcome is told. */
interface Telling {
  readonly route: Route;
  readonly chunk: OpenChunk;
  readonly isStopping: boolean;
}

export class ChunkDelivery {
  /** Names this process in its claims. */
  readonly #worker: string;
  readonly #ready: MakeReady;
  readonly #recorder: Recorder;
  readonly #turns: QueueTurns;
  /** Chunks that are being delivered, or whose last outcomes are not written yet. */
  readonly #held = new Set<OpenChunk>();

  constructor(private readonly context: DeliverContext) {
    const { sql, clock, log, route, leaseMs, workers = Infinity } = context;
    const worker = v7({ msecs: clock.now() });
    this.#worker = worker;
    this.#ready = new MakeReady({ sql, clock });
    this.#recorder = new Recorder({ sql, clock, log, worker, leaseMs });
    this.#turns = new QueueTurns({ sql, clock, worker, leaseMs, workers, route });
  }

  /** Claims of this process that are not to be taken over by it: what it holds is recorded, if late. */
  get held(): readonly Frontier[] {
    return [...this.#held].map(({ frontier }) => frontier);
  }

  /** Delivers what the next queue gives: a chunk, or a run of small ones. Returns how many; many run at once. */
  async deliverNext(order: ClaimOrder | 'by-turns', signal: AbortSignal): Promise<number> {
    const claim = await this.#turns.claim(order);
    if (claim === undefined) return 0;
    try {
      await this.#deliver(claim, signal);
    } finally {
      claim.release();
    }
    return claim.chunks.length;
  }

  /** Throws once all that was told is recorded. */
  async #deliver({ queue, route, chunks: claimed }: Claim, signal: AbortSignal): Promise<void> {
    const { clock, leaseMs } = this.context;
    const credential = 'failing' in route ? NONE : route.credential;
    const chunks = claimed.map((chunk) => new OpenChunk(chunk, jobOf(chunk, queue, credential)));
    for (const chunk of chunks) this.#held.add(chunk);
    for (const chunk of chunks) this.#recorder.begin(chunk);
    const renewal = setInterval(() => void this.#renew(chunks), leaseMs / 3);
    const bugs: unknown[] = [];
    let spans: readonly Span[] = [];
    try {
      for (const chunk of chunks) this.#ready.judge(chunk);
      if ('failing' in route) for (const chunk of chunks) chunk.failRest(route.failing, clock.elapsed());
      else {
        const ready = await this.#makeReady(queue, chunks, bugs);
        spans = this.#begin(ready);
        bugs.push(...(await this.#handOver(route, ready, signal)));
      }
      const ends = await Promise.allSettled(chunks.map((chunk) => this.#recorder.end(chunk)));
      bugs.push(...ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : [])));
    } finally {
      clearInterval(renewal);
      for (const chunk of chunks) this.#held.delete(chunk);
      for (const span of spans) span.end();
    }
    if (bugs.length > 0) throw bugs[0];
  }

  /** Of those that belong to a trace. */
  #begin(chunks: readonly OpenChunk[]): Span[] {
    const { tracing } = this.context;
    if (tracing?.isOn !== true) return [];
    return chunks.flatMap(({ key, length, job: { trace: parent, requestId, credential } }) => {
      if (parent === undefined) return [];
      const facts = {
        'carillon.request.id': requestId,
        'carillon.chunk': key,
        'carillon.devices': length,
        'carillon.provider': credential.kind,
      };
      return [tracing.begin({ name: 'chunk delivery', kind: 'internal', parent, facts })];
    });
  }

  /** Returns those to be handed over. While the database is away none is: they go back as they are, and no claim is lost. */
  async #makeReady(
    { deviceType }: Queue,
    chunks: readonly OpenChunk[],
    bugs: unknown[],
  ): Promise<OpenChunk[]> {
    const open = chunks.filter(({ isDone }) => !isDone);
    try {
      bugs.push(...(await this.#ready.run(deviceType, open)));
      return open.filter(({ isBroken }) => !isBroken);
    } catch (error) {
      bugs.push(error);
      if (databaseFault(error) === undefined) for (const chunk of open) chunk.isBroken = true;
      return [];
    }
  }

  /** Returns what broke, once the provider has told all the rest. */
  async #handOver(route: Route, chunks: readonly OpenChunk[], signal: AbortSignal): Promise<unknown[]> {
    const running: Promise<void>[] = [];
    const bugs: unknown[] = [];
    const start = (slice: Slice): void => {
      running.push(this.#deliverSlice(route, slice, signal).catch((bug: unknown) => void bugs.push(bug)));
    };
    if (route.provider.lostAnswerIs === 'again') {
      // Nothing handed to it is ever in doubt: its frontier stays where it is.
      for (const chunk of chunks) if (!chunk.isDone) start({ chunk, targets: chunk.slice(chunk.length) });
    } else await this.#inSlices(route, chunks, signal, start).catch((bug: unknown) => void bugs.push(bug));
    await Promise.all(running);
    return bugs;
  }

  /** As the credential has room; what it has none for is left. A database that is away ends it as well: nothing leaves then. */
  async #inSlices(
    route: Route,
    chunks: readonly OpenChunk[],
    signal: AbortSignal,
    start: (slice: Slice) => void,
  ): Promise<void> {
    const { sql, leaseMs, log } = this.context;
    try {
      for (;;) {
        const left = chunks.filter((one) => !one.isLost && !one.isDone && one.next < one.length);
        const room = left.length === 0 || signal.aborted ? 0 : await roomOf(route, signal);
        if (room === 0) return;
        const slices = this.#cut(left, room);
        const frontiers = slices.map(({ chunk }) => chunk.frontier);
        const ours = await advance(sql, frontiers, this.#worker, leaseMs);
        for (const slice of slices) {
          if (ours.has(slice.chunk.key)) start(slice);
          else this.#lost(slice.chunk);
        }
        if (left.every(({ next, length }) => next === length)) return;
        await rest(SLICE_GAP_MS);
      }
    } catch (error) {
      if (databaseFault(error) === undefined) throw error;
      log.warn({ err: error }, 'devices wait for the database');
    }
  }

  /** Moves each chunk's frontier past what is cut off it. */
  #cut(chunks: readonly OpenChunk[], room: number): Slice[] {
    const slices: Slice[] = [];
    const elapsed = this.context.clock.elapsed();
    let left = room;
    for (const chunk of chunks) {
      if (left === 0) break;
      const over = isOver(chunk.job, this.context.clock);
      if (over?.kind === 'failed') {
        for (const { place } of chunk.slice(chunk.length)) chunk.fail(place, over.reason, elapsed);
        chunk.next = chunk.length;
        continue;
      }
      const end = Math.min(chunk.length, chunk.next + left);
      const targets = chunk.slice(end);
      chunk.next = end;
      left -= targets.length;
      if (targets.length > 0) slices.push({ chunk, targets });
    }
    return slices;
  }

  async #deliverSlice(route: Route, { chunk, targets }: Slice, signal: AbortSignal): Promise<void> {
    const { provider } = route;
    const isTold = new Uint8Array(chunk.length);
    const told = (place: number, outcome: Outcome): void => {
      isTold[place] = 1;
      this.#told({ route, chunk, isStopping: signal.aborted }, place, outcome);
    };
    try {
      await provider.deliver(chunk.job, targets, { signal, told });
    } catch (error) {
      // The credential could not be read: nothing left.
      if (databaseFault(error) !== undefined) {
        for (const { place } of targets)
          if (isTold[place] === 0) told(place, { kind: 'retry', reason: 'DATABASE', afterMs: 0 });
      } else {
        chunk.isBroken = true;
        throw error;
      }
    }
  }

  #told({ route, chunk, isStopping }: Telling, place: number, outcome: Outcome): void {
    const { clock, told, recovered } = this.context;
    const { provider, credential, faultSince } = route;
    told?.(credential, outcome);
    if (outcome.kind === 'sent' && faultSince !== undefined) recovered?.(credential);
    if (outcome.kind === 'gone') chunk.gone(place, outcome.since);
    const settled = settleOutcome(outcome, {
      now: clock.now(),
      notAfter: chunk.job.notAfter,
      refusals: chunk.chunk.refusals,
      isStopping,
      faultSince,
      random: Math.random(),
    });
    const isRepeated = provider.lostAnswerIs === 'again' && chunk.lostClaims > 0;
    chunk.settle(place, settled, { elapsed: clock.elapsed(), isRepeated });
    this.#recorder.noticed();
  }

  async #renew(chunks: readonly OpenChunk[]): Promise<void> {
    const { sql, log, leaseMs } = this.context;
    const held = chunks.filter(({ isLost }) => !isLost);
    try {
      const frontiers = held.map(({ frontier }) => frontier);
      const ours = await advance(sql, frontiers, this.#worker, leaseMs);
      for (const chunk of held) if (!ours.has(chunk.key)) this.#lost(chunk);
    } catch (error) {
      log.warn({ err: error, chunks: held.length }, 'leases could not be renewed');
    }
  }

  #lost(chunk: OpenChunk): void {
    chunk.isLost = true;
    const { key, job } = chunk;
    this.context.log.warn({ chunk: key, trace: job.trace }, 'a chunk was taken over by another');
  }
}

function jobOf(chunk: ClaimedChunk, { serviceId }: Queue, credential: CredentialRef): Omit<Job, 'variants'> {
  const { firingId, messageId, notAfter, notAfterReason } = chunk;
  const end = notAfter === null ? undefined : { at: notAfter.getTime(), reason: notAfterReason ?? 'TIMEOUT' };
  return { firingId, requestId: messageId, serviceId, credential, notAfter: end };
}

/** 0: none came in time. */
async function roomOf({ provider, credential }: Route, signal: AbortSignal): Promise<number> {
  const room = provider.room(credential);
  if (room > 0) return room;
  const stop = new AbortController();
  const end = (): void => stop.abort();
  const timer = setTimeout(end, ROOM_MS);
  signal.addEventListener('abort', end);
  try {
    await provider.waitForRoom(credential, stop.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
  return provider.room(credential);
}
