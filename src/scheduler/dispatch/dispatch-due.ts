// The dispatcher: claims sends a little ahead of their instant, fires each on its millisecond, and lets one project
// never wait for another. runOnce() claims; firing follows the clock and the answers. Never plans, never polls.
import { scheduler } from 'node:timers/promises';
import { v7 } from 'uuid';
import { BatchWriter } from '../../platform/batch-writer.js';
import { recordAnswers, type RecordedAnswer } from '../store/answer.store.js';
import { claimDue, releaseClaims, type ClaimedSend } from '../store/claim.store.js';
import { askWhetherBack } from './ask-whether-back.js';
import { SharedWire } from '../push-client/shared-wire.js';
import { fetchTokens, tokenWishes } from './fetch-tokens.js';
import { HandOff, type HandOffParts } from './hand-off.js';
import { keepAnswer } from './keep-answer.js';
import { Lane, type LaneSettings, type QueuedSend } from './lane.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import { RevisionCache } from './revision-cache.js';
import { takeInTurns } from './take-in-turns.js';
import { wakeFor } from './wake-for.js';

export interface DispatchParts extends Omit<HandOffParts, 'recorder' | 'revisions'> {
  /** Of a send that is only claimed, real milliseconds: after a crash it is claimed again so soon. */
  readonly claimLeaseMs: number;
  /** The way to the gateways, shared with all who call them. */
  readonly calls: ProjectCalls;
  /** Sends claimed by one statement. */
  readonly batch: number;
  /** The places on the wire that sends share with the looks of this process; without it they have them alone. */
  readonly wire?: SharedWire;
  /** Asks the loop for a round. */
  readonly wake: () => void;
  /** Told of every answer but a taken one, for the metrics. */
  readonly notTaken?: (serviceId: string, code: string) => void;
}

export interface LaneState {
  readonly serviceId: string;
  /** Claimed, and not on the wire. */
  readonly queued: number;
  readonly onWire: number;
  readonly circuitOpen: boolean;
}

/** The rest after `fire` failed, real milliseconds. */
const AFTER_FAULT_MS = 250;
/** Looks for stale claimed sends in the time a lease lasts. */
const STALE_LOOKS = 20;
/** Sends of a project seen for the first time, before its settings are known. */
const FIRST_ROOM = 128;

/** Without a send to probe it with, an unreachable gateway is forgotten after this, real milliseconds. */
const UNPROBED_MS = 60_000;

