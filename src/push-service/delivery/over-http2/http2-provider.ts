// The provider port over HTTP/2. It holds the credentials under which this process sends: each is opened once a version and has a
// queue of its own. It remembers for a while that a credential cannot be used, so that not each device reads it again. It
// releases a credential that nobody uses or that was removed, with its key. The clients of FCM and APNs know the rest
// (provider-client.ts).
import { machineNow, type Clock, type EpochMs } from '../../../platform/clock.js';
import { HTTP2_LIMITS, type Http2Limits } from '../../../platform/http2/http2-limits.js';
import { Http2Pool } from '../../../platform/http2/http2-pool.js';
import type { Log } from '../../../platform/logging/log.js';
import type {
  CredentialNews,
  CredentialRef,
  CredentialReport,
  CredentialSource,
  Job,
  Outcome,
  Provider,
  Readiness,
  Target,
  DeliveryCallbacks,
} from '../provider-port.js';
import { LONG_WAIT_MS, type LongWait } from '../long-waits.js';
import type { ClientDeps, OpenClient } from './provider-client.js';
import { SendingCredential, type SendingDeps } from './sending-credential.js';

export interface Http2ProviderOptions {
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  readonly log: Log;
  readonly realNow?: () => EpochMs;
  readonly limits?: Http2Limits;
  /** PEM of a further certificate authority. */
  readonly ca?: string;
  /** How long an aborted delivery waits for answers, real milliseconds [10 000]. */
  readonly abortMs?: number;
}

/** none: there is no such version. broken: its content cannot be used. unreadable: this process cannot open it. */
export type Opened =
  | { readonly kind: 'open'; readonly sending: SendingCredential }
  | {
      readonly kind: 'none' | 'broken' | 'unreadable';
      readonly says: string;
      /** The outcome of each device. */
      readonly outcome: Outcome;
      /** After so long, real milliseconds, it is opened again. */
      readonly restMs: number;
    };

interface Held {
  readonly ref: CredentialRef;
  readonly opening: Promise<Opened>;
  opened?: Opened;
  /** Until this Clock.elapsed() it is known that it cannot be used. */
  restsUntil: number;
  /** Clock.elapsed() of its last use. */
  usedAt: number;
}

const ABORT_MS = 10_000;
/** After this time every process knows that a credential was replaced, real milliseconds. */
const CHANGED_MS = 5_000;
const UNUSABLE_MS = 60_000;
/** How long a credential is kept without use, real milliseconds: as long as a connection. */
const UNUSED_MS = 600_000;
/** The time between two calls of release(), real milliseconds. */
const SWEEP_MS = 60_000;

export class Http2Provider implements Provider {
  readonly lostAnswerIs = 'unknown';
  readonly #held = new Map<string, Held>();
  readonly #sweeps = setInterval(() => void this.release(), SWEEP_MS).unref();
  readonly #deps: SendingDeps & ClientDeps;

  /** `openClient` returns a client, or every fault of its credential. */
  constructor(
    private readonly options: Http2ProviderOptions,
    private readonly openClient: OpenClient,
  ) {
    const { clock, log, limits = HTTP2_LIMITS, ca, realNow = machineNow, abortMs = ABORT_MS } = options;
    const tls = ca === undefined ? {} : { tls: { ca } };
    const poolTo: ClientDeps['poolTo'] = (origin, connections) =>
      new Http2Pool({ origin, connections, clock, limits, ...tls });
    this.#deps = { clock, log, realNow, abortMs, poolTo };
  }

  readiness({ id, version }: CredentialRef): Readiness {
    const held = this.#held.get(id);
    if (held?.opened === undefined || held.ref.version !== version) return 'untried';
    if (held.opened.kind === 'open') return held.opened.sending.traffic.readiness;
    if (!this.#rests(held)) return 'untried';
    return held.opened.kind === 'broken' ? 'refused' : 'paused';
  }

  /** The sum over all credentials of this process. */
  get load(): { readonly window: number; readonly open: number; readonly paused: number } {
    const load = { window: 0, open: 0, paused: 0 };
    for (const { opened } of this.#held.values()) {
      if (opened?.kind !== 'open') continue;
      const { traffic } = opened.sending;
      load.window += traffic.load.window;
      load.open += traffic.load.open;
      if (traffic.pauseMs > 0) load.paused += 1;
    }
    return load;
  }

  /** The credentials under which nothing is accepted for long, or nothing will be. */
  get longWaits(): LongWait[] {
    return [...this.#held.values()].flatMap(({ ref: credential, opened }) => {
      if (opened?.kind !== 'open' || opened.sending.wait === undefined) return [];
      const { serviceId, wait } = opened.sending;
      return wait.lastedMs + wait.leftMs < LONG_WAIT_MS ? [] : [{ credential, serviceId, ...wait }];
    });
  }

