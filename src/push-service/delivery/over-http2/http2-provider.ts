// The provider port over HTTP/2: slices of targets to FCM or APNs, each target told once, as fast as its credential may send.
// Knows nothing of either provider; their clients do (provider-client.ts).
import { setMaxListeners } from 'node:events';
import { machineNow, type Clock, type EpochMs } from '../../../platform/clock.js';
import { HTTP2_LIMITS, type Http2Limits } from '../../../platform/http2/http2-limits.js';
import { Http2Pool } from '../../../platform/http2/http2-pool.js';
import { LATE, within } from '../../../platform/with-timeout.js';
import type { Log } from '../../../platform/logging/log.js';
import type {
  CredentialRef,
  CredentialReport,
  CredentialShelf,
  Job,
  Outcome,
  Provider,
  Standing,
  Target,
  Told,
} from '../provider-port.js';
import { isOver } from '../deadlines.js';
import { LONG_WAIT_MS, type LongWait } from '../long-waits.js';
import { HeldCredentials } from './held-credentials.js';
import type { PaceSign } from './judged-answer.js';
import { MessageRefusals } from './message-refusals.js';
import type { ClientParts, OpenClient } from './provider-client.js';
import type { Delivery, SendingCredential } from './sending-credential.js';

export interface Http2ProviderOptions {
  readonly shelf: CredentialShelf;
  readonly clock: Clock;
  readonly log: Log;
  readonly realNow?: () => EpochMs;
  readonly limits?: Http2Limits;
  /** PEM of a further certificate authority. */
  readonly ca?: string;
  /** How long answers are waited for once a delivery was aborted, real milliseconds [10 000]. */
  readonly abortMs?: number;
}

const ABORT_MS = 10_000;

interface OpenDelivery extends Delivery {
  readonly sending: SendingCredential;
  readonly bugs: unknown[];
}

export class Http2Provider implements Provider {
  readonly lostAnswerIs = 'unknown';
  readonly #held: HeldCredentials;
  readonly #refusals = new MessageRefusals();

  constructor(
    private readonly options: Http2ProviderOptions,
    openClient: OpenClient,
  ) {
    const { clock, limits = HTTP2_LIMITS, ca, realNow = machineNow, abortMs = ABORT_MS } = options;
    const tls = ca === undefined ? {} : { tls: { ca } };
    const poolTo: ClientParts['poolTo'] = (origin, connections) =>
      new Http2Pool({ origin, connections, clock, limits, ...tls });
    this.#held = new HeldCredentials({
      ...options,
      realNow,
      abortMs,
      openClient: (credential) => openClient(credential, { clock, realNow, poolTo }),
    });
  }

  /** One while it has not been opened, or when it is time to open it again. */
  room(credential: CredentialRef): number {
    const { opened, rests } = this.#held.standing(credential);
    if (opened?.kind === 'open') return opened.sending.traffic.room;
    return rests ? 0 : 1;
  }

  standing(credential: CredentialRef): Standing {
    const { opened, rests } = this.#held.standing(credential);
    if (opened?.kind !== 'open') {
      if (!rests) return 'untried';
      return opened?.kind === 'broken' ? 'refused' : 'paused';
    }
    const { pauseMs, fault, responsiveness } = opened.sending.traffic;
    if (pauseMs === 0) return responsiveness;
    return fault === undefined ? 'paused' : 'refused';
  }

  /** All credentials of this process together. */
  get load(): { readonly window: number; readonly open: number; readonly paused: number } {
    const load = { window: 0, open: 0, paused: 0 };
    for (const { opened } of this.#held.sending()) {
      const { traffic } = opened.sending;
      load.window += traffic.load.window;
      load.open += traffic.load.open;
      if (traffic.pauseMs > 0) load.paused += 1;
    }
    return load;
  }

  /** Credentials under which nothing is accepted for long, or will not be. */
  get longWaits(): LongWait[] {
    return [...this.#held.sending()].flatMap(({ ref: credential, opened: { serviceId, sending } }) => {
      const { wait } = sending;
      if (wait === undefined || wait.lastedMs + wait.leftMs < LONG_WAIT_MS) return [];
      const { reason, since, leftMs } = wait;
      return [{ credential, serviceId, reason, since, leftMs }];
    });
  }

  async waitForRoom(credential: CredentialRef, signal: AbortSignal): Promise<void> {
    const opened = await this.#held.open(credential);
    if (opened.kind === 'open') await opened.sending.traffic.waitForRoom(signal);
  }

  async deliver(job: Job, targets: readonly Target[], to: Told): Promise<void> {
    const left = new Set(targets.map(({ place }) => place));
    const tell = (place: number, outcome: Outcome): void => {
      // An answer after the target was given up changes nothing.
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
    return opened.kind === 'open' ? opened.sending.client.check() : { good: false, says: opened.says };
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
    // Each request that waits for a stream listens to the signal.
    setMaxListeners(0, to.signal);
    const isWanted = (): boolean => isOver(job, this.options.clock) === undefined;
    const delivery: OpenDelivery = { sending: opened.sending, job, to, isWanted, bugs: [] };
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

  /** The outcome of a target that is not sent; undefined once it has its turn. A promise only if it has to wait for that. */
  #unsent(delivery: OpenDelivery, target: Target): Outcome | undefined | Promise<Outcome | undefined> {
    const known = this.#known(delivery.job, target);
    if (known !== undefined) return known;
    if (delivery.to.signal.aborted) return STOPPED;
    return delivery.sending.traffic.takeTurn() ? undefined : this.#afterWaiting(delivery, target);
  }

  async #afterWaiting(
    { sending: { traffic }, job, to }: OpenDelivery,
    target: Target,
  ): Promise<Outcome | undefined> {
    const turn = await traffic.turn(to.signal);
    if (turn === 'aborted') return STOPPED;
    if (turn === 'go') {
      // Answers that came while it waited may have decided it.
      const meanwhile = this.#known(job, target);
      if (meanwhile !== undefined) traffic.ended('unasked');
      return meanwhile;
    }
    const { fault, pauseMs } = traffic;
    return fault === undefined
      ? { kind: 'retry', reason: 'PAUSED', afterMs: Math.ceil(pauseMs) }
      : { kind: 'credential', reason: fault };
  }

  /** Its outcome if it need not be sent. */
  #known(job: Job, target: Target): Outcome | undefined {
    return isOver(job, this.options.clock) ?? this.#refusals.of(variantOf(job, target));
  }

  /** Adds what breaks to `bugs`: a rejection would go unhandled until all are awaited. */
  async #send(delivery: OpenDelivery, target: Target): Promise<void> {
    const { sending, job, to, bugs } = delivery;
    let sign: PaceSign = 'unasked';
    try {
      const variant = variantOf(job, target);
      const judged = await sending.handOver(delivery, target, variant);
      sign = judged.pace;
      // Before the turn ends, so that the next one goes by it.
      this.#refusals.note(variant, judged);
      to.told(target.place, judged.outcome);
    } catch (bug) {
      bugs.push(bug);
    } finally {
      sending.traffic.ended(sign);
    }
  }
}

const STOPPED: Outcome = { kind: 'retry', reason: 'STOPPED', afterMs: 0 };

function variantOf({ variants, firingId }: Job, { variant }: Target) {
  const found = variants[variant];
  if (found === undefined) throw new RangeError(`firing ${firingId} has no variant ${variant}`);
  return found;
}

/** LATE once the signal is aborted; rejects as `work` does. */
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
