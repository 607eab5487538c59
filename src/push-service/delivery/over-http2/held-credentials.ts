// The credentials that this process sends under, each opened once a version. One that cannot be used is remembered for a
// while, or each device would have it read again; one that nobody sends under, or that was removed, is let go with its key.
import type {
  CredentialNews,
  CredentialRef,
  CredentialShelf,
  OpenedCredential,
  Outcome,
  Standing,
} from '../provider-port.js';
import type { ProviderClient } from './provider-client.js';
import { SendingCredential, type SendingParts } from './sending-credential.js';

export interface HeldCredentialsOptions extends SendingParts {
  readonly shelf: CredentialShelf;
  /** A client, or every fault of its credential. */
  readonly openClient: (credential: OpenedCredential) => ProviderClient | readonly string[];
}

/** none: there is no such version. broken: its content cannot be used. unreadable: this process cannot read it. */
export type Opened =
  | { readonly kind: 'open'; readonly serviceId: string; readonly sending: SendingCredential }
  | {
      readonly kind: 'none' | 'broken' | 'unreadable';
      readonly says: string;
      /** What each device is told. */
      readonly outcome: Outcome;
      /** After so long it is opened again. */
      readonly restMs: number;
    };

interface Held {
  readonly ref: CredentialRef;
  readonly opening: Promise<Opened>;
  opened?: Opened;
  /** Clock.elapsed() until which it is remembered that it cannot be used. */
  restsUntil: number;
  /** Clock.elapsed() when it was asked for last. */
  usedAt: number;
}

/** By then every process knows that a credential was replaced. */
const CHANGED_MS = 5_000;
const UNUSABLE_MS = 60_000;
/** As long as a connection is kept. */
const UNUSED_MS = 600_000;
/** Between two sweeps for credentials that are no longer used, real milliseconds. */
const SWEEP_MS = 60_000;

export class HeldCredentials {
  readonly #held = new Map<string, Held>();
  readonly #sweeps = setInterval(() => void this.letGo(), SWEEP_MS).unref();

  constructor(private readonly options: HeldCredentialsOptions) {}

  *sending(): Iterable<{ readonly ref: CredentialRef; readonly opened: Extract<Opened, { kind: 'open' }> }> {
    for (const { ref, opened } of this.#held.values()) if (opened?.kind === 'open') yield { ref, opened };
  }

  /** As the port's standing(). */
  standing({ id, version }: CredentialRef): Standing {
    const held = this.#held.get(id);
    if (held?.opened === undefined || held.ref.version !== version) return 'untried';
    if (held.opened.kind === 'open') return held.opened.sending.traffic.standing;
    if (!this.#rests(held)) return 'untried';
    return held.opened.kind === 'broken' ? 'refused' : 'paused';
  }

  /** `retries`: opens it again even if it is remembered that it cannot be used. */
  async open(ref: CredentialRef, retries = false): Promise<Opened> {
    const { clock, abortMs } = this.options;
    const held = this.#held.get(ref.id);
    const isKnown = held !== undefined && held.ref.version >= ref.version;
    if (isKnown && !(isUseless(held) && (retries || !this.#rests(held)))) {
      held.usedAt = clock.elapsed();
      return held.opened ?? held.opening;
    }
    const fresh: Held = { ref, opening: this.#open(ref), restsUntil: Infinity, usedAt: clock.elapsed() };
    this.#held.set(ref.id, fresh);
    // Requests open under the old version are still answered; connections are bound to the keys they began with.
    if (held !== undefined) void closeHeld(held, abortMs);
    try {
      const opened = await fresh.opening;
      fresh.opened = opened;
      if (opened.kind !== 'open') fresh.restsUntil = clock.elapsed() + opened.restMs;
      return opened;
    } catch (error) {
      if (this.#held.get(ref.id) === fresh) this.#held.delete(ref.id);
      throw error;
    }
  }

  /** Closes credentials that nobody sends under, and those that were removed: their keys are not kept. */
  async letGo(): Promise<void> {
    const { clock, shelf, abortMs } = this.options;
    const before = clock.elapsed() - UNUSED_MS;
    const drop = (id: string, held: Held): void => {
      if (this.#held.get(id) === held) this.#held.delete(id);
      void closeHeld(held, abortMs);
    };
    for (const [id, held] of this.#held) if (held.usedAt <= before && isIdle(held)) drop(id, held);
    const left = [...this.#held];
    if (left.length === 0) return;
    const ids = left.map(([id]) => id);
    // While the database is away, none counts as removed.
    const standing = await shelf.standing(ids).catch(() => new Set(ids));
    for (const [id, held] of left) if (!standing.has(id)) drop(id, held);
  }

  async close(ms: number): Promise<void> {
    clearInterval(this.#sweeps);
    await Promise.all([...this.#held.values()].map((held) => closeHeld(held, ms)));
  }

  #rests({ restsUntil }: Held): boolean {
    return this.options.clock.elapsed() < restsUntil;
  }

  async #open(ref: CredentialRef): Promise<Opened> {
    const { shelf, openClient } = this.options;
    const opened = await shelf.open(ref);
    if (opened === undefined) return NONE;
    if (opened === 'unreadable') return UNREADABLE;
    const client = openClient(opened);
    if ('pool' in client) {
      const learned = (news: CredentialNews): void => shelf.learned(ref, news);
      const sending = new SendingCredential(client, opened.isProven, learned, this.options);
      return { kind: 'open', serviceId: opened.serviceId, sending };
    }
    const says = client.join('; ');
    shelf.learned(ref, { kind: 'fault', reason: says });
    return { kind: 'broken', says, outcome: USELESS, restMs: UNUSABLE_MS };
  }
}

const USELESS: Outcome = { kind: 'credential', reason: 'CREDENTIAL_UNREADABLE' };
/** It was replaced or removed since, which the next claim finds. */
const NONE: Opened = {
  kind: 'none',
  says: 'There is no such credential.',
  outcome: { kind: 'retry', reason: 'CREDENTIAL_CHANGED', afterMs: CHANGED_MS },
  restMs: CHANGED_MS,
};
/** Not the credential's fault: another process may have its key. */
const UNREADABLE: Opened = {
  kind: 'unreadable',
  says: 'This process cannot open it: CARILLON_MASTER_KEY lacks the key it was sealed under.',
  outcome: USELESS,
  restMs: UNUSABLE_MS,
};

function isUseless({ opened }: Held): boolean {
  return opened !== undefined && opened.kind !== 'open';
}

function isIdle({ opened }: Held): boolean {
  return opened?.kind === 'open' ? opened.sending.isIdle : opened !== undefined;
}

async function closeHeld({ opening }: Held, ms: number): Promise<void> {
  const opened = await opening.catch(() => undefined);
  if (opened?.kind === 'open') await opened.sending.client.close(ms);
}
