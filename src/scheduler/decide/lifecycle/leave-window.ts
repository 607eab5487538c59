// How long after a heartbeat a replica may send the first byte of a request: half of the silence after which the others take the
// replica for dead, so that its requests leave before they do so. Pure.

/** Two clocks of one machine, in milliseconds. */
export interface MachineTime {
  /** Monotonic; stops while the machine sleeps. */
  readonly elapsed: number;
  /** The wall clock: goes on while the machine sleeps, and may be set. */
  readonly wall: number;
}

/** Counted from the start of the last successful heartbeat, by the clock on which more time has passed. */
export function isWithinLeaveWindow(beat: MachineTime, now: MachineTime, silentMs: number): boolean {
  return Math.max(now.elapsed - beat.elapsed, now.wall - beat.wall) < silentMs / 2;
}
