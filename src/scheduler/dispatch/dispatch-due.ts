// The dispatcher reads sends a little ahead of their instant and fires each at its millisecond; no project waits for another.
// runOnce() looks ahead; the clock and the answers lead to firing and to further reads. Never plans, never polls.
import { scheduler } from 'node:timers/promises';
import { v7 } from 'uuid';
import { COMMITTED_MS, FullReads } from '../../platform/loops/full-reads.js';
import { ReadAhead } from '../read-ahead/read-ahead.js';
import { readPlanned, type AheadSend } from '../store/send/read-work.store.js';
import type { PushAnswer } from '../push-client/push-api.js';
import type { DispatchDeps } from './dispatch-deps.js';
import { HandOff } from './hand-off.js';
import type { ProjectQueue } from './project-queue.js';
import { ProjectQueues } from './project-queues.js';

/** Nothing is fired for this long after `fire` failed, real milliseconds. */
const AFTER_FAULT_MS = 250;

export class DispatchDue {
  readonly #queues: ProjectQueues;
  readonly #handOff: HandOff;
  readonly #ahead: ReadAhead<AheadSend>;
  #firing: Promise<void> | undefined;
  #stopping = false;
  #pumping = false;
  #disarm: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(private readonly deps: DispatchDeps) {
    this.#queues = new ProjectQueues(deps, {
      gone: (id) => this.#ahead.forget(id),
      freed: (serviceId) => this.#freed(serviceId),
    });
    this.#handOff = new HandOff(deps, this.#queues);
    this.#ahead = new ReadAhead({
      ...deps,
      read: (ask) => readPlanned(deps.sql, ask),
      fullReads: deps.fullReads ?? new FullReads(deps.clock, { everyMs: 0, oneIn: 20 }),
      // A send may appear this late: the commit of its plan took long, or the send was put back.
      againMs: COMMITTED_MS,
      queues: this.#queues.byService,
      prepare: (sends) => this.#prepare(sends),
      take: (sends) => {
        this.#queues.add(sends);
        this.#pump();
      },
    });
  }

  /** Looks ahead once. Returns how many sends it found. More are read without a round, each time enough sends have left. */
  async runOnce(): Promise<number> {
    if (this.#stopping) return 0;
    await this.#queues.refresh();
    await this.#handOff.unconfirmed.putBack((id) => this.#ahead.has(id));
    return this.#ahead.runOnce();
  }

  async #prepare(sends: readonly AheadSend[]): Promise<void> {
    // Their revisions are cached now, not when they are due. If that fails, it is tried and reported again then.
    this.#handOff.revisions.getMany(sends).catch(() => undefined);
    await this.#queues.open(sends);
  }

  /** Stops firing, drops the sends that wait here, and resolves when the answer of every call in flight is written down. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#disarm?.();
    await this.#ahead.stop();
    await this.deps.calls.rates.due.stop();
    await this.#firing;
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    await this.#handOff.idle();
  }

  /** For a database server that may have lost commits; see KeptFires. */
  reconcile(): Promise<void> {
    return this.#handOff.reconcile();
  }

  /** Call it while the database server is the same as before. */
  forgetOld(): void {
    this.#handOff.forgetOld();
  }

  /** How many sends are in flight: fired, and their answers not written down yet. */
  get inFlight(): number {
    return this.#queues.all.reduce((sum, { gate }) => sum + gate.places.sends, 0);
  }

  /** Counts of each project's sends in this process; `queued`: those that are not in flight. */
  queues() {
    const elapsed = this.deps.clock.elapsed();
    return this.#queues.all.map(({ settings, due, gate }) => ({
      serviceId: settings.serviceId,
      queued: due.size,
      inFlight: gate.places.sends,
      circuitOpen: gate.circuit.stateAt(elapsed) !== 'closed',
    }));
  }

  /** The projects that this process cannot call for a reason on our side, each with what to do. */
  unusable(): { readonly serviceId: string; readonly text: string }[] {
    return this.deps.calls.blocks.unusable;
  }

  /** Whether a round is to follow soon although nothing new is due: settings of projects with sends may have changed. */
  get needsCare(): boolean {
    return this.#queues.all.some((queue) => queue.needsCare);
  }

  /** Pumps once for all calls that end in this turn of the event loop: the sends that get their places are fired together. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  /** Takes the sends that may leave now, fires them, and sets the clock for the next. */
  #pump(): void {
    this.#disarm?.();
    const { mayLeave, batch, log } = this.deps;
    if (this.#stopping || !mayLeave()) return;
    this.#queues.askForTokens(() => this.#pump());
    this.#askWhetherBack();
    if (this.#firing !== undefined) return;
    const leaving = this.#queues.take(batch);
    if (leaving.length === 0) {
      this.#disarm = this.#queues.alarm(() => this.#pump());
      return;
    }
    this.#firing = this.#handOff.fire(leaving).catch((error: unknown) => {
      log.error({ err: error, sends: leaving.length }, 'sends could not be fired; they wait');
      return scheduler.wait(AFTER_FAULT_MS);
    });
    void this.#firing.finally(() => {
      this.#firing = undefined;
      this.#pump();
    });
  }

  #askWhetherBack(): void {
    const { clock } = this.deps;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    for (const queue of this.#queues.all) if (queue.asksFirst(now, elapsed)) void this.#probe(queue);
  }

  /**
   * Asks a gateway whose circuit is half open for the result of a message that does not exist, because a send waits for it. A 404 in
   * the gateway's own form proves that it works again, and has no effect there. The circuit counts the answer. Never rejects.
   */
  async #probe({ settings: { serviceId }, gate }: ProjectQueue): Promise<void> {
    const { calls, pushApi } = this.deps;
    const ask = (): Promise<PushAnswer> => pushApi.result(serviceId, v7());
    // It fails while the database is away, which other loops report.
    const called = await calls.call(serviceId, 'probe', ask).catch(() => undefined);
    if (called?.kind === 'called') this.#pumpSoon();
    // The next round asks again.
    else gate.circuit.notAsked();
  }

  /** Called when a send has left this project's queue or came back to it, or a place in flight is free again. */
  #freed(serviceId: string): void {
    if (this.#stopping) {
      if (this.inFlight === 0) this.#drained?.();
      return;
    }
    this.#pumpSoon();
    this.#ahead.drained(serviceId);
  }
}
