// Which key and which clock a request is signed with (push-interface.md §5), per project: learns from 401/200 answers. Knows secrets,
// never logs them; moves the signature's clock only, never a due.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { ProjectKey } from '../store/project.store.js';

/** What one request was signed with; handed back when it is refused. */
export interface Credential {
  readonly key: ProjectKey;
  /** Added to our clock. */
  readonly offsetMs: number;
}

/** A 401/200, and the request that was answered so. */
export interface Refusal {
  readonly used: Credential;
  /** The time it was signed as of. */
  readonly signedAt: EpochMs;
  /** The answer's Date. */
  readonly dateAt: EpochMs | undefined;
}

interface ProjectState {
  /** The access keys this state belongs to: a rotation begins anew. */
  readonly accessKeys: string;
  /** The same as they came last: those of a project that is cached. */
  keys: readonly ProjectKey[];
  index: number;
  offsetMs: number;
  /** Keys refused in a row, and clocks corrected in vain; an answer of any other kind clears both. */
  tried: number;
  corrected: number;
}

/** An offset below it is the network's: push-interface.md §5 refuses from 5 minutes on. */
const SKEW_WORTH_CORRECTING_MS = 30_000;
/** In a row: our own clock may be set several times within seconds; a gateway whose Date is never right has another fault. */
const MOST_CORRECTIONS = 8;

export class Credentials {
  readonly #projects = new Map<string, ProjectState>();

  constructor(
    private readonly clock: Clock,
    /** Told of a clock that is corrected: when that changes, and with every good answer while it lasts. */
    private readonly corrected: (serviceId: string, offsetMs: number) => void = () => undefined,
  ) {}

  /** undefined: the project has no key that opens. */
  current(serviceId: string, keys: readonly ProjectKey[]): Credential | undefined {
    const state = this.#stateOf(serviceId, keys);
    const key = keys[state.index] ?? keys[0];
    return key === undefined ? undefined : { key, offsetMs: state.offsetMs };
  }

  /** An answer that was not 401/200: this key and clock are good. */
  passed(serviceId: string): void {
    const state = this.#projects.get(serviceId);
    if (state === undefined) return;
    state.tried = 0;
    state.corrected = 0;
    if (state.offsetMs !== 0) this.corrected(serviceId, state.offsetMs);
  }

  /**
   * A 401/200. First the clock is corrected by the answer's Date, if that differs
   * from it: such a refusal says nothing about the key. Then the other key is taken; then nothing is left. Many requests
   * may be refused at once: only one signed as we would sign now moves anything on.
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
