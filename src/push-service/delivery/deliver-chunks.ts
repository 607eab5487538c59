// Hands claimed chunks to their provider: claim, render, hand over slice by slice, record. Before a slice leaves, its chunk's
// frontier is moved past it, so whatever dies, a device that may have left is never handed over again. Memory is bounded by
// what is claimed at once; no transaction is held open while a provider answers.
import { setTimeout as rest } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Span, Tracing } from '../../platform/tracing/tracing.js';
import { databaseFault } from '../gateway/database-fault.js';
import { advance, type ClaimedChunk, type ClaimOrder, type Frontier, type Queue } from './chunk.store.js';
import { isOver } from './deadlines.js';
import { MakeReady } from './render-chunks.js';
import { OpenChunk } from './open-chunk.js';
import type { CredentialRef, Job, Outcome, Target } from './provider-port.js';
import { QueueTurns, type Claim, type QueueTurnsOptions, type Route } from './queue-turns.js';
import { Recorder, type RecorderOptions } from './record-outcomes.js';
import { judgeOutcome } from './outcome-code.js';

/** The lease is renewed at a third of `leaseMs`. */
export interface DeliverContext extends Omit<RecorderOptions, 'worker'>, Omit<QueueTurnsOptions, 'worker'> {
  /** [off] */
  readonly tracing?: Tracing;
  /** Called with every outcome that a provider tells. */
  readonly told?: (credential: CredentialRef, outcome: Outcome) => void;
  /** Called when a push was accepted under a credential that was refused before. */
  readonly recovered?: (credential: CredentialRef) => void;
}

/**
 * How long a credential's room is waited for, real milliseconds; then the rest goes back with the claim's end, for another
 * process, or for small messages to pass.
 */
const ROOM_MS = 5_000;

/** Between two slices, real milliseconds: while the window is full, a slice is many answers' worth and not one device. */
const SLICE_GAP_MS = 5;

/** Stands for the credential of devices that go to no provider. */
const NO_CREDENTIAL: CredentialRef = { id: '', version: 0, kind: 'sandbox' };

/** A claim that was begun. */
export interface BegunClaim {
  readonly chunks: number;
  /** Whether it goes on: requests are open, or wait for room. */
  readonly goesOn: boolean;
  /** Once all that was told is recorded; rejects with what broke first. */
  readonly ended: Promise<void>;
}

