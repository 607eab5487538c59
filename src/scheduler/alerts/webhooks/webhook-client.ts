// Posts a message to a webhook, signed as Standard Webhooks asks. Follows no redirect; refuses link-local and metadata addresses when
// it connects, also where a name leads to one.
import { Webhook } from 'standardwebhooks';
import { Agent } from 'undici';
import { JSON_CONTENT_TYPE } from '../../../push-contract/headers.js';
import type { Secret } from '../../../platform/env.js';
import { collectAnswer } from '../../push-client/collect-answer.js';
import { GatewayHosts } from '../../push-client/gateway-hosts.js';
import { gatewayConnect } from '../../push-client/undici-connect.js';

/** A receiver has this long to answer, real milliseconds. */
const TIMEOUT_MS = 5_000;

export interface WebhookPost {
  readonly url: string;
  readonly secret: Secret;
  /** The same at each try: the receiver knows by it what it has. */
  readonly id: string;
  readonly body: string;
  /** When it is signed. */
  readonly at: Date;
}

/** `error` is null where the receiver answered 2xx. */
export interface PostEnd {
  readonly status: number | null;
  readonly error: string | null;
}

export class WebhookClient {
  readonly #agent = new Agent({
    connect: gatewayConnect(new GatewayHosts(), TIMEOUT_MS),
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });

  /** Never rejects. */
  async post({ url, secret, id, body, at }: WebhookPost): Promise<PostEnd> {
    const { origin, pathname, search } = new URL(url);
    const headers = {
      'content-type': JSON_CONTENT_TYPE,
      'user-agent': 'carillon',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret.reveal()).sign(id, at, body),
    };
    const request = { origin, path: pathname + search, method: 'POST', headers, body } as const;
    const answer = await collectAnswer(this.#agent, request, TIMEOUT_MS);
    if (answer.kind === 'unanswered') return { status: answer.status ?? null, error: answer.error };
    const { status } = answer;
    return { status, error: status >= 200 && status < 300 ? null : `HTTP ${status}` };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
