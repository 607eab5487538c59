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
  Outcome,
  Provider,
  Target,
  Told,
} from '../provider-port.js';
import { isOver } from '../deadlines.js';
import { handOver, type Credentialed, type HandOverContext } from './hand-over.js';
import { HeldCredentials, type OpenLine } from './held-credentials.js';
import { MessageRefusals } from './message-refusals.js';
import type { PaceSign } from './verdict.js';

export interface Http2ProviderOptions {
  readonly shelf: CredentialShelf;
  readonly clock: Clock;
  readonly log: Log;
  readonly realNow?: () => EpochMs;
  /** Real milliseconds that answers are waited for once a delivery was aborted; default 10 000. */
  readonly abortMs?: number;
}

const ABORT_MS = 10_000;

/** One call of deliver() under an open credential. */
interface Delivery {
  readonly credentialed: Credentialed;
  readonly job: Job;
  readonly to: Told;
  readonly isWanted: () => boolean;
  readonly bugs: unknown[];
}

export class Http2Provider implements Provider {
  readonly lostAnswerIs = 'unknown';
  readonly #held: HeldCredentials;
  readonly #refusals = new MessageRefusals();
  readonly #handingOver: HandOverContext;

  constructor(
    private readonly options: Http2ProviderOptions,
    openLine: OpenLine,
  ) {
    const { abortMs = ABORT_MS, clock, log, realNow = machineNow } = options;
    const ourFault = (reason: string, { firingId, credential, trace }: Job): void =>
      log.error(
        { reason, firingId, provider: credential.kind, trace },
        'the provider refused a request as made wrong',
      );
    this.#handingOver = { clock, realNow, ourFault };
    this.#held = new HeldCredentials({ ...options, openLine, abortMs });
  }

  /** One at first, and where it is time to look again whether it can be used. */
  room(credential: CredentialRef): number {
    const { opened, rests } = this.#held.standing(credential);
    if (opened?.kind === 'open') return opened.credentialed.traffic.room;
    return rests ? 0 : 1;
  }

  isPaused(credential: CredentialRef): boolean {
    const { opened, rests } = this.#held.standing(credential);
    return opened?.kind === 'open' ? opened.credentialed.traffic.pauseMs > 0 : rests;
  }

  refuses(credential: CredentialRef): boolean {
    const { opened, rests } = this.#held.standing(credential);
    if (opened?.kind !== 'open') return rests && opened?.kind === 'broken';
    const { traffic } = opened.credentialed;
    return traffic.fault !== undefined && traffic.pauseMs > 0;
  }

  /** Of all credentials together, as they stand in this process. */
  get load(): { readonly window: number; readonly open: number; readonly paused: number } {
    const load = { window: 0, open: 0, paused: 0 };
    for (const { traffic } of this.#held.lines()) {
      load.window += traffic.load.window;
      load.open += traffic.load.open;
      if (traffic.pauseMs > 0) load.paused += 1;
    }
    return load;
  }

  async waitForRoom(credential: CredentialRef, signal: AbortSignal): Promise<void> {
    const opened = await this.#held.open(credential);
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
    const opened = await this.#held.open(credential, true);
    return opened.kind === 'open' ? opened.credentialed.line.check() : { good: false, says: opened.says };
  }

  /** Ends what is open, or cuts it after `ms`. */
  async close(ms: number): Promise<void> {
    await this.#held.close(ms);
  }

  async #deliver(job: Job, targets: readonly Target[], to: Told): Promise<void> {
    const opened = await this.#held.open(job.credential);
    if (opened.kind !== 'open') {
      for (const { place } of targets) to.told(place, opened.outcome);
      return;
    }
    // Each request that waits for a stream listens to it.
    setMaxListeners(0, to.signal);
    const isWanted = (): boolean => isOver(job, this.options.clock) === undefined;
    const delivery: Delivery = { credentialed: opened.credentialed, job, to, isWanted, bugs: [] };
    const running: Promise<void>[] = [];
    for (const target of targets) {
      const turn = this.#unsent(delivery, target);
      const unsent = turn instanceof Promise ? await turn : turn;
      if (unsent !== undefined) to.told(target.place, unsent);
      else running.push(this.#send(delivery, target));
    }
    await Promise.all(running);
    if (delivery.bugs.length > 0) throw delivery.bugs[0];
  }

  /** What a target comes to that is not sent; undefined once it has its turn. At once, unless it has to wait for that. */
  #unsent(delivery: Delivery, target: Target): Outcome | undefined | Promise<Outcome | undefined> {
    const known = this.#known(delivery.job, target);
    if (known !== undefined) return known;
    if (delivery.to.signal.aborted) return STOPPED;
    return delivery.credentialed.traffic.takeTurn() ? undefined : this.#afterWaiting(delivery, target);
  }

  async #afterWaiting(
    { credentialed: { traffic }, job, to }: Delivery,
    target: Target,
  ): Promise<Outcome | undefined> {
    const turn = await traffic.turn(to.signal);
    if (turn === 'aborted') return STOPPED;
    if (turn === 'go') {
      // What came in while it waited may have settled it.
      const meanwhile = this.#known(job, target);
      if (meanwhile !== undefined) traffic.ended('none');
      return meanwhile;
    }
    const { fault, pauseMs } = traffic;
    return fault === undefined
      ? { kind: 'retry', reason: 'PAUSED', afterMs: Math.ceil(pauseMs) }
      : { kind: 'credential', reason: fault };
  }

  /** What it comes to without being sent. */
  #known(job: Job, target: Target): Outcome | undefined {
    return isOver(job, this.options.clock) ?? this.#refusals.of(variantOf(job, target));
  }

  /** Leaves what breaks in `bugs`: until all are waited for, a failure would be nobody's. */
  async #send({ credentialed, job, to, isWanted, bugs }: Delivery, target: Target): Promise<void> {
    let sign: PaceSign = 'none';
    try {
      const variant = variantOf(job, target);
      const order = { job, target, variant, signal: to.signal, isWanted };
      const verdict = await handOver(credentialed, order, this.#handingOver);
      sign = verdict.pace;
      // Before the turn ends: whoever has the next one goes by it.
      this.#refusals.note(variant, verdict);
      to.told(target.place, verdict.outcome);
    } catch (bug) {
      bugs.push(bug);
    } finally {
      credentialed.traffic.ended(sign);
    }
  }
}

const STOPPED: Outcome = { kind: 'retry', reason: 'STOPPED', afterMs: 0 };

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
