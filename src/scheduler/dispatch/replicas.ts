// This process as one of several replicas. It writes its heartbeat to the database and reads the others' heartbeats. It says which
// slice of the sends is this process's, and whether a request may still leave (docs/decisions/0029). When another database server
// answers, nothing leaves until every living replica has written to it what it may have lost (docs/decisions/0067). Moves no send.
import { v4 } from 'uuid';
import { machineNow, type Clock } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import { isWithinLeaveWindow, type MachineTime } from '../decide/lifecycle/leave-window.js';
import { ReplicaObserver, type ReplicaBeat } from '../decide/lifecycle/replica-observer.js';
import { WHOLE, type Slice } from '../decide/lifecycle/replica-slice.js';
import { beat, leave, type PatientSql, type ReplicaRow } from './replica.store.js';

export interface ReplicasDeps {
  readonly sql: PatientSql;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
  /** T, real milliseconds: a replica that writes no heartbeat for so long is dead. A heartbeat is written every T/5. */
  readonly silentMs: number;
  /** Called when a replica is found dead, and once at the start: what it had in flight is to be recovered. */
  readonly gone?: () => void;
  /** Called when requests may leave that might not before. */
  readonly mayLeaveAgain?: () => void;
  /** Called when another database server answers, or the same after a restart: writes to it what it may have lost. */
  readonly reconcile?: () => Promise<void>;
  /** Called after each heartbeat if the same server answered as for the last one. */
  readonly isSame?: () => void;
  /** The machine, and how far its clock was ahead of the database's, for the others to compare. */
  readonly clockCheck?: { readonly machine: string; readonly aheadMs: number | undefined };
  /** The wall clock of the machine; tests give their own to let it sleep. */
  readonly wall?: () => number;
}

export class Replicas {
  /** Drawn at each start, never taken from the host or a setting: a process that restarts is another replica. */
  readonly id: string = v4();
  readonly #observer: ReplicaObserver;
  /** When the last successful heartbeat began. */
  #beatFrom: MachineTime | undefined;
  /** When the first heartbeat of the present series was confirmed; in a series each comes within T/2 of the one before. */
  #beatsSince = Infinity;
  #goneCount = 0;
  #slice: Slice = WHOLE;
  #hasLeft = false;
  /** The identity of the server to which this process has written what it may have lost. */
  #server: string | undefined;
  /** Another server answered a statement. */
  #isInDoubt = false;
  /** Replicas that may not have written to this server yet what it may have lost; each with the end of the wait for it, elapsed(). */
  readonly #awaited = new Map<string, number>();

  constructor(private readonly deps: ReplicasDeps) {
    this.#observer = new ReplicaObserver(this.id, deps.silentMs);
  }

