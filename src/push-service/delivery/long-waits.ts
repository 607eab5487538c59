// Tells whom devices of this process wait for: a warning in the log when a wait becomes a long one, a line at its end, and a note
// of health while it lasts. A refused credential is told by its own check.
import type { EpochMs } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import type { CredentialRef } from './provider-port.js';

/** Nothing is accepted under a credential. */
export interface LongWait {
  readonly credential: CredentialRef;
  readonly serviceId: string;
  readonly reason: string;
  readonly since: EpochMs;
  /** Until the next try, real milliseconds. */
  readonly leftMs: number;
}

/** Shorter ones are not told: a connection that is cut, a busy second. Real milliseconds, with what is left of a pause. */
export const LONG_WAIT_MS = 10_000;

/** Named in a note; more are counted. */
const MOST_NAMED = 20;

export class LongWaits {
  /** Those that the log has told, by credential and version. */
  #told = new Map<string, LongWait>();

  /** `current`: the waits of this process that are long. */
  constructor(
    private readonly current: () => readonly LongWait[],
    private readonly log: Log,
  ) {}

  /** Logs what has begun and ended since it was called last. */
  tell(): void {
    const waits = new Map(this.current().map((wait) => [keyOf(wait), wait]));
    for (const [key, { credential, serviceId, reason, leftMs }] of waits) {
      if (this.#told.has(key)) continue;
      const fields = { serviceId, kind: credential.kind, reason, leftMs: Math.round(leftMs) };
      this.log.warn(fields, 'devices wait for their provider: it accepts nothing under the credential');
    }
    for (const [key, { credential, serviceId, reason }] of this.#told)
      if (!waits.has(key))
        this.log.info(
          { serviceId, kind: credential.kind, reason },
          'no device waits for the provider any more',
        );
    this.#told = waits;
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
