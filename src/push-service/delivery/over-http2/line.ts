// One version of one credential, ready to send: what FCM and APNs do differently. Http2Provider does the rest.
import type { Http2Request } from '../../../platform/http/http2-connection.js';
import type { Http2Pool } from '../../../platform/http/http2-pool.js';
import type { CredentialReport, Job, Target } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import type { Answer, AnswerFacts, Verdict } from './verdict.js';

/** refused: for the credential's sake. unavailable: whoever gives tokens does not answer. `detail`: for a check's words. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string; readonly detail: string };

export interface Line {
  readonly pool: Http2Pool;
  /** Messages a second at most, of those providers that say so. */
  readonly perSecond?: number;
  /** At once, unless it has to be asked for. */
  token(): TokenAnswer | Promise<TokenAnswer>;
  /** Of a device's token: why no request can carry it. Absent: each can be carried. */
  refuses?(deviceToken: string): string | undefined;
  request(token: string, job: Job, target: Target, variant: Variant): Http2Request;
  judge(answer: Answer, facts: AnswerFacts): Verdict;
  /** The token was refused. False: no other is to be had now. */
  renewToken(refused: string): boolean;
  check(): Promise<CredentialReport>;
  /** Ends what is open, or cuts it after `ms`. */
  close(ms: number): Promise<void>;
}
