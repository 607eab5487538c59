// The provider token of APNs: a JWT that is valid for an hour. Apple allows a new one at most every 20 minutes. Each process has
// one for each version of a credential.
import { randomInt } from 'node:crypto';
import type { Clock, EpochMs } from '../../../platform/clock.js';
import { signedJwt } from '../over-http2/credential-format.js';
import type { ApnsCredential } from './apns-credential.js';

const MINUTE_MS = 60_000;
/** The shortest and the longest life. It is random between them, so that replicas do not renew at one moment. */
const LIFE_MS = [35 * MINUTE_MS, 45 * MINUTE_MS] as const;
/** A younger token is not renewed even if it was refused: APNs would answer TooManyProviderTokenUpdates. */
const LEAST_AGE_MS = 20 * MINUTE_MS;
/** If the machine's clock moves this much more or less than the elapsed time, somebody set it or the machine slept. */
const MOST_STEP_MS = MINUTE_MS;

interface Held {
  readonly token: string;
  /** Clock.elapsed(). */
  readonly madeAt: number;
  /** By the machine's own clock: the time that the token states. */
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

  /** Returns whether there is another token than the refused one. */
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

  /**
   * Whether somebody set the machine's clock after the token was made. Then the time in the token is wrong, and APNs goes by it.
   */
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
