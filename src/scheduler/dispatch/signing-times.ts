// The timestamp of each signature. A gateway takes a POST equal in key, millisecond and body for one re-sent and sends
// nothing, so this process never signs two such, also after the clock went back. A clock that was ahead is believed no
// longer once it was corrected: what it signed in the future does not push later signatures there.
import type { EpochMs } from '../../platform/clock.js';

/** At least so many bodies are remembered, over all keys, and at most twice as many. */
const REMEMBERED = 20_000;
/**
 * Bodies are told apart by their ends, which spell the send's id (build-request.ts). Two that end alike count as equal:
 * that costs the second a millisecond, no more.
 */
const END_CHARACTERS = 128;
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

  /** `wanted`, or the first millisecond after it that this key has not signed `body` with. */
  take(accessKey: string, body: string, wanted: EpochMs): EpochMs {
    // Through bytes: a slice of a string keeps the whole of it, which may be a megabyte.
    const name = `${accessKey} ${Buffer.from(body.slice(-END_CHARACTERS)).toString('latin1')}`;
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
