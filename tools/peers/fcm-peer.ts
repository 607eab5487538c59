// FCM HTTP v1 as published: the token endpoint of Google, which verifies the assertion, and messages:send. Verifies with
// jose, so that our own signing is not checked by itself.
import { randomUUID, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { Http2Peer, type PeerAct, type PeerOptions, type PeerRequest } from './http2-peer.js';
import { Tally } from './tally.js';

export interface FcmPeerOptions extends PeerOptions {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKeyId: string;
  readonly publicKey: KeyObject;
  /** How long an access token is valid, seconds; default 3 599, as Google's. */
  readonly expiresIn?: number;
}

/** An error as `google.rpc.Status` with FCM's own detail. */
export function fcmError(status: number, code: string, errorCode?: string, ...details: object[]): PeerAct {
  const own = { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: {
      error: {
        code: status,
        message: `${code} by script`,
        status: code,
        details: errorCode === undefined ? details : [own, ...details],
      },
    },
  };
}

/** FCM's answer today to a text that is no token (firebase-admin-java #1064). */
export const INVALID_TOKEN: PeerAct = {
  status: 400,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: {
    error: {
      code: 400,
      message: 'The registration token is not a valid FCM registration token',
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
          errorCode: 'INVALID_ARGUMENT',
        },
      ],
    },
  },
};

const FOUR_WEEKS_SECONDS = 28 * 24 * 3_600;

/**
 * Fields that FCM's reference of Message calls invalid
 * (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
 */
function invalidFields(message: Record<string, unknown>): string[] {
  const at = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], message);
  const isMessage = (value: unknown): boolean =>
    value === undefined || value === null || Object.prototype.toString.call(value) === '[object Object]';
  const messages = ['android', 'notification', 'webpush', 'fcm_options', 'android.notification', 'data'];
  const maps = ['data', 'android.data', 'webpush.data', 'webpush.headers'];
  const more = ['android.fcm_options', 'webpush.fcm_options', 'webpush.notification', ...maps];
  const found = [...messages, ...more].filter((path) => !isMessage(at(path)));
  for (const map of maps) {
    for (const [key, value] of Object.entries(Object(at(map)) as object)) {
      const isReserved =
        ['from', 'message_type', 'collapse_key'].includes(key) ||
        key.startsWith('google') ||
        key.startsWith('gcm');
      if (typeof value !== 'string' || (isReserved && map !== 'webpush.headers')) found.push(`${map}.${key}`);
    }
  }
  const isTtl = (text: unknown): boolean => {
    const seconds = Number.parseFloat(String(text));
    return typeof text === 'string' && seconds >= 0 && seconds <= FOUR_WEEKS_SECONDS;
  };
  const rules: readonly (readonly [string, (value: unknown) => boolean])[] = [
    ['android.ttl', (ttl) => isTtl(ttl) && String(ttl).endsWith('s')],
    ['webpush.headers.TTL', (ttl) => isTtl(ttl) && Number.isInteger(Number(ttl))],
    ['android.priority', (one) => ['NORMAL', 'HIGH'].includes(String(one).toUpperCase())],
    ['android.notification.notification_count', (count) => count === Math.trunc(Number(count) % 2 ** 31)],
    ['webpush.fcm_options.link', (link) => String(link).startsWith('https://')],
  ];
  for (const [path, isGood] of rules) {
    const value = at(path);
    if (value !== undefined && value !== null && !isGood(value)) found.push(path);
  }
  return found;
}

export class FcmPeer {
  readonly tally = new Tally();
  /** Requests to the token endpoint. */
  asked = 0;
  /** Bodies of the messages that were taken, in order. */
  readonly messages: unknown[] = [];
  readonly #tokens = new Set<string>();
  /** While set, the token endpoint does this instead. */
  tokenAct: PeerAct | undefined;

  #peer: Http2Peer | undefined;

  private constructor(private readonly options: FcmPeerOptions) {}

  static async open(options: FcmPeerOptions): Promise<FcmPeer> {
    const fcm = new FcmPeer(options);
    fcm.#peer = await Http2Peer.open((request) => fcm.#serve(request), options);
    return fcm;
  }

  /** The server itself: its address, its connections. */
  get peer(): Http2Peer {
    if (this.#peer === undefined) throw new Error('the peer is not open');
    return this.#peer;
  }

  /** Every access token given out is refused from now on. */
  revoke(): void {
    this.#tokens.clear();
  }

  #serve(request: PeerRequest): PeerAct | Promise<PeerAct> {
    if (request.path === '/token') return this.#token(request);
    if (request.path !== `/v1/projects/${this.options.projectId}/messages:send`)
      return fcmError(404, 'NOT_FOUND');
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined || !this.#tokens.has(bearer)) return fcmError(401, 'UNAUTHENTICATED');
    return this.#send(request.body);
  }

  async #token({ body }: PeerRequest): Promise<PeerAct> {
    this.asked += 1;
    if (this.tokenAct !== undefined) return this.tokenAct;
    const { clientEmail, privateKeyId, publicKey, expiresIn = 3_599 } = this.options;
    const form = new URLSearchParams(body);
    try {
      const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
        algorithms: ['RS256'],
        issuer: clientEmail,
        audience: `${this.peer.origin}/token`,
        maxTokenAge: 3_600,
        requiredClaims: ['exp', 'iat', 'scope'],
      });
      const isWhole =
        form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
        protectedHeader.kid === privateKeyId &&
        payload['scope'] === 'https://www.googleapis.com/auth/firebase.messaging' &&
        (payload.exp ?? 0) - (payload.iat ?? 0) <= 3_600;
      if (!isWhole) throw new Error('a claim is wrong');
    } catch (error) {
      const description = error instanceof Error ? error.message : '';
      return { status: 400, body: { error: 'invalid_grant', error_description: description } };
    }
    const token = `ya29.${randomUUID()}`;
    this.#tokens.add(token);
    return { status: 200, body: { access_token: token, expires_in: expiresIn, token_type: 'Bearer' } };
  }

  #send(body: string): PeerAct {
    const { message, validate_only: isDryRun } = JSON.parse(body) as {
      message?: { token?: string };
      validate_only?: boolean;
    };
    const token = message?.token;
    if (token === undefined) return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT');
    const fieldViolations = invalidFields({ ...message }).map((field) => ({ field: `message.${field}` }));
    if (fieldViolations.length > 0)
      return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations,
      });
    const act = this.tally.next(token);
    if (act !== undefined && !('status' in act && act.status === 200)) return act;
    if (token === 'no-device') return INVALID_TOKEN;
    if (isDryRun !== true) {
      this.tally.take(token);
      this.messages.push(message);
    }
    return (
      act ?? { status: 200, body: { name: `projects/${this.options.projectId}/messages/${randomUUID()}` } }
    );
  }
}
