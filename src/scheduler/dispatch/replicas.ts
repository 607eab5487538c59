// This process as one of several: it beats in the database, learns by the others' beats who lives, and says which part of
// the sends is its own and whether first bytes may still leave (docs/decisions/0029). Moves no send.
import { v4 } from 'uuid';
import { machineNow, type Clock } from '../../platform/clock.js';
import type { Log } from '../../platform/log.js';
import { isWithinLeaveWindow, type MachineTime } from '../decide/lifecycle/leave-window.js';
import { ReplicaObserver, type ReplicaBeat } from '../decide/lifecycle/replica-observer.js';
import { WHOLE, type Slice } from '../decide/lifecycle/slice.js';
import { beat, leave, type PatientSql } from './replica.store.js';

export interface ReplicasParts {
  readonly sql: PatientSql;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
  /** T, real milliseconds: who does not beat for so long is dead. Beat every fifth of it. */
  readonly silentMs: number;
  /** Told where somebody is gone, and once at the start: what it left on the wire is to be recovered. */
  readonly gone?: () => void;
  /** Told where first bytes may leave that could not before. */
  readonly mayLeaveAgain?: () => void;
  /** The machine's own wall clock; a test's where it sleeps. */
  readonly wall?: () => number;
}

export class Replicas {
  /** Drawn at each start, never of the host or a setting: a process that comes back is another one. */
  readonly id: string = v4();
  readonly #observer: ReplicaObserver;
  /** When the last beat that succeeded began. */
  #beatFrom: MachineTime | undefined;
  /** When the first of the beats was heard that have followed each other since, each within the one before's T/2. */
  #beatsSince = Infinity;
  #goneCount = 0;
  #slice: Slice = WHOLE;
  #hasLeft = false;

  constructor(private readonly parts: ReplicasParts) {
    this.#observer = new ReplicaObserver(this.id, parts.silentMs);
  }

  /** Beats once. Always 0: it is not asked again before its time. */
  async runOnce(): Promise<number> {
    if (this.#hasLeft) return 0;
    const { sql, clock, log, silentMs, gone, mayLeaveAgain } = this.parts;
    const from = this.#now();
    let rows: ReplicaBeat[];
    try {
      // A later answer would be no use: by then first bytes wait.
      rows = await beat(sql, this.id, silentMs / 2);
    } catch (error) {
      this.#observer.missed();
      throw error;
    }
    const isFirst = this.#beatFrom === undefined;
    const mightLeave = this.mayLeave();
    if (!mightLeave) this.#beatsSince = clock.elapsed();
    this.#beatFrom = from;
    const deadBefore = new Set(this.#observer.dead.map(({ id }) => id));
    const isGone = this.#observer.read(rows, { startedAt: from.elapsed, endedAt: clock.elapsed() });
    for (const { id } of this.dead())
      if (!deadBefore.has(id)) log.warn({ replica: id, silentMs }, 'a replica does not beat any more');
    this.#slice = this.#sliceNow();
    if (isFirst || isGone) {
      this.#goneCount += 1;
      gone?.();
    }
    if (!mightLeave && this.mayLeave()) mayLeaveAgain?.();
    return 0;
  }

  /** Of the replicas that live, in order of id; of one that is alone, everything. */
  slice(): Slice {
    return this.#slice;
  }

  /**
   * Whether the first byte of a request may leave now: ask directly before it is written, and before the send is fired.
   * No before the first beat, and after half of the silence for which the others take this process for dead. Nor, of what
   * was fired at `firedAt` (elapsed()), once there was such a silence since: they may have found it lost.
   */
  mayLeave(firedAt = Infinity): boolean {
    const { silentMs } = this.parts;
    return (
      !this.#hasLeft &&
      this.#beatFrom !== undefined &&
      firedAt >= this.#beatsSince &&
      isWithinLeaveWindow(this.#beatFrom, this.#now(), silentMs)
    );
  }

  /** Who is taken for dead, each by its last beat. */
  dead(): ReplicaBeat[] {
    return this.#observer.dead;
  }

  /** How many live, this one among them. */
  get live(): number {
    return this.#observer.live.length;
  }

  /** How often somebody was found gone, the start counted; 0 before the first beat. */
  get goneCount(): number {
    return this.#goneCount;
  }

  /** After the drain, and after the last runOnce() has ended: nothing leaves any more. Its row is found silent where this fails. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await leave(this.parts.sql, this.id);
  }

  #sliceNow(): Slice {
    const { live } = this.#observer;
    return live.length === 1 ? WHOLE : { index: live.indexOf(this.id), of: live.length };
  }

  #now(): MachineTime {
    const { clock, wall = machineNow } = this.parts;
    return { elapsed: clock.elapsed(), wall: wall() };
  }
}
