// One version of one credential, ready to send: what FCM and APNs do differently. Http2Provider does the rest.
import type { Clock, EpochMs } from '../../../platform/clock.js';
import type { Http2Request } from '../../../platform/http2/http2-connection.js';
import type { RequestOutcome } from '../../../platform/http2/http2-exchange.js';
import type { Http2Pool } from '../../../platform/http2/http2-pool.js';
import type { CredentialReport, Job, OpenedCredential, Target } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import type { Answer, AnswerFacts, JudgedAnswer } from './judged-answer.js';

/**
 * refused: the credential is wrong. unavailable: the token endpoint does not answer. `detail`: text for the report of a check.
 */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string; readonly detail: string };

export interface ProviderClient {
  readonly pool: Http2Pool;
  /** Messages a second at most, for a provider that has such a limit. */
  readonly perSecond?: number;
  /** Returns at once, unless it has to fetch the token. */
  token(): TokenAnswer | Promise<TokenAnswer>;
  /** Why no request can carry this device token, or undefined. Absent: a request can carry any. */
  refuses?(deviceToken: string): string | undefined;
  request(token: string, job: Job, target: Target, variant: Variant): Http2Request;
  judge(answer: Answer, facts: AnswerFacts): JudgedAnswer;
  /** Call it when the provider refused the token. Returns false where no other token can be had now. */
  renewToken(refused: string): boolean;
  check(): Promise<CredentialReport>;
  /** Waits for open requests, and cuts them after `ms`. */
  close(ms: number): Promise<void>;
}

/** What a client needs besides its credential. */
export interface ClientDeps {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** The machine's own wall clock: providers' dates and tokens go by it. */
  readonly realNow: () => EpochMs;
  /** At most so many connections to an address of our configuration. */
  readonly poolTo: (origin: string, connections: number) => Http2Pool;
}

/** A client, or every fault of its credential. */
export type OpenClient = (
  credential: OpenedCredential,
  deps: ClientDeps,
) => ProviderClient | readonly string[];

/**
 * The report on a push to an impossible device token. The only good answer is that the token is bad: the provider checks
 * everything else before. `unreachable`: the text where no answer came.
 */
export function reportOn(
  answer: RequestOutcome,
  judge: ProviderClient['judge'],
  unreachable: string,
  words: { readonly good: string; readonly refused: (reason: string, answer: Answer) => string },
): CredentialReport {
  if (answer.kind !== 'answered') return { good: false, says: `${unreachable}: ${answer.reason}.` };
  const { outcome, isAboutToken } = judge(answer, { isProven: false, mayRemove: false, now: 0 });
  if (isAboutToken === true) return { good: true, says: words.good };
  const reason = 'reason' in outcome ? outcome.reason : 'it took a token that is none';
  return { good: false, says: words.refused(reason, answer) };
}
