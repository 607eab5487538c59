// The credentials of services, for those who send. It remembers for seconds which version is current, opens the secret for
// whoever begins to send under it without keeping it, and records what answers show about it.
import { LRUCache } from 'lru-cache';
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import { SealError, type Sealer } from '../../platform/secrets/sealed.js';
import { TimedCache } from '../../platform/timed-cache.js';
import type {
  CredentialNews,
  CredentialRef,
  CredentialSource,
  OpenedCredential,
} from '../delivery/provider-port.js';
import {
  CREDENTIAL_SECRET,
  findCredential,
  openCredential,
  recordNews,
  existingCredentials,
  type CredentialKind,
} from './credential.store.js';

/** The current version of a credential. */
export interface CurrentCredential {
  readonly ref: CredentialRef;
  /** Since when the provider refuses it; undefined while it does not. */
  readonly faultSince: EpochMs | undefined;
}

export interface CredentialsDeps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long the current version is remembered, real milliseconds; 0: it is read every time. */
  readonly periodMs: number;
}

const MOST_REMEMBERED = 10_000;

/** The same news of one credential is written once in this time, real milliseconds. */
const SAME_NEWS_MS = 60_000;

export class Credentials implements CredentialSource {
  readonly #current: TimedCache<CurrentCredential | undefined>;
  /** The last news of a credential, by its id, and Clock.elapsed() of it. */
  readonly #lastNews = new LRUCache<string, { readonly news: string; readonly at: number }>({
    max: MOST_REMEMBERED,
  });

  constructor(private readonly deps: CredentialsDeps) {
    const { periodMs, clock } = deps;
    this.#current = new TimedCache({ ttlMs: periodMs, max: MOST_REMEMBERED, clock });
  }

  /** Undefined when the service has no credential of that kind. */
  get(serviceId: string, kind: CredentialKind): Promise<CurrentCredential | undefined> {
    return this.#current.get(`${kind} ${serviceId}`, async () => {
      const row = await findCredential(this.deps.sql, serviceId, kind);
      if (row === undefined) return undefined;
      const { id, version, faultSince } = row;
      return { ref: { id, version, kind }, faultSince: faultSince?.getTime() };
    });
  }

  /** Forgets which versions are current. Call it after any change of credentials. */
  clear(): void {
    this.#current.clear();
  }

  async open(ref: CredentialRef): Promise<OpenedCredential | 'unreadable' | undefined> {
    const { sql, sealer } = this.deps;
    const row = await openCredential(sql, ref);
    if (row === undefined) return undefined;
    const { serviceId, kind, settings, secretSealed, isProven } = row;
    try {
      const secret = sealer.open(secretSealed, CREDENTIAL_SECRET, serviceId, kind);
      return { serviceId, secret, settings, isProven };
    } catch (error) {
      // Another process may have the master key; health names the row.
      if (error instanceof SealError) return 'unreadable';
      throw error;
    }
  }

  existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return existingCredentials(this.deps.sql, ids);
  }

  learned(ref: CredentialRef, news: CredentialNews): void {
    const { clock, log } = this.deps;
    const entry = { news: `${ref.version} ${JSON.stringify(news)}`, at: clock.elapsed() };
    const last = this.#lastNews.get(ref.id);
    if (last?.news === entry.news && entry.at - last.at < SAME_NEWS_MS) return;
    this.#lastNews.set(ref.id, entry);
    this.#write(ref, news).catch((error: unknown) => {
      if (this.#lastNews.get(ref.id) === entry) this.#lastNews.delete(ref.id);
      log.warn({ err: error, news: news.kind }, 'news about a credential could not be recorded');
    });
  }

  async #write(ref: CredentialRef, news: CredentialNews): Promise<void> {
    const { sql, clock, log } = this.deps;
    const name = await recordNews(sql, ref, news, new Date(clock.now()));
    if (name === undefined) return;
    const { level, message } = LOG_LINES[news.kind];
    log[level]({ ...name, ...('reason' in news && { reason: news.reason }) }, message);
    this.#current.delete(`${name.kind} ${name.serviceId}`);
  }
}

const LOG_LINES = {
  proven: { level: 'info', message: 'the provider accepts pushes under a credential' },
  fault: { level: 'error', message: 'the provider refuses a credential: devices wait' },
  warning: { level: 'warn', message: 'devices fail until an operator changes something at the provider' },
} as const;
