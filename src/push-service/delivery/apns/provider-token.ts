// The provider token of APNs: a JWT that is good for an hour, and that Apple wants renewed at most every 20 minutes. Each
// process has one for a version of a credential.
import { randomInt } from 'node:crypto';
import type { Clock, EpochMs } from '../../../platform/clock.js';
import { signedJwt } from '../over-http2/credential-parts.js';
import type { ApnsCredential } from './apns-credential.js';

const MINUTE_MS = 60_000;
/** Spread, so that replicas do not renew at one moment. */
const LIFE_MS = [35 * MINUTE_MS, 45 * MINUTE_MS] as const;
/** A younger token is not renewed even when it was refused: APNs would answer TooManyProviderTokenUpdates. */
const LEAST_AGE_MS = 20 * MINUTE_MS;
/** The machine's time may drift this far from the real time that went by; beyond that it was set, or the machine slept. */
const MOST_STEP_MS = MINUTE_MS;

interface Held {
  readonly token: string;
  /** Clock.elapsed(). */
  readonly madeAt: number;
  /** By the machine's own time, as the token itself says. */
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

  /** Whether another token than the refused one can be had. */
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

  /** The machine's time was set after the token was made: the token's own time is wrong, and APNs goes by that. */
  #wasSet(held: Held): boolean {
    return Math.abs(this.realNow() - held.saysMadeAt - this.#age(held)) > MOST_STEP_MS;
  }

  #make(): string {
    const { key, keyId, teamId } = this.credential;
    const saysMadeAt = this.realNow();
    const iat = Math.floor(saysMadeAt / 1_000);
    const token = signedJwt({ alg: 'ES256', kid: keyId }, { iss: teamId, iat }, key);
    const lifeMs = randomInt(LIFE_MS[0], LIFE_MS[1] + 1);
    this.#held = { token, madeAt: this.clock.elapsed(), saysMadeAt, lifeMs };
    return token;
  }
}