export class DispatchDue {
  readonly #lanes = new Map<string, Lane>();
  readonly #recorder: BatchWriter<RecordedAnswer>;
  readonly #revisions: RevisionCache;
  readonly #handOff: HandOff;
  readonly #wire: SharedWire;
  #round = 0;
  /** Of claims of which the database did not say whether they were made. */
  #doubtful: string[] = [];
  /** On the real clock: when claimed sends are next looked through for stale ones. */
  #staleLookAt = 0;
  #firing: Promise<void> | undefined;
  #stopping = false;
  #pumping = false;
  #asking = false;
  #disarm: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(private readonly parts: DispatchParts) {
    const { sql, clock, by, log, batch, calls, wire = new SharedWire() } = parts;
    this.#wire = wire;
    wire.onFreed('sends', (serviceId) => this.#lanes.has(serviceId) && this.#pumpSoon());
    this.#recorder = new BatchWriter({
      name: 'answers',
      write: (answers: readonly RecordedAnswer[]) => recordAnswers(sql, answers, by, clock.now()),
      refused: (answer, error) => keepAnswer(parts, answer, error),
      batch,
      log,
    });
    this.#revisions = new RevisionCache(sql);
    this.#handOff = new HandOff(
      { ...parts, recorder: this.#recorder, revisions: this.#revisions },
      {
        called: (entry) => this.#ended(entry, true),
        awaited: ({ serviceId }) => this.#lanes.get(serviceId)?.isFull(clock.now()) === true,
        putDown: (entry) => this.#ended(entry, false),
        unusable: ({ serviceId }, fault) => void calls.blocks.cannotCall(serviceId, fault),
        answered: ({ id, serviceId }, outcome, answer) => {
          calls.blocks.ended(serviceId, id, answer, outcome.kind === 'unknown');
          if (outcome.kind !== 'taken') parts.notTaken?.(serviceId, outcome.code);
        },
        later: (entry, at) => {
          this.#lanes.get(entry.serviceId)?.queue.push({ ...entry, at });
          this.#ended(entry, false);
        },
      },
    );
  }

  /** Claims what is due up to the look-ahead. Returns how many sends it claimed. */
  async runOnce(): Promise<number> {
    if (this.#stopping) return 0;
    const { sql, clock, by, claimLeaseMs: leaseMs, aheadMs, batch } = this.parts;
    await this.#refreshLanes();
    await this.#giveBackStale();
    await this.#giveBackDoubtful();
    const now = clock.now();
    const elapsed = clock.elapsed();
    const token = v7();
    const rooms = new Map([...this.#lanes].map(([id, lane]) => [id, lane.room(aheadMs, now, elapsed)]));
    this.#round += 1;
    // Should the answer be lost, the next round gives back what this one may have claimed.
    this.#doubtful.push(token);
    const claimed = await claimDue(sql, {
      now,
      upTo: now + aheadMs,
      by,
      token,
      leaseMs,
      limit: batch,
      rooms,
      room: FIRST_ROOM,
      round: this.#round,
    });
    this.#doubtful = [];
    // Read now, not when they are due; a fault meets them again there.
    this.#revisions.getMany(claimed).catch(() => undefined);
    const settings = await this.#settingsOf(claimed);
    for (const send of claimed) {
      let lane = this.#lanes.get(send.serviceId);
      const project = settings.get(send.serviceId);
      if (lane === undefined) {
        const gate = this.parts.calls.blocks.gate(send.serviceId);
        const wire = this.#wire.of(send.serviceId);
        lane = new Lane(project ?? { inFlight: 1, ratePerSecond: 1, weight: 1 }, gate, wire);
        this.#lanes.set(send.serviceId, lane);
      }
      lane.queue.push({ ...send, at: send.handOffAt, token, claimedAt: elapsed });
    }
    this.#pump();
    return claimed.length;
  }

  /** Stops firing, gives back what it has claimed, and ends when every call in flight is written down. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#disarm?.();
    await this.#firing;
    await this.#giveBackQueued();
    if (this.onWire > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    await this.#recorder.idle();
    // What could not be fired came back meanwhile.
    await this.#giveBackQueued();
    await this.#giveBackDoubtful().catch(() => undefined);
  }

  /** Sends on the wire, or whose answer is not written down yet. */
  get onWire(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.onWire, 0);
  }

  /** Gateways called from here: how many, and whose could not be reached lately. */
  gateways(): { called: number; unreachable: string[] } {
    const elapsed = this.parts.clock.elapsed();
    const unreachable = [...this.#lanes]
      .filter(
        ([, { circuit }]) => circuit.stateAt(elapsed) !== 'closed' && elapsed < circuit.opensAt + UNPROBED_MS,
      )
      .map(([serviceId]) => serviceId);
    return { called: this.#lanes.size, unreachable };
  }

  /** What each project has here now. */
  lanes(): LaneState[] {
    const elapsed = this.parts.clock.elapsed();
    return [...this.#lanes].map(([serviceId, { queue, onWire, circuit }]) => ({
      serviceId,
      queued: queue.size,
      onWire,
      circuitOpen: circuit.stateAt(elapsed) !== 'closed',
    }));
  }

  /** Projects this process cannot call by a fault of ours, each with what to do. */
  unusable(): string[] {
    return this.parts.calls.blocks.unusable;
  }

  /** Whether a round is worth it soon, though nothing new be due: settings change, claimed sends become stale. */
  get needsCare(): boolean {
    return [...this.#lanes.values()].some((lane) => lane.needsCare);
  }

  /** Once for everything that ends in this turn of the event loop: what they make room for is fired together. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  /** Takes what may leave now, fires it, and sets the clock for what comes next. */
  #pump(): void {
    this.#disarm?.();
    if (this.#stopping) return;
    this.#askForTokens();
    this.#askWhetherBack();
    if (this.#firing !== undefined) return;
    const { clock, batch } = this.parts;
    const leaving = takeInTurns(this.#lanes.values(), batch, clock.now(), clock.elapsed());
    if (leaving.length === 0) {
      this.#disarm = wakeFor(this.#lanes.values(), clock, () => this.#pump());
      return;
    }
    this.#firing = this.#handOff.fire(leaving).catch((error: unknown) => {
      this.parts.log.error({ err: error, sends: leaving.length }, 'sends could not be fired; they wait');
      return scheduler.wait(AFTER_FAULT_MS);
    });
    void this.#firing.finally(() => {
      this.#firing = undefined;
      this.#pump();
    });
  }

  /** One asking at a time; what it brings is fired at once. */
  #askForTokens(): void {
    if (this.#asking) return;
    const wishes = tokenWishes(this.#lanes, this.parts.clock);
    if (wishes.length === 0) return;
    this.#asking = true;
    void fetchTokens(wishes, this.#lanes, this.parts).finally(() => {
      this.#asking = false;
      this.#pump();
    });
  }

  /** A GET, which costs nothing, of each gateway in trouble for which a send waits. */
  #askWhetherBack(): void {
    const { clock, calls, pushApi } = this.parts;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    for (const [serviceId, lane] of this.#lanes) {
      if (lane.asksFirst(now, elapsed))
        void askWhetherBack(calls, pushApi, serviceId).then((called) => {
          // Otherwise the next round asks again.
          if (called) this.#pumpSoon();
        });
    }
  }

  #ended(entry: QueuedSend, made: boolean): void {
    const lane = this.#lanes.get(entry.serviceId);
    lane?.free(entry, made);
    if (this.#stopping) {
      if (this.onWire === 0) this.#drained?.();
      return;
    }
    this.#pumpSoon();
    if (lane?.wantsMore(this.parts.aheadMs) === true) this.parts.wake();
  }

  /** Settings as the project store has them now. */
  async #refreshLanes(): Promise<void> {
    const known = await this.parts.projects.getMany([...this.#lanes.keys()]);
    for (const [serviceId, lane] of this.#lanes) {
      const project = known.get(serviceId);
      this.parts.calls.blocks.see(serviceId, project);
      if (project !== undefined) lane.update(project);
      else if (lane.onWire === 0 && lane.queue.size === 0) this.#lanes.delete(serviceId);
    }
  }

  /** Of new lanes. Where they cannot be read what is claimed waits in a lane of one, which the next round corrects. */
  async #settingsOf(claimed: readonly ClaimedSend[]): Promise<ReadonlyMap<string, LaneSettings>> {
    const { projects, log } = this.parts;
    try {
      return await projects.getMany(claimed.map((send) => send.serviceId));
    } catch (error) {
      log.warn({ err: error, sends: claimed.length }, 'the settings of projects could not be read');
      return new Map();
    }
  }

  async #giveBackDoubtful(): Promise<void> {
    if (this.#doubtful.length === 0) return;
    const { sql, clock, by } = this.parts;
    await releaseClaims(sql, this.#doubtful, clock.now(), by);
    this.#doubtful = [];
  }

  async #giveBackQueued(): Promise<void> {
    const queued = [...this.#lanes.values()].flatMap((lane) => lane.queue.remove(() => true));
    if (queued.length > 0) await this.#handOff.giveBack(queued);
  }

  /** Claimed sends that will not leave in time here go back, and fewer are claimed from then on. */
  async #giveBackStale(): Promise<void> {
    const { clock, claimLeaseMs: leaseMs, aheadMs } = this.parts;
    const now = clock.now();
    const elapsed = clock.elapsed();
    for (const lane of this.#lanes.values()) if (lane.queue.size === 0) lane.keepsUp();
    // Not in every round: while much is late there are many, and each would look at everything claimed.
    if (elapsed < this.#staleLookAt) return;
    this.#staleLookAt = elapsed + leaseMs / STALE_LOOKS;
    const stale = [...this.#lanes.values()].flatMap((lane) =>
      lane.giveBack(elapsed - leaseMs / 2, now - aheadMs),
    );
    if (stale.length > 0) await this.#handOff.giveBack(stale);
  }
}
