// The provider token of APNs: a JWT that is good for an hour, and that Apple wants renewed no sooner than each 20
// minutes. One for a process and a version of a credential.
import { randomInt, sign } from 'node:crypto';
import type { Clock, EpochMs } from '../../../platform/clock.js';
import type { ApnsCredential } from './apns-credential.js';

const MINUTE_MS = 60_000;
/** Spread, so that replicas do not renew at one moment. */
const LIFE_MS = [35 * MINUTE_MS, 45 * MINUTE_MS] as const;
/** A younger one is not renewed, even refused: APNs answers TooManyProviderTokenUpdates to that. */
const LEAST_AGE_MS = 20 * MINUTE_MS;
/** So far the machine's time may part from the real time that went by; further, it was set, or the machine stood still. */
const MOST_STEP_MS = MINUTE_MS;

interface Held {
  readonly token: string;
  readonly madeAt: number;
  /** By the machine's own time, which it says it was made at. */
  readonly saysMadeAt: EpochMs;
  readonly lifeMs: number;
}

export class ProviderToken {
  #held: Held | undefined;

  constructor(
    private readonly credential: ApnsCredential,
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly realNow: () => EpochMs,
  ) {}

  get(): string {
    const held = this.#held;
    if (held === undefined || this.#age(held) >= held.lifeMs || this.#wasSet(held)) return this.#make();
    return held.token;
  }

  /** Whether another than the refused one is to be had. */
  renew(refused: string): boolean {
    const held = this.#held;
    if (held === undefined || held.token !== refused) return true;
    if (this.#age(held) < LEAST_AGE_MS && !this.#wasSet(held)) return false;
    this.#make();
    return true;
  }

  #age({ madeAt }: Held): number {
    return this.clock.elapsed() - madeAt;
  }

  /** The machine's time is another than when the token was made: what it says of its age is wrong, and APNs goes by that. */
  #wasSet(held: Held): boolean {
    return Math.abs(this.realNow() - held.saysMadeAt - this.#age(held)) > MOST_STEP_MS;
  }

  #make(): string {
    const { key, keyId, teamId } = this.credential;
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const saysMadeAt = this.realNow();
    const iat = Math.floor(saysMadeAt / 1_000);
    const signed = `${part({ alg: 'ES256', kid: keyId })}.${part({ iss: teamId, iat })}`;
    // JWS wants the two numbers side by side (RFC 7518 §3.4), not DER.
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    const token = `${signed}.${signature.toString('base64url')}`;
    const lifeMs = randomInt(LIFE_MS[0], LIFE_MS[1] + 1);
    this.#held = { token, madeAt: this.clock.elapsed(), saysMadeAt, lifeMs };
    return token;
  }
}
