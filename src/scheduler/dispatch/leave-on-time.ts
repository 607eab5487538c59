// Has a send leave at its instant. The send is fired a little ahead, so that the database has done its work when the send is due;
// its call waits here. No send leaves before its instant.
import type { Clock, EpochMs } from '../../platform/clock.js';

/** By the scheduler's clock. Firing a hundred sends takes the database 5 to 15 ms, twice that on a busy machine. */
export const FIRE_AHEAD_MS = 40;
/** Real milliseconds after FIRE_AHEAD_MS: if the instant has not come by then, the clock was set back and it is far ahead again. */
const GRACE_MS = 1_000;

/** Calls `go` at `at`, at once if `at` has passed; calls `gone` instead if the clock is set back meanwhile. */
export function leaveOnTime(clock: Clock, at: EpochMs, go: () => void, gone: () => void): void {
  if (at <= clock.now()) {
    go();
    return;
  }
  const net = setTimeout(() => {
    disarm();
    gone();
  }, FIRE_AHEAD_MS + GRACE_MS);
  const disarm = clock.at(at, () => {
    clearTimeout(net);
    go();
  });
}

/** The instant by which a send fired at `now` is checked and recorded: its own, if that is at most FIRE_AHEAD_MS ahead. */
export function firedFor(at: EpochMs, now: EpochMs): EpochMs {
  return at > now && at <= now + FIRE_AHEAD_MS ? at : now;
}
