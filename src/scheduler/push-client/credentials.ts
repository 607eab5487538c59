// Decides with which key and by which clock a project's requests are signed (push-interface.md §5), and learns from 401/200
// answers. Has secrets and never logs them. Corrects only the time of the signature, never a due.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { ProjectKey } from '../store/project.store.js';

/** The key and clock with which one request was signed. */
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
  /** The access keys to which this state belongs: a rotation begins a new state. */
  readonly accessKeys: string;
  /** The same keys as the last caller gave them: a cached project gives the same object. */
  keys: readonly ProjectKey[];
  index: number;
  offsetMs: number;
  /** How many keys were refused in a row, and how many corrections of the clock did not help. Any other answer sets both to 0. */
  tried: number;
  corrected: number;
}

/** A smaller difference may come from the network's delay; gateways refuse from 5 minutes on (push-interface.md §5). */
const SKEW_WORTH_CORRECTING_MS = 30_000;
/** The most corrections in a row. Our own clock may be set several times within seconds; a Date that is never right is another fault. */
const MOST_CORRECTIONS = 8;

export class Credentials {
  readonly #projects = new Map<string, ProjectState>();

  constructor(
    private readonly clock: Clock,
    /** Called with the offset of a corrected clock: when it changes, and with every good answer while it is not 0. */
    private readonly corrected: (serviceId: string, offsetMs: number) => void = () => undefined,
  ) {}

  /** undefined: the project has no key that this process can open. */
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
   * After a 401/200. If the answer's Date differs from our clock, the clock is corrected first: the refusal then says nothing about
   * the key. Otherwise the next key is used; after the last one nothing is left to try. Many requests may be refused at once: a
   * refusal counts only if its request was signed with the present key and clock.
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
      // Our own clock is right again.
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
