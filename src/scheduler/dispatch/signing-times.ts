// The timestamp of each signature. A gateway takes a POST equal in key, millisecond and body for one re-sent and sends
// nothing, so this process never signs two such, also after the clock went back. A clock that was ahead is believed no
// longer once it was corrected: what it signed in the future does not push later signatures there.
import type { EpochMs } from '../../platform/clock.js';

/** How many bodies are remembered, over all keys. */
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
  readonly #used = new Map<string, Run[]>();

  /** `wanted`, or the first millisecond after it that this key has not signed `body` with. */
  take(accessKey: string, body: string, wanted: EpochMs): EpochMs {
    // Through bytes: a slice of a string keeps the whole of it, which may be a megabyte.
    const name = `${accessKey} ${Buffer.from(body.slice(-END_CHARACTERS)).toString('latin1')}`;
    const runs = this.#used.get(name) ?? [];
    this.#used.delete(name);
    this.#used.set(name, runs);
    if (this.#used.size > REMEMBERED) {
      const [oldest] = this.#used.keys();
      if (oldest !== undefined) this.#used.delete(oldest);
    }
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
