// Gives each signature its timestamp. A gateway treats a POST with the same key, millisecond and body as a repeat and sends nothing.
// So this process never signs two POSTs of a send with the same millisecond, even after its clock was set back. After a clock that
// was ahead is corrected, timestamps follow the corrected clock again.
import type { EpochMs } from '../../platform/clock.js';

/** At least this many sends are remembered, over all keys, and at most twice as many. */
const REMEMBERED = 20_000;
/** The most runs of consecutive milliseconds that are remembered of each send; the oldest is dropped. */
const RUNS = 16;

interface Run {
  readonly from: EpochMs;
  to: EpochMs;
}

export class SigningTimes {
  /** Two generations: if the first entry of one Map were deleted at each call, finding the next first one would get slower. */
  #used = new Map<string, Run[]>();
  #before: ReadonlyMap<string, Run[]> = new Map();

  /**
   * Returns `wanted`, or the first millisecond after it with which this key has not signed this send. The body contains the
   * send's id (build-request.ts), so that no two sends have the same body.
   */
  take(accessKey: string, sendId: string, wanted: EpochMs): EpochMs {
    const name = `${accessKey} ${sendId}`;
    const runs = this.#used.get(name) ?? this.#before.get(name) ?? [];
    if (this.#used.size === REMEMBERED && !this.#used.has(name)) {
      this.#before = this.#used;
      this.#used = new Map();
    }
    this.#used.set(name, runs);
    let at = wanted;
    for (let taken = runIn(runs, at); taken !== undefined; taken = runIn(runs, at)) at = taken.to + 1;
    const before = runs.find((run) => run.to === at - 1);
    if (before !== undefined) before.to = at;
    else if (runs.push({ from: at, to: at }) > RUNS) runs.shift();
    return at;
  }
}

function runIn(runs: readonly Run[], at: EpochMs): Run | undefined {
  return runs.find((run) => run.from <= at && at <= run.to);
}
