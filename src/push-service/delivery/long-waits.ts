// Shows which providers devices of this process wait for: the log warns when a wait has become long, the log says when it ends,
// and health has a note while it lasts. A refused credential has a check of its own.
import type { EpochMs } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import type { CredentialRef } from './provider-port.js';

/** A wait during which the provider accepts nothing under a credential. */
export interface LongWait {
  readonly credential: CredentialRef;
  readonly serviceId: string;
  readonly reason: string;
  readonly since: EpochMs;
  /** How long until the next try, real milliseconds. */
  readonly leftMs: number;
}

/**
 * Shorter waits are not shown, such as a connection that is cut or a busy second. Real milliseconds, including the rest of a
 * pause.
 */
export const LONG_WAIT_MS = 10_000;

/** How many waits a note names; it counts the others. */
const MOST_NAMED = 20;

export class LongWaits {
  /** The waits that are in the log, by credential and version. */
  #logged = new Map<string, LongWait>();

  /** `current` returns the long waits of this process. */
  constructor(
    private readonly current: () => readonly LongWait[],
    private readonly log: Log,
  ) {}

  /** Logs what has begun and ended since the last call. */
  logChanges(): void {
    const waits = new Map(this.current().map((wait) => [keyOf(wait), wait]));
    for (const [key, { credential, serviceId, reason, leftMs }] of waits) {
      if (this.#logged.has(key)) continue;
      const fields = { serviceId, kind: credential.kind, reason, leftMs: Math.round(leftMs) };
      this.log.warn(fields, 'devices wait for their provider: it accepts nothing under the credential');
    }
    for (const [key, { credential, serviceId, reason }] of this.#logged)
      if (!waits.has(key))
        this.log.info(
          { serviceId, kind: credential.kind, reason },
          'no device waits for the provider any more',
        );
    this.#logged = waits;
  }

  inWords(): string | undefined {
    const waits = this.current();
    if (waits.length === 0) return undefined;
    const named = waits.slice(0, MOST_NAMED).map(inWords);
    const more = waits.length - named.length;
    return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  }
}

function keyOf({ credential: { id, version } }: LongWait): string {
  return `${id} ${version}`;
}

function inWords({ credential: { kind }, serviceId, reason, since, leftMs }: LongWait): string {
  const from = new Date(since).toISOString();
  const next = `it is tried again ${leftMs > 0 ? `in ${Math.ceil(leftMs / 1_000)} s` : 'now'}`;
  return `${kind} of ${serviceId}: nothing is accepted since ${from} (${reason}), and devices wait; ${next}`;
}
