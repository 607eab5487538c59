// The port over HTTP/2: slices of targets to FCM or APNs, each target told once, as fast as its credential may. Knows
// neither of the two; a line does (line.ts).
import { setMaxListeners } from 'node:events';
import { machineNow, type Clock, type EpochMs } from '../../../platform/clock.js';
import { LATE, within } from '../../../platform/within.js';
import type { Log } from '../../../platform/log.js';
import type {
  CredentialRef,
  CredentialReport,
  CredentialShelf,
  Job,
  OpenedCredential,
  Outcome,
  Provider,
  Target,
  Told,
} from '../provider-port.js';
import { handOver, isOver, type Credentialed } from './hand-over.js';
import type { Line } from './line.js';
import { MessageRefusals } from './message-refusals.js';
import { RateRamp } from './rate-ramp.js';
import { TokenGuard } from './token-guard.js';
import { Traffic } from './traffic.js';
import type { PaceSign } from './verdict.js';

export interface Http2ProviderOptions {
  readonly shelf: CredentialShelf;
  readonly clock: Clock;
  readonly log: Log;
  readonly realNow?: () => EpochMs;
  /** Real milliseconds that answers are waited for once a delivery was aborted; default 10 000. */
  readonly abortMs?: number;
}

/** A line, or every fault of what was to be one. */
export type OpenLine = (credential: OpenedCredential) => Line | readonly string[];

/** none: there is no such credential. broken: what it holds cannot be used. */
type Opened =
  { kind: 'open'; credentialed: Credentialed } | { kind: 'none' } | { kind: 'broken'; says: string };

interface Held {
  readonly version: number;
  readonly opening: Promise<Opened>;
  opened?: Opened;
}

const ABORT_MS = 10_000;

export class Http2Provider implements Provider {
  readonly lostAnswerIs = 'unknown';
  readonly #held = new Map<string, Held>();
  readonly #refusals = new MessageRefusals();

  constructor(
    private readonly options: Http2ProviderOptions,
    private readonly openLine: OpenLine,
  ) {}

  room(credential: CredentialRef): number {
    const held = this.#held.get(credential.id);
    if (held?.version !== credential.version) return 1;
    return held.opened?.kind === 'open' ? held.opened.credentialed.traffic.room : 1;
  }

  async waitForRoom(credential: CredentialRef, signal: AbortSignal): Promise<void> {
    const opened = await this.#open(credential);
    if (opened.kind === 'open') await opened.credentialed.traffic.waitForRoom(signal);
  }

  async deliver(job: Job, targets: readonly Target[], to: Told): Promise<void> {
    const left = new Set(targets.map(({ place }) => place));
    const tell = (place: number, outcome: Outcome): void => {
      // What is answered after it was given up is known already.
      if (left.delete(place)) to.told(place, outcome);
    };
    const all = this.#deliver(job, targets, { signal: to.signal, told: tell });
    if ((await untilAborted(all, to.signal)) === LATE) {
      await within(all, this.options.abortMs ?? ABORT_MS);
      for (const place of left) tell(place, { kind: 'unknown', reason: 'NO_ANSWER' });
      return;
    }
    await all;
  }

  async check(credential: CredentialRef): Promise<CredentialReport> {
    const opened = await this.#open(credential);
    if (opened.kind === 'none') return { good: false, says: 'There is no such credential.' };
    if (opened.kind === 'broken') return { good: false, says: opened.says };
    return opened.credentialed.line.check();
  }

