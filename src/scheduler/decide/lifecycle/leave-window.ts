// How long after a heartbeat a replica may send first bytes: half of the silence after which the others take it for dead, so that
// whatever it sends leaves before they do. Pure.

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
