// The credentials that this process sends under, each opened once a version: its line, its traffic, and what is known of it.
// One that cannot be used is remembered for a while, or each device would have it read again; one that nobody sends under,
// or that was removed, is let go with its key.
import type { Clock } from '../../../platform/clock.js';
import type { CredentialRef, CredentialShelf, OpenedCredential, Outcome } from '../provider-port.js';
import type { Credentialed } from './hand-over.js';
import type { Line } from './line.js';
import { RateRamp } from './rate-ramp.js';
import { TokenGuard } from './token-guard.js';
import { Traffic } from './traffic.js';

export interface HeldCredentialsOptions {
  readonly shelf: CredentialShelf;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly openLine: OpenLine;
  /** Real milliseconds that answers are waited for under a credential that was replaced. */
  readonly abortMs: number;
  /** Real milliseconds between two looks for what is not used any more; default a minute. */
  readonly lookMs?: number;
}

/** A line, or every fault of what was to be one. */
export type OpenLine = (credential: OpenedCredential) => Line | readonly string[];

/** none: there is no such version. broken: what it holds cannot be used. unreadable: not by this process. */
export type Opened =
  | { readonly kind: 'open'; readonly credentialed: Credentialed }
  | {
      readonly kind: 'none' | 'broken' | 'unreadable';
      readonly says: string;
      /** What each device is told. */
      readonly outcome: Outcome;
      /** It is looked at again after so long. */
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

/** A replaced credential is known everywhere by then. */
const CHANGED_MS = 5_000;
const UNUSABLE_MS = 60_000;
/** As long as a connection is kept. */
const UNUSED_MS = 600_000;
const LOOK_MS = 60_000;

export class HeldCredentials {
  readonly #held = new Map<string, Held>();
  readonly #looks: NodeJS.Timeout;

  constructor(private readonly options: HeldCredentialsOptions) {
    this.#looks = setInterval(() => void this.letGo(), options.lookMs ?? LOOK_MS).unref();
  }

  /** Those that can be sent under. */
  *lines(): Iterable<Credentialed> {
    for (const { opened } of this.#held.values()) if (opened?.kind === 'open') yield opened.credentialed;
  }

  get size(): number {
    return this.#held.size;
  }

  /** As far as it is known by now; `rests`: it cannot be used, and is not looked at again yet. */
  standing({ id, version }: CredentialRef): { readonly opened: Opened | undefined; readonly rests: boolean } {
    const held = this.#held.get(id);
    if (held?.ref.version !== version) return { opened: undefined, rests: false };
    return { opened: held.opened, rests: isUseless(held) && this.#rests(held) };
  }

  /** `anew`: what was remembered as useless is looked at again. */
  async open(ref: CredentialRef, anew = false): Promise<Opened> {
    const { clock, abortMs } = this.options;
    const held = this.#held.get(ref.id);
    if (
      held !== undefined &&
      held.ref.version >= ref.version &&
      !(isUseless(held) && (anew || !this.#rests(held)))
    ) {
      held.usedAt = clock.elapsed();
      return held.opened ?? held.opening;
    }
    const fresh: Held = { ref, opening: this.#open(ref), restsUntil: Infinity, usedAt: clock.elapsed() };
    this.#held.set(ref.id, fresh);
    // What the old version has open is still answered; connections are bound to the keys they began with.
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

  /** Lets go of what nobody sends under, and of what was removed: its key is not kept. */
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
    // Without the database nothing is known to be removed.
    const standing = await shelf.standing(ids).catch(() => new Set(ids));
    for (const [id, held] of left) if (!standing.has(id)) drop(id, held);
  }

  async close(ms: number): Promise<void> {
    clearInterval(this.#looks);
    await Promise.all([...this.#held.values()].map((held) => closeHeld(held, ms)));
  }

  #rests({ restsUntil }: Held): boolean {
    return this.options.clock.elapsed() < restsUntil;
  }

  async #open(ref: CredentialRef): Promise<Opened> {
    const { shelf, clock, openLine } = this.options;
    const opened = await shelf.open(ref);
    if (opened === undefined) return NONE;
    if (opened === 'unreadable') return UNREADABLE;
    const line = openLine(opened);
    if (!('pool' in line)) {
      const says = line.join('; ');
      shelf.learned(ref, { kind: 'fault', reason: says });
      return { kind: 'broken', says, outcome: USELESS, restMs: UNUSABLE_MS };
    }
    const { pool, perSecond } = line;
    const traffic = new Traffic({
      clock,
      most: () => pool.most,
      unreachableMs: () => pool.restMs,
      ...(perSecond === undefined ? {} : { ramp: new RateRamp(perSecond) }),
    });
    const { isProven } = opened;
    const learned: Credentialed['learned'] = (news) => shelf.learned(ref, news);
    return { kind: 'open', credentialed: { line, traffic, guard: new TokenGuard(), isProven, learned } };
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
/** No fault of the credential: another process may have its key. */
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
  if (opened?.kind !== 'open') return opened !== undefined;
  const { traffic, line } = opened.credentialed;
  return traffic.load.open === 0 && traffic.pauseMs === 0 && line.pool.connections === 0;
}

async function closeHeld({ opening }: Held, ms: number): Promise<void> {
  const opened = await opening.catch(() => undefined);
  if (opened?.kind === 'open') await opened.credentialed.line.close(ms);
}