  /** Ends what is open, or cuts it after `ms`. */
  async close(ms: number): Promise<void> {
    await Promise.all([...this.#held.values()].map((held) => closeHeld(held, ms)));
  }

  async #deliver(job: Job, targets: readonly Target[], to: Told): Promise<void> {
    const opened = await this.#open(job.credential);
    if (opened.kind !== 'open') {
      const reason = opened.kind === 'none' ? 'PROVIDER_NOT_CONFIGURED' : 'CREDENTIAL_UNREADABLE';
      const kind = opened.kind === 'none' ? 'failed' : 'credential';
      for (const { place } of targets) to.told(place, { kind, reason });
      return;
    }
    const { credentialed } = opened;
    // Each request that waits for a stream listens to it.
    setMaxListeners(0, to.signal);
    const bugs: unknown[] = [];
    const running: Promise<void>[] = [];
    for (const target of targets) {
      const unsent = await this.#unsent(credentialed, job, target, to.signal);
      if (unsent !== undefined) to.told(target.place, unsent);
      // Caught at once: until all are waited for, a failure would be nobody's.
      else
        running.push(this.#send(credentialed, job, target, to).catch((bug: unknown) => void bugs.push(bug)));
    }
    await Promise.all(running);
    if (bugs.length > 0) throw bugs[0];
  }

  /** What a target comes to that is not sent; undefined once it has its turn. */
  async #unsent(
    { traffic }: Credentialed,
    job: Job,
    target: Target,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const known = (): Outcome | undefined =>
      isOver(job, this.options.clock) ?? this.#refusals.of(variantOf(job, target));
    const before = known();
    if (before !== undefined) return before;
    if (signal.aborted) return STOPPED;
    const turn = traffic.takeTurn() ? 'go' : await traffic.turn(signal);
    if (turn === 'aborted') return STOPPED;
    if (turn === 'go') {
      // What came in while it waited may have settled it.
      const meanwhile = known();
      if (meanwhile !== undefined) traffic.ended('none');
      return meanwhile;
    }
    const { fault, pauseMs } = traffic;
    return fault === undefined
      ? { kind: 'retry', reason: 'PAUSED', afterMs: Math.ceil(pauseMs) }
      : { kind: 'credential', reason: fault };
  }

  async #send(credentialed: Credentialed, job: Job, target: Target, to: Told): Promise<void> {
    const { clock, log, realNow = machineNow } = this.options;
    const variant = variantOf(job, target);
    const ourFault = (reason: string, { firingId, credential }: Job): void =>
      log.error(
        { reason, firingId, provider: credential.kind },
        'the provider refused a request as made wrong',
      );
    let sign: PaceSign = 'none';
    try {
      const order = { job, target, variant, signal: to.signal };
      const verdict = await handOver(credentialed, order, { clock, realNow, ourFault });
      sign = verdict.pace;
      // Before the turn ends: whoever has the next one goes by it.
      this.#refusals.note(variant, verdict);
      to.told(target.place, verdict.outcome);
    } finally {
      credentialed.traffic.ended(sign);
    }
  }

  async #open(credential: CredentialRef): Promise<Opened> {
    const { id, version } = credential;
    const held = this.#held.get(id);
    if (held !== undefined && held.version >= version) return held.opened ?? held.opening;
    const fresh: Held = { version, opening: this.#openLine(credential) };
    this.#held.set(id, fresh);
    // What the old version has open is still answered; connections are bound to the keys they began with.
    if (held !== undefined) void closeHeld(held, this.options.abortMs ?? ABORT_MS);
    try {
      fresh.opened = await fresh.opening;
      // Set up meanwhile, it is to be found.
      if (fresh.opened.kind === 'none' && this.#held.get(id) === fresh) this.#held.delete(id);
      return fresh.opened;
    } catch (error) {
      if (this.#held.get(id) === fresh) this.#held.delete(id);
      throw error;
    }
  }

  async #openLine(credential: CredentialRef): Promise<Opened> {
    const { shelf, clock } = this.options;
    const opened = await shelf.open(credential);
    if (opened === undefined) return { kind: 'none' };
    const line = this.openLine(opened);
    if (!('pool' in line)) {
      shelf.learned(credential, { kind: 'fault', reason: line.join('; ') });
      return { kind: 'broken', says: line.join('; ') };
    }
    const { pool, perSecond } = line;
    const traffic = new Traffic({
      clock,
      most: () => pool.most,
      unreachableMs: () => pool.restMs,
      ...(perSecond === undefined ? {} : { ramp: new RateRamp(perSecond) }),
    });
    const { isProven } = opened;
    const credentialed: Credentialed = {
      line,
      traffic,
      guard: new TokenGuard(),
      isProven,
      learned: (news) => shelf.learned(credential, news),
    };
    return { kind: 'open', credentialed };
  }
}

const STOPPED: Outcome = { kind: 'retry', reason: 'STOPPED', afterMs: 0 };

async function closeHeld({ opening }: Held, ms: number): Promise<void> {
  const opened = await opening.catch(() => undefined);
  if (opened?.kind === 'open') await opened.credentialed.line.close(ms);
}

function variantOf({ variants, firingId }: Job, { variant }: Target) {
  const found = variants[variant];
  if (found === undefined) throw new RangeError(`firing ${firingId} has no variant ${variant}`);
  return found;
}

/** LATE once the signal is aborted; a failure of `work` is its own. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void | typeof LATE> {
  let stop = (): void => undefined;
  const aborted = new Promise<typeof LATE>((resolve) => {
    stop = () => resolve(LATE);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
