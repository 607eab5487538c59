// APNs as published: POST /3/device/<token>, the provider token, the headers and their reasons. Verifies with jose, so
// that our own signing is not checked by itself.
import type { KeyObject } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { Http2Peer, type PeerAct, type PeerOptions, type PeerRequest } from './http2-peer.js';
import { Tally } from './tally.js';

export interface ApnsPeerOptions extends PeerOptions {
  readonly keyId: string;
  readonly teamId: string;
  readonly topic: string;
  readonly publicKey: KeyObject;
}

export interface ApnsPush {
  readonly path: string;
  readonly headers: PeerRequest['headers'];
  readonly body: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PUSH_TYPES = ['alert', 'background', 'location', 'voip', 'complication', 'fileprovider', 'mdm'];
const MOST_BYTES = 4_096;

export function apnsError(status: number, reason: string, more: object = {}): PeerAct {
  return { status, body: { reason, ...more } };
}

export class ApnsPeer {
  readonly tally = new Tally();
  /** What was taken, in order. */
  readonly pushes: ApnsPush[] = [];
  /** Provider tokens that were verified. */
  readonly tokens = new Set<string>();

  #peer: Http2Peer | undefined;

  private constructor(private readonly options: ApnsPeerOptions) {}

  static async open(options: ApnsPeerOptions): Promise<ApnsPeer> {
    const apns = new ApnsPeer(options);
    apns.#peer = await Http2Peer.open((request) => apns.#serve(request), options);
    return apns;
  }

  /** The server itself: its address, its connections. */
  get peer(): Http2Peer {
    if (this.#peer === undefined) throw new Error('the peer is not open');
    return this.#peer;
  }

  async #serve({ headers, path, body }: PeerRequest): Promise<PeerAct> {
    if (headers[':method'] !== 'POST') return apnsError(405, 'MethodNotAllowed');
    const device = /^\/3\/device\/([^/?]*)$/.exec(path)?.[1];
    if (device === undefined) return apnsError(404, 'BadPath');
    const token = decodeURIComponent(device);
    if (token === '') return apnsError(400, 'MissingDeviceToken');
    const refused = (await this.#refusedToken(headers.authorization)) ?? this.#refusedHeaders(headers, body);
    if (refused !== undefined) return refused;
    const act = this.tally.next(token);
    if (act !== undefined && !('status' in act && act.status === 200)) return act;
    if (/^0+$/.test(token)) return apnsError(400, 'BadDeviceToken');
    this.tally.take(token);
    this.pushes.push({ path, headers, body });
    return act ?? { status: 200, headers: { 'apns-id': String(headers['apns-id']) } };
  }

  async #refusedToken(authorization: string | undefined): Promise<PeerAct | undefined> {
    const token = /^bearer (.+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return apnsError(403, 'MissingProviderToken');
    // As costly as all the rest of a request: once for each token.
    if (this.tokens.has(token)) return undefined;
    const { keyId, teamId, publicKey } = this.options;
    try {
      if (decodeProtectedHeader(token).kid !== keyId) return apnsError(403, 'InvalidProviderToken');
      const { payload } = await jwtVerify(token, publicKey, { algorithms: ['ES256'], issuer: teamId });
      // Not of jose's own accord: an old token has a reason of its own here.
      if (Date.now() / 1_000 - (payload.iat ?? 0) > 3_600) return apnsError(403, 'ExpiredProviderToken');
    } catch {
      return apnsError(403, 'InvalidProviderToken');
    }
    this.tokens.add(token);
    return undefined;
  }

  #refusedHeaders(headers: PeerRequest['headers'], body: string): PeerAct | undefined {
    const text = (name: string): string | undefined => headers[name]?.toString();
    const isFull = text('apns-priority') === '10' || text('apns-priority') === undefined;
    const rules: readonly (readonly [boolean, number, string])[] = [
      [text('apns-topic') === undefined, 400, 'MissingTopic'],
      [text('apns-topic') !== this.options.topic, 400, 'TopicDisallowed'],
      [!PUSH_TYPES.includes(text('apns-push-type') ?? 'alert'), 400, 'InvalidPushType'],
      [!/^(1|5|10)$/.test(text('apns-priority') ?? '10'), 400, 'BadPriority'],
      [text('apns-push-type') === 'background' && isFull, 400, 'BadPriority'],
      [!/^\d{1,12}$/.test(text('apns-expiration') ?? '0'), 400, 'BadExpirationDate'],
      [Buffer.byteLength(text('apns-collapse-id') ?? '') > 64, 400, 'BadCollapseId'],
      [!UUID.test(text('apns-id') ?? '00000000-0000-0000-0000-000000000000'), 400, 'BadMessageId'],
      [body === '', 400, 'PayloadEmpty'],
      [Buffer.byteLength(body) > MOST_BYTES, 413, 'PayloadTooLarge'],
    ];
    const broken = rules.find(([isBroken]) => isBroken);
    return broken === undefined ? undefined : apnsError(broken[1], broken[2]);
  }
}
