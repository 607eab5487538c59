// The timestamp of each signature. A gateway takes a POST equal in key, millisecond and body for one re-sent and sends
// nothing, so this process never signs two such, also after the clock went back. A clock that was ahead is believed no
// longer once it was corrected: what it signed in the future does not push later signatures there.
import type { EpochMs } from '../../platform/clock.js';

/** At least so many sends are remembered, over all keys, and at most twice as many. */
const REMEMBERED = 20_000;
/** And of each, how many runs of milliseconds without a gap, the latest signed. */
const RUNS = 16;

interface Run {
  readonly from: EpochMs;
  to: EpochMs;
}

export class SigningTimes {
  /** In two generations: a Map whose first entry is deleted at each call is walked further for every next one. */
  #used = new Map<string, Run[]>();
  #before: ReadonlyMap<string, Run[]> = new Map();

  /**
   * `wanted`, or the first millisecond after it that this key has not signed this send with. Its body spells its id
   * (build-request.ts), so other sends' bodies are other ones.
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
