// The last moments of a send before its instant: it is fired a little ahead, so that the database's work is done when it
// is due, and its call waits here. Never lets one go before its instant.
import type { Clock, EpochMs } from '../../platform/clock.js';

/** On the scheduler's clock. Firing a hundred sends takes the database 5 to 15 ms, twice that on a busy machine. */
export const FIRE_AHEAD_MS = 40;
/** Real milliseconds beyond it, after which the clock has been set back and the instant is far again. */
const GRACE_MS = 1_000;

/** Calls `go` once it is `at`, at once if it is; `gone` instead where the clock was set back meanwhile. */
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

/** The instant a send that is fired at `now` is judged and written down for: its own, where that is a moment ahead. */
export function firedFor(at: EpochMs, now: EpochMs): EpochMs {
  return at > now && at <= now + FIRE_AHEAD_MS ? at : now;
}
