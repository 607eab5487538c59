// Until when after a beat first bytes may leave: half of the silence after which the others take a replica for dead, so
// that what leaves left before they do. Pure.

/** Two clocks of one machine, milliseconds. */
export interface MachineTime {
  /** Monotonic; stands while the machine sleeps. */
  readonly elapsed: number;
  /** The wall clock: goes on while it sleeps, and may be set. */
  readonly wall: number;
}

/** Counted from the start of the last beat that succeeded, by whichever clock says more has passed. */
export function isWithinLeaveWindow(beat: MachineTime, now: MachineTime, silentMs: number): boolean {
  return Math.max(now.elapsed - beat.elapsed, now.wall - beat.wall) < silentMs / 2;
}
