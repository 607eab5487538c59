// The provider port over HTTP/2: which credential a chunk's targets go by, and how that stands. Its queue does the rest. Knows
// nothing of FCM or APNs; their clients do (provider-client.ts).
import { machineNow, type Clock, type EpochMs } from '../../../platform/clock.js';
import { HTTP2_LIMITS, type Http2Limits } from '../../../platform/http2/http2-limits.js';
import { Http2Pool } from '../../../platform/http2/http2-pool.js';
import type { Log } from '../../../platform/logging/log.js';
import type {
  CredentialRef,
  CredentialReport,
  CredentialShelf,
  Job,
  Provider,
  Standing,
  Target,
  Told,
} from '../provider-port.js';
import { LONG_WAIT_MS, type LongWait } from '../long-waits.js';
import { HeldCredentials } from './held-credentials.js';
import type { ClientParts, OpenClient } from './provider-client.js';

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

export class Http2Provider implements Provider {
  readonly lostAnswerIs = 'unknown';
  readonly #held: HeldCredentials;

  constructor(options: Http2ProviderOptions, openClient: OpenClient) {
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

  standing(credential: CredentialRef): Standing {
    return this.#held.standing(credential);
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

  async deliver(job: Job, targets: readonly Target[], to: Told): Promise<void> {
    const opened = await this.#held.open(job.credential);
    if (opened.kind === 'open') await opened.sending.queue.deliver(job, targets, to);
    else for (const { place } of targets) to.told(place, opened.outcome);
  }

  async check(credential: CredentialRef): Promise<CredentialReport> {
    const opened = await this.#held.open(credential, true);
    return opened.kind === 'open' ? opened.sending.client.check() : { good: false, says: opened.says };
  }

  /** Ends what is open, or cuts it after `ms`. */
  async close(ms: number): Promise<void> {
    await this.#held.close(ms);
  }
}
