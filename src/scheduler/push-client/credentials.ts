// Which key and which clock a project's requests are signed with (push-interface.md §5): learns from 401/200 answers. Knows
// secrets, never logs them; moves only the clock of the signature, never a due.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { ProjectKey } from '../store/project.store.js';

/** What one request was signed with; given back when it is refused. */
export interface Credential {
  readonly key: ProjectKey;
  /** Added to our clock. */
  readonly offsetMs: number;
}

/** A 401/200, and the request that it answers. */
interface Refusal {
  readonly used: Credential;
  /** The time it was signed for. */
  readonly signedAt: EpochMs;
  /** The answer's Date. */
  readonly dateAt: EpochMs | undefined;
}

interface ProjectState {
  /** The access keys that this state belongs to: a rotation begins a new one. */
  readonly accessKeys: string;
  /** The same keys as they were last given: a cached project gives the same object. */
  keys: readonly ProjectKey[];
  index: number;
  offsetMs: number;
  /** Keys refused in a row, and clocks corrected in vain in a row; any other answer clears both. */
  tried: number;
  corrected: number;
}

/** A smaller offset is the network's: push-interface.md §5 refuses from 5 minutes on. */
const SKEW_WORTH_CORRECTING_MS = 30_000;
/** In a row: our own clock may be set several times within seconds, but a Date that is never right is another fault. */
const MOST_CORRECTIONS = 8;

export class Credentials {
  readonly #projects = new Map<string, ProjectState>();

  constructor(
    private readonly clock: Clock,
    /** Called with the offset of a corrected clock: when it changes, and with every good answer while there is one. */
    private readonly corrected: (serviceId: string, offsetMs: number) => void = () => undefined,
  ) {}

  /** undefined: the project has no key that opens. */
  current(serviceId: string, keys: readonly ProjectKey[]): Credential | undefined {
    const state = this.#stateOf(serviceId, keys);
    const key = keys[state.index] ?? keys[0];
    return key === undefined ? undefined : { key, offsetMs: state.offsetMs };
  }

  /** After an answer that was not 401/200: this key and clock are good. */
  passed(serviceId: string): void {
    const state = this.#projects.get(serviceId);
    if (state === undefined) return;
    state.tried = 0;
    state.corrected = 0;
    if (state.offsetMs !== 0) this.corrected(serviceId, state.offsetMs);
  }

  /**
   * After a 401/200. First the clock is corrected by the answer's Date, if the two differ: such a refusal says nothing about
   * the key. Then the other key is taken; then nothing is left to try. Many requests may be refused at once: only one that was
   * signed as we would sign now changes anything.
   */
  refused(
    serviceId: string,
    keys: readonly ProjectKey[],
    { used, signedAt, dateAt }: Refusal,
  ): 'try-again' | 'exhausted' {
    const state = this.#stateOf(serviceId, keys);
    const now = this.current(serviceId, keys);
    if (now === undefined || !isSame(now, used)) return 'try-again';
    const isOff = dateAt !== undefined && Math.abs(dateAt - signedAt) >= SKEW_WORTH_CORRECTING_MS;
    if (isOff && state.corrected < MOST_CORRECTIONS) {
      const offsetMs = dateAt - this.clock.now();
      // Our own clock was mended.
      state.offsetMs = Math.abs(offsetMs) < SKEW_WORTH_CORRECTING_MS ? 0 : offsetMs;
      state.corrected += 1;
      this.corrected(serviceId, state.offsetMs);
      return 'try-again';
    }
    state.tried += 1;
    state.index = (state.index + 1) % keys.length;
    if (state.tried < keys.length) return 'try-again';
    state.tried = 0;
    state.corrected = 0;
    return 'exhausted';
  }

  #stateOf(serviceId: string, keys: readonly ProjectKey[]): ProjectState {
    const known = this.#projects.get(serviceId);
    if (known?.keys === keys) return known;
    const accessKeys = keys.map((key) => key.accessKey).join(' ');
    if (known?.accessKeys === accessKeys) {
      known.keys = keys;
      return known;
    }
    const fresh = { accessKeys, keys, index: 0, offsetMs: known?.offsetMs ?? 0, tried: 0, corrected: 0 };
    this.#projects.set(serviceId, fresh);
    return fresh;
  }
}

function isSame(one: Credential, other: Credential): boolean {
  return (
    one.key.accessKey === other.key.accessKey &&
    one.key.secretKey.reveal() === other.key.secretKey.reveal() &&
    one.offsetMs === other.offsetMs
  );
}