  async deliver(job: Job, targets: readonly Target[], to: DeliveryCallbacks): Promise<void> {
    const opened = await this.open(job.credential);
    if (opened.kind === 'open') await opened.sending.queue.deliver(job, targets, to);
    else for (const { place } of targets) to.report(place, opened.outcome);
  }

  async check(credential: CredentialRef): Promise<CredentialReport> {
    const opened = await this.open(credential, true);
    return opened.kind === 'open' ? opened.sending.client.check() : { good: false, says: opened.says };
  }

  /** `retries`: opens it again even if it is known that it cannot be used. */
  async open(ref: CredentialRef, retries = false): Promise<Opened> {
    const { clock, abortMs } = this.#deps;
    const held = this.#held.get(ref.id);
    const isKnown = held !== undefined && held.ref.version >= ref.version;
    const isUseless = held?.opened !== undefined && held.opened.kind !== 'open';
    if (isKnown && !(isUseless && (retries || !this.#rests(held)))) {
      held.usedAt = clock.elapsed();
      return held.opened ?? held.opening;
    }
    const fresh: Held = { ref, opening: this.#open(ref), restsUntil: Infinity, usedAt: clock.elapsed() };
    this.#held.set(ref.id, fresh);
    // Open requests of the old version still get their answers. The new version needs its own connections: they are bound to a
    // key.
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

  /** Closes credentials that nobody uses, and those that were removed, so that their keys are not kept. */
  async release(): Promise<void> {
    const { clock, abortMs } = this.#deps;
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
    const existing = await this.options.credentials.existing(ids).catch(() => new Set(ids));
    for (const [id, held] of left) if (!existing.has(id)) drop(id, held);
  }

  /** Waits for open requests, and cuts them after `ms`. */
  async close(ms: number): Promise<void> {
    clearInterval(this.#sweeps);
    await Promise.all([...this.#held.values()].map((held) => closeHeld(held, ms)));
  }

  #rests({ restsUntil }: Held): boolean {
    return this.#deps.clock.elapsed() < restsUntil;
  }

  async #open(ref: CredentialRef): Promise<Opened> {
    const { credentials } = this.options;
    const opened = await credentials.open(ref);
    if (opened === undefined) return NONE;
    if (opened === 'unreadable') return UNREADABLE;
    const client = this.openClient(opened, this.#deps);
    if ('pool' in client) {
      const { serviceId, isProven } = opened;
      const learned = (news: CredentialNews): void => credentials.learned(ref, news);
      const sending = new SendingCredential(client, serviceId, isProven, { ...this.#deps, learned });
      return { kind: 'open', sending };
    }
    const says = client.join('; ');
    credentials.learned(ref, { kind: 'fault', reason: says });
    return { kind: 'broken', says, outcome: USELESS, restMs: UNUSABLE_MS };
  }
}

const USELESS: Outcome = { kind: 'credential', reason: 'CREDENTIAL_UNREADABLE' };
/** The credential was replaced or removed since. The next claim finds that. */
const NONE: Opened = {
  kind: 'none',
  says: 'There is no such credential.',
  outcome: { kind: 'retry', reason: 'CREDENTIAL_CHANGED', afterMs: CHANGED_MS },
  restMs: CHANGED_MS,
};
/** The credential may be good: another process may have its key. */
const UNREADABLE: Opened = {
  kind: 'unreadable',
  says: 'This process cannot open it: CARILLON_MASTER_KEY lacks the key it was sealed under.',
  outcome: USELESS,
  restMs: UNUSABLE_MS,
};

function isIdle({ opened }: Held): boolean {
  return opened?.kind === 'open' ? opened.sending.isIdle : opened !== undefined;
}

async function closeHeld({ opening }: Held, ms: number): Promise<void> {
  const opened = await opening.catch(() => undefined);
  if (opened?.kind === 'open') await opened.sending.client.close(ms);
}
