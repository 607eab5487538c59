// One version of one credential, ready to send: what FCM and APNs do differently. Http2Provider does the rest.
import type { Clock, EpochMs } from '../../../platform/clock.js';
import type { Http2Request } from '../../../platform/http2/http2-connection.js';
import type { RequestOutcome } from '../../../platform/http2/http2-exchange.js';
import type { Http2Pool } from '../../../platform/http2/http2-pool.js';
import type { CredentialReport, Job, OpenedCredential, Target } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import type { Answer, AnswerFacts, JudgedAnswer } from './judged-answer.js';

/** refused: the credential is at fault. unavailable: the token endpoint does not answer. `detail`: for the words of a check. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string; readonly detail: string };

export interface ProviderClient {
  readonly pool: Http2Pool;
  /** Messages a second at most, for a provider that has such a limit. */
  readonly perSecond?: number;
  /** At once, unless the token has to be fetched. */
  token(): TokenAnswer | Promise<TokenAnswer>;
  /** Why no request can carry this device token, or undefined. Absent: a request can carry any. */
  refuses?(deviceToken: string): string | undefined;
  request(token: string, job: Job, target: Target, variant: Variant): Http2Request;
  judge(answer: Answer, facts: AnswerFacts): JudgedAnswer;
  /** The provider refused the token. False: no other can be had now. */
  renewToken(refused: string): boolean;
  check(): Promise<CredentialReport>;
  /** Ends what is open, or cuts it after `ms`. */
  close(ms: number): Promise<void>;
}

/** What a client is made of besides its credential. */
export interface ClientDeps {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** The machine's own wall clock, which providers' dates and tokens go by. */
  readonly realNow: () => EpochMs;
  /** Connections to an address of our configuration, that many at most. */
  readonly poolTo: (origin: string, connections: number) => Http2Pool;
}

/** A client, or every fault of its credential. */
export type OpenClient = (
  credential: OpenedCredential,
  deps: ClientDeps,
) => ProviderClient | readonly string[];

/**
 * What a provider answered to a push to an impossible device token. The one good answer is that the token is bad: the provider
 * had found everything else right by then. `unreachable`: what to say when there is no answer.
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