  /** Writes one heartbeat. Returns 0, so that the loop rests until the next. */
  async runOnce(): Promise<number> {
    if (this.#hasLeft) return 0;
    const { clock, log, silentMs, gone, mayLeaveAgain } = this.deps;
    const from = this.#now();
    let rows: readonly ReplicaRow[];
    try {
      rows = await this.#beat();
    } catch (error) {
      this.#observer.missed();
      throw error;
    }
    const isFirst = this.#beatFrom === undefined;
    const mightLeave = this.mayLeave();
    if (!mightLeave) this.#beatsSince = clock.elapsed();
    this.#beatFrom = from;
    this.#isInDoubt = false;
    this.#awaitNoLonger(rows);
    const deadBefore = new Set(this.#observer.dead.map(({ id }) => id));
    const isGone = this.#observer.read(rows, { startedAt: from.elapsed, endedAt: clock.elapsed() });
    for (const { id } of this.dead())
      if (!deadBefore.has(id)) log.warn({ replica: id, silentMs }, 'a replica writes no heartbeat any more');
    this.#slice = this.#sliceNow();
    if (isFirst || isGone) {
      this.#goneCount += 1;
      gone?.();
    }
    if (!mightLeave && this.mayLeave()) mayLeaveAgain?.();
    return 0;
  }

  /** This replica's slice of the sends: the living replicas have one each, in order of id; a single replica has all sends. */
  slice(): Slice {
    return this.#slice;
  }

  /**
   * Whether the first byte of a request may be written now. Ask directly before it is written, and before the send is fired.
   * It may not
   * - before the first heartbeat,
   * - when the last heartbeat is older than T/2, because the others take this process for dead after T,
   * - for a send that was fired at `firedAt` (elapsed()), if such a silence came after that: the others may have made it uncertain,
   * - while replicas write to another server what it may have lost.
   */
  mayLeave(firedAt = Infinity): boolean {
    const { silentMs } = this.deps;
    return (
      !this.#hasLeft &&
      !this.#isInDoubt &&
      this.#awaited.size === 0 &&
      this.#beatFrom !== undefined &&
      firedAt >= this.#beatsSince &&
      isWithinLeaveWindow(this.#beatFrom, this.#now(), silentMs)
    );
  }

  /** The only server on which sends may be fired; undefined before the first heartbeat. */
  get server(): string | undefined {
    return this.#server;
  }

  /** Another server answered a statement: nothing leaves before the next heartbeat, which the caller asks for. */
  doubt(): void {
    this.#isInDoubt = true;
  }

  /** The replicas that are taken for dead, each with its last heartbeat. */
  dead(): ReplicaBeat[] {
    return this.#observer.dead;
  }

  /** How many replicas live, including this one. */
  get live(): number {
    return this.#observer.live.length;
  }

  /** How often a replica was found dead, and once more for the start; 0 before the first heartbeat. */
  get goneCount(): number {
    return this.#goneCount;
  }

  /**
   * Call it after the drain, when the last runOnce() has ended: nothing leaves any more. If it fails, the others take this
   * process for dead after T.
   */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await leave(this.deps.sql, this.id);
  }

  /** Waits T/2 for the answer: a later one is of no use, because nothing may leave by then. */
  async #beat(): Promise<readonly ReplicaRow[]> {
    const { sql, silentMs, isSame, clockCheck } = this.deps;
    const own = { id: this.id, machine: clockCheck?.machine, clockAheadMs: clockCheck?.aheadMs };
    const { server, rows } = await beat(sql, { ...own, server: this.#server }, silentMs / 2);
    if (server === this.#server) {
      isSame?.();
      return rows;
    }
    await this.#meet(server, rows);
    // Once more with the new server: the others wait for that.
    return (await beat(sql, { ...own, server }, silentMs / 2)).rows;
  }

  /** Another server answers than before: it may lack what was read and written here. */
  async #meet(server: string, rows: readonly ReplicaRow[]): Promise<void> {
    const { clock, log, silentMs, reconcile } = this.deps;
    const until = clock.elapsed() + silentMs;
    const dead = new Set(this.dead().map(({ id }) => id));
    const others = [...this.#observer.live, ...rows.map(({ id }) => id)];
    for (const id of others) if (id !== this.id && !dead.has(id)) this.#awaited.set(id, until);
    if (this.#server !== undefined) {
      this.doubt();
      log.warn(
        { server, before: this.#server },
        'another database server answers, or the same after a restart',
      );
      await reconcile?.();
    }
    this.#server = server;
  }

  #awaitNoLonger(rows: readonly ReplicaRow[]): void {
    for (const { id, server } of rows) if (server === this.#server) this.#awaited.delete(id);
    const elapsed = this.deps.clock.elapsed();
    for (const [id, until] of this.#awaited) {
      if (elapsed < until) continue;
      this.deps.log.warn(
        { replica: id },
        'a replica has not written to the database what it may have lost: sends wait for it no longer',
      );
      this.#awaited.delete(id);
    }
  }

  #sliceNow(): Slice {
    const { live } = this.#observer;
    return live.length === 1 ? WHOLE : { index: live.indexOf(this.id), of: live.length };
  }

  #now(): MachineTime {
    const { clock, wall = machineNow } = this.deps;
    return { elapsed: clock.elapsed(), wall: wall() };
  }
}
