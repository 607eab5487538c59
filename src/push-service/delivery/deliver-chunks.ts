// Hands claimed chunks to their provider: claim, render, hand over, record. The provider says when devices are about to leave,
// and the chunk's frontier moves past them first. So a device that may have left is never handed over again, whatever dies. What
// is claimed at once bounds the memory. No transaction is open while a provider answers.
import { v7 } from 'uuid';
import type { Span, Tracing } from '../../platform/tracing/tracing.js';
import { GroupedStatement } from '../../platform/database/grouped-statement.js';
import { databaseFault } from '../gateway/database-fault.js';
import { advance, type ClaimedChunk, type ClaimOrder, type Frontier, type Queue } from './chunk.store.js';
import { RenderChunks } from './render-chunks.js';
import { OpenChunk } from './open-chunk.js';
import type { CredentialRef, Job, Outcome } from './provider-port.js';
import { QueueTurns, type Claim, type QueueTurnsOptions, type Route } from './queue-turns.js';
import { Recorder, type RecorderOptions } from './record-outcomes.js';
import { judgeOutcome } from './outcome-code.js';

/** A lease is renewed after each third of `leaseMs`. */
export interface DeliverContext extends Omit<RecorderOptions, 'worker'>, Omit<QueueTurnsOptions, 'worker'> {
  /** [off] */
  readonly tracing?: Tracing;
  /** Called with every outcome that a provider reports. */
  readonly onOutcome?: (credential: CredentialRef, outcome: Outcome) => void;
  /** Called when a push was accepted under a credential that was refused before. */
  readonly recovered?: (credential: CredentialRef) => void;
}

/** How many statements move frontiers at once. What is to leave meanwhile goes with the next statement. */
const FRONTIER_STATEMENTS = 2;

/** Stands for the credential of devices that go to no provider. */
const NO_CREDENTIAL: CredentialRef = { id: '', version: 0, kind: 'sandbox' };

export class ChunkDelivery {
  /** Names this process in its claims. */
  readonly #worker: string;
  readonly #ready: RenderChunks;
  readonly #recorder: Recorder;
  readonly #turns: QueueTurns;
  /** Chunks that are being delivered, or whose last outcomes are not written yet. */
  readonly #held = new Set<OpenChunk>();
  readonly #frontiers = new GroupedStatement({
    run: (chunks: readonly OpenChunk[]) => this.#advance(chunks),
    workers: FRONTIER_STATEMENTS,
    groupWeight: Infinity,
    waitingWeight: Infinity,
  });

  constructor(private readonly context: DeliverContext) {
    this.#worker = v7({ msecs: context.clock.now() });
    this.#ready = new RenderChunks(context);
    this.#recorder = new Recorder({ ...context, worker: this.#worker });
    this.#turns = new QueueTurns({ ...context, worker: this.#worker });
  }

  /** Claims that this process must not take over from itself: it still records their outcomes, if late. */
  get held(): readonly Frontier[] {
    return [...this.#held].map(({ frontier }) => frontier);
  }

  /**
   * Claims a chunk of the next queue, or a run of small ones. Resolves once the claim is ready to be handed over to an outside
   * provider, or else when the claim ends. Many calls may run at once. Undefined: no queue has a turn. Until `ended` settles,
   * requests are open or targets wait for a turn. It resolves once all outcomes are recorded, or rejects with what broke first.
   */
  async begin(order: ClaimOrder | 'by-turns', signal: AbortSignal) {
    const claim = await this.#turns.claim(order);
    if (claim === undefined) return undefined;
    let ready = (): void => undefined;
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    const ended = this.#deliver(claim, signal, ready).finally(claim.release);
    await Promise.race([isReady, ended]);
    return { chunks: claim.chunks.length, ended };
  }

  /** Throws what broke first, once all outcomes that were reported are recorded. */
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
    const renew = (): void => void this.#advance(chunks).catch(() => undefined);
    const renewal = setInterval(renew, leaseMs / 3);
    const bugs: unknown[] = [];
    let spans: readonly Span[] = [];
    try {
      for (const chunk of chunks) this.#ready.judge(chunk);
      if ('failing' in route) for (const chunk of chunks) chunk.failRest(route.failing, clock.elapsed());
      else {
        const open = chunks.filter(({ isDone }) => !isDone);
        const made = await this.#ready.run(queue.deviceType, open, bugs);
        spans = this.#beginSpans(made);
        if (route.provider.lostAnswerIs === 'unknown') ready();
        await Promise.all(made.map((chunk) => this.#handOver(route, chunk, signal, bugs)));
      }
      await Promise.all(chunks.map((chunk) => this.#recorder.end(chunk).catch((bug) => bugs.push(bug))));
    } finally {
      clearInterval(renewal);
      for (const chunk of chunks) this.#held.delete(chunk);
      for (const span of spans) span.end();
    }
    if (bugs.length > 0) throw bugs[0];
  }

  /** Begins spans only for chunks whose message belongs to a trace. */
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

  /** Ends once the provider has reported all outcomes; adds to `bugs` what broke. */
  async #handOver(route: Route, chunk: OpenChunk, signal: AbortSignal, bugs: unknown[]): Promise<void> {
    const report = this.#reporterOf(route, chunk, signal);
    const leaves = (end: number): Promise<boolean> => {
      chunk.next = end;
      return this.#frontiers.ask(chunk, this.context.leaseMs);
    };
    try {
      await route.provider.deliver(chunk.job, chunk.targets, { signal, report, leaves });
    } catch (error) {
      // Without the database no credential is read and no frontier moves, so nothing left.
      if (databaseFault(error) !== undefined) return;
      chunk.isBroken = true;
      bugs.push(error);
    }
  }

  #reporterOf({ provider, credential, faultSince }: Route, chunk: OpenChunk, signal: AbortSignal) {
    const { clock, onOutcome, recovered } = this.context;
    const isRepeated = provider.lostAnswerIs === 'again' && chunk.lostClaims > 0;
    return (place: number, outcome: Outcome): void => {
      // A target that had no turn is ready again at the end of the claim, without the wait.
      if (place >= chunk.next && (outcome.kind === 'retry' || outcome.kind === 'credential')) return;
      onOutcome?.(credential, outcome);
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
  }

  /**
   * Records how far chunks are handed over, and renews their leases. Returns for each chunk whether this process still holds it:
   * a chunk that another process holds by now is lost.
   */
  async #advance(chunks: readonly OpenChunk[]): Promise<boolean[]> {
    const { sql, log, leaseMs } = this.context;
    const held = chunks.filter(({ isLost }) => !isLost);
    try {
      const frontiers = held.map(({ frontier }) => frontier);
      const ours = await advance(sql, frontiers, this.#worker, leaseMs);
      for (const chunk of held) if (!ours.has(chunk.key)) chunk.lose(log);
    } catch (error) {
      log.warn({ err: error, chunks: held.length }, 'leases could not be renewed, and devices wait for that');
      throw error;
    }
    return chunks.map(({ isLost }) => !isLost);
  }
}

function jobOf(chunk: ClaimedChunk, { serviceId }: Queue, credential: CredentialRef): Omit<Job, 'variants'> {
  const { firingId, messageId, notAfter, notAfterReason } = chunk;
  const end = notAfter === null ? undefined : { at: notAfter.getTime(), reason: notAfterReason ?? 'TIMEOUT' };
  return { firingId, requestId: messageId, serviceId, credential, notAfter: end };
}
