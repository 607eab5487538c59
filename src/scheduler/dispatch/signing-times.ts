// The timestamp of each signature. A gateway takes a POST equal in key, millisecond and body for one re-sent and sends
// nothing, so this process never signs two such: the second gets a later millisecond, also after the clock went back.
import { createHash } from 'node:crypto';
import type { EpochMs } from '../../platform/clock.js';

/** How many bodies are remembered, over all keys. */
const REMEMBERED = 20_000;

export class SigningTimes {
  readonly #last = new Map<string, EpochMs>();

  /** `wanted`, or the first millisecond after it that this key has not signed `body` with. */
  take(accessKey: string, body: string, wanted: EpochMs): EpochMs {
    const name = `${accessKey} ${createHash('sha1').update(body).digest('base64')}`;
    const last = this.#last.get(name);
    const at = last === undefined || wanted > last ? wanted : last + 1;
    this.#last.delete(name);
    this.#last.set(name, at);
    if (this.#last.size > REMEMBERED) {
      const [oldest] = this.#last.keys();
      if (oldest !== undefined) this.#last.delete(oldest);
    }
    return at;
  }
}