/** The targets of a chunk that leave together. */
interface Slice {
  readonly chunk: OpenChunk;
  readonly targets: readonly Target[];
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
    this.#worker = v7({ msecs: context.clock.now() });
    this.#ready = new MakeReady(context);
    this.#recorder = new Recorder({ ...context, worker: this.#worker });
    this.#turns = new QueueTurns({ ...context, worker: this.#worker });
  }

  /** Claims that this process must not take over from itself: it will still record their outcomes, if late. */
  get held(): readonly Frontier[] {
    return [...this.#held].map(({ frontier }) => frontier);
  }

  /**
   * Claims what the next queue gives, a chunk or a run of small ones, and resolves once that is ready to be handed over to an
   * outside provider; otherwise with the claim's end. Many calls may run at once. Undefined: no queue has a turn.
   */
  async begin(order: ClaimOrder | 'by-turns', signal: AbortSignal): Promise<BegunClaim | undefined> {
    const claim = await this.#turns.claim(order);
    if (claim === undefined) return undefined;
    const { route, chunks, release } = claim;
    const goesOn = 'provider' in route && route.provider.lostAnswerIs === 'unknown';
    let ready = (): void => undefined;
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    const ended = this.#deliver(claim, signal, ready).finally(release);
    await (goesOn ? Promise.race([isReady, ended]) : ended);
    return { chunks: chunks.length, goesOn, ended };
  }

  /** Throws what broke first, once everything that was told is recorded. */
  async #deliver(
    { queue, route, chunks: claimed }: Claim,
    signal: AbortSignal,
    ready: () => void,
  ): Promise<void> {
    const { clock, leaseMs } = this.context;
    const credential = 'failing' in route ? NO_CREDENTIAL : route.credential;
    const chunks = claimed.map((chunk) => new OpenChunk(chunk, jobOf(chunk, queue, credential)));
    for (const chunk of chunks) {
      this.#held.add(chunk);
      this.#recorder.begin(chunk);
    }
    const renewal = setInterval(() => void this.#renew(chunks), leaseMs / 3);
    const bugs: unknown[] = [];
    let spans: readonly Span[] = [];
    try {
      for (const chunk of chunks) this.#ready.judge(chunk);
      if ('failing' in route) for (const chunk of chunks) chunk.failRest(route.failing, clock.elapsed());
      else {
        const open = chunks.filter(({ isDone }) => !isDone);
        const made = await this.#ready.run(queue.deviceType, open, bugs);
        spans = this.#beginSpans(made);
        ready();
        await this.#handOver(route, made, signal, bugs);
      }
      await Promise.all(chunks.map((chunk) => this.#recorder.end(chunk).catch((bug) => bugs.push(bug))));
    } finally {
      clearInterval(renewal);
      for (const chunk of chunks) this.#held.delete(chunk);
      for (const span of spans) span.end();
    }
    if (bugs.length > 0) throw bugs[0];
  }

  /** Only for chunks whose message belongs to a trace. */
  #beginSpans(chunks: readonly OpenChunk[]): Span[] {
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

  /** Ends once the provider has told all outcomes; adds to `bugs` what broke. */
  async #handOver(
    route: Route,
    chunks: readonly OpenChunk[],
    signal: AbortSignal,
    bugs: unknown[],
  ): Promise<void> {
    const running: Promise<void>[] = [];
    const note = (bug: unknown): void => void bugs.push(bug);
    const start = (slice: Slice): void =>
      void running.push(this.#deliverSlice(route, slice, signal).catch(note));
    if (route.provider.lostAnswerIs === 'again') {
      // Nothing handed to this provider is ever in doubt, so the frontier need not move.
      for (const chunk of chunks) if (!chunk.isDone) start({ chunk, targets: chunk.slice(chunk.length) });
    } else await this.#inSlices(route, chunks, signal, start).catch(note);
    await Promise.all(running);
  }

  /** Starts slices as the credential has room, and leaves the rest. A database that is away ends it too: nothing leaves then. */
  async #inSlices(
    route: Route,
    chunks: readonly OpenChunk[],
    signal: AbortSignal,
    start: (slice: Slice) => void,
  ): Promise<void> {
    try {
      for (;;) {
        const left = chunks.filter((one) => !one.isLost && !one.isDone && one.next < one.length);
        const room = left.length === 0 || signal.aborted ? 0 : await roomOf(route, signal);
        if (room === 0) return;
        const slices = this.#cut(left, room);
        await this.#advance(slices.map(({ chunk }) => chunk));
        for (const slice of slices) if (!slice.chunk.isLost) start(slice);
        if (left.every(({ next, length }) => next === length)) return;
        await rest(SLICE_GAP_MS);
      }
    } catch (error) {
      if (databaseFault(error) === undefined) throw error;
      this.context.log.warn({ err: error }, 'devices wait for the database');
    }
  }

  /** Cuts off as many targets as there is room for, and counts them as handed over. */
  #cut(chunks: readonly OpenChunk[], room: number): Slice[] {
    const { clock } = this.context;
    const slices: Slice[] = [];
    let left = room;
    for (const chunk of chunks) {
      if (left === 0) break;
      const over = isOver(chunk.job, clock);
      if (over?.kind === 'failed') {
        const elapsed = clock.elapsed();
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

  async #deliverSlice(
    { provider, credential, faultSince }: Route,
    { chunk, targets }: Slice,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, told, recovered } = this.context;
    const isTold = new Uint8Array(chunk.length);
    const isRepeated = provider.lostAnswerIs === 'again' && chunk.lostClaims > 0;
    const tell = (place: number, outcome: Outcome): void => {
      isTold[place] = 1;
      told?.(credential, outcome);
      if (outcome.kind === 'sent' && faultSince !== undefined) recovered?.(credential);
      if (outcome.kind === 'gone') chunk.gone(place, outcome.since);
      const judged = judgeOutcome(outcome, {
        now: clock.now(),
        notAfter: chunk.job.notAfter,
        refusals: chunk.chunk.refusals,
        isStopping: signal.aborted,
        faultSince,
        random: Math.random(),
      });
      chunk.setOutcome(place, judged, clock.elapsed(), isRepeated);
      this.#recorder.noticed();
    };
    try {
      await provider.deliver(chunk.job, targets, { signal, told: tell });
    } catch (error) {
      if (databaseFault(error) === undefined) {
        chunk.isBroken = true;
        throw error;
      }
      // The credential could not be read, so nothing left.
      for (const { place } of targets)
        if (isTold[place] === 0) tell(place, { kind: 'retry', reason: 'DATABASE', afterMs: 0 });
    }
  }

  async #renew(chunks: readonly OpenChunk[]): Promise<void> {
    const held = chunks.filter(({ isLost }) => !isLost);
    try {
      await this.#advance(held);
    } catch (error) {
      this.context.log.warn({ err: error, chunks: held.length }, 'leases could not be renewed');
    }
  }

  /** Writes down how far chunks are handed over, and renews their leases. A chunk that another process holds by now is lost. */
  async #advance(chunks: readonly OpenChunk[]): Promise<void> {
    const { sql, log, leaseMs } = this.context;
    const frontiers = chunks.map(({ frontier }) => frontier);
    const ours = await advance(sql, frontiers, this.#worker, leaseMs);
    for (const chunk of chunks) if (!ours.has(chunk.key)) chunk.lose(log);
  }
}

function jobOf(chunk: ClaimedChunk, { serviceId }: Queue, credential: CredentialRef): Omit<Job, 'variants'> {
  const { firingId, messageId, notAfter, notAfterReason } = chunk;
  const end = notAfter === null ? undefined : { at: notAfter.getTime(), reason: notAfterReason ?? 'TIMEOUT' };
  return { firingId, requestId: messageId, serviceId, credential, notAfter: end };
}

/** Waits for room if there is none; 0 when none came in time. */
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
