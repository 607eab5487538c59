// What a service's devices are reached by, as those who send go by it: which version is current, remembered for seconds;
// its secret, opened once for whoever begins to send under it and kept by nobody here; and what was learned of it.
import { LRUCache } from 'lru-cache';
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import { SealError, type Sealer } from '../../platform/sealed.js';
import { TimedCache } from '../../platform/timed-cache.js';
import type {
  CredentialNews,
  CredentialRef,
  CredentialShelf,
  OpenedCredential,
} from '../delivery/provider-port.js';
import {
  CREDENTIAL_SECRET,
  findCredential,
  openCredential,
  recordFault,
  recordProven,
  recordWarning,
  standingCredentials,
  type CredentialKind,
  type Learned,
} from './credential.store.js';

/** A credential as it stands. */
export interface StandingCredential {
  readonly ref: CredentialRef;
  /** Since when the provider refuses it; undefined while it does not. */
  readonly faultSince: EpochMs | undefined;
}

export interface CredentialsParts {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a version is remembered, real milliseconds; 0 looks it up every time. */
  readonly periodMs: number;
}

const MOST_REMEMBERED = 10_000;

/** The same news of one credential are written down this often at most, real milliseconds. */
const SAME_NEWS_MS = 60_000;

export class Credentials implements CredentialShelf {
  readonly #standing: TimedCache<StandingCredential | undefined>;
  /** By credential, what was told last, and when. */
  readonly #told = new LRUCache<string, { readonly news: string; readonly at: number }>({
    max: MOST_REMEMBERED,
  });

  constructor(private readonly parts: CredentialsParts) {
    const { periodMs, clock } = parts;
    this.#standing = new TimedCache({ ttlMs: periodMs, max: MOST_REMEMBERED, clock });
  }

  /** Undefined: the service has none of that kind. */
  get(serviceId: string, kind: CredentialKind): Promise<StandingCredential | undefined> {
    return this.#standing.get(`${kind} ${serviceId}`, async () => {
      const row = await findCredential(this.parts.sql, serviceId, kind);
      if (row === undefined) return undefined;
      const { id, version, faultSince } = row;
      return { ref: { id, version, kind }, faultSince: faultSince?.getTime() };
    });
  }

  /** Forgets which versions are current: something about credentials was changed. */
  clear(): void {
    this.#standing.clear();
  }

  async open(ref: CredentialRef): Promise<OpenedCredential | 'unreadable' | undefined> {
    const { sql, sealer } = this.parts;
    const row = await openCredential(sql, ref);
    if (row === undefined) return undefined;
    const { serviceId, kind, settings, secretSealed, isProven } = row;
    try {
      return { secret: sealer.open(secretSealed, CREDENTIAL_SECRET, serviceId, kind), settings, isProven };
    } catch (error) {
      // Another process may hold the master key; health names the row.
      if (error instanceof SealError) return 'unreadable';
      throw error;
    }
  }

  async standing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await standingCredentials(this.parts.sql, ids));
  }

  learned(ref: CredentialRef, news: CredentialNews): void {
    const { clock, log } = this.parts;
    const told = { news: `${ref.version} ${JSON.stringify(news)}`, at: clock.elapsed() };
    const last = this.#told.get(ref.id);
    if (last?.news === told.news && told.at - last.at < SAME_NEWS_MS) return;
    this.#told.set(ref.id, told);
    this.#write(ref, news).catch((error: unknown) => {
      if (this.#told.get(ref.id) === told) this.#told.delete(ref.id);
      log.warn({ err: error, news: news.kind }, 'what was learned of a credential could not be written down');
    });
  }

  async #write(ref: CredentialRef, news: CredentialNews): Promise<void> {
    const { sql, clock, log } = this.parts;
    const now = new Date(clock.now());
    let learned: Learned | undefined;
    switch (news.kind) {
      case 'proven':
        learned = await recordProven(sql, ref, now);
        if (learned !== undefined) log.info(learned, 'the provider accepts pushes under a credential');
        break;
      case 'fault':
        learned = await recordFault(sql, ref, news.reason, now);
        if (learned !== undefined)
          log.error({ ...learned, reason: news.reason }, 'the provider refuses a credential: devices wait');
        break;
      case 'warning':
        learned = await recordWarning(sql, ref, news.reason, now);
        if (learned !== undefined)
          log.warn({ ...learned, reason: news.reason }, 'something is to be set right at the provider');
    }
    if (learned !== undefined) this.#standing.delete(`${learned.kind} ${learned.serviceId}`);
  }
}
