// A client as strangers write it: signs by push-interface.md §5 with node:crypto, sends raw bytes, reads whatever comes back. Never uses
// the service's own code to judge the service.
import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { v4 } from 'uuid';
import { foreignStatus } from './interface.js';
import type { Target } from './target.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as a JSON object. Throws when it is none. */
  json(): Record<string, unknown>;
  /** The body as a JSON array of objects. */
  list(): Record<string, unknown>[];
  /** A member of the body that is a text. */
  field(name: string): string;
}

export interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface CallOptions {
  /** Sent as it is; an object is sent as JSON. */
  readonly body?: unknown;
  /** Added to, or put in the place of, the headers of a right request; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly keys?: Keys;
  readonly timestamp?: number | string;
  /** What is signed, when it is not the path. */
  readonly signed?: string;
  readonly prefix?: 'x-svc-' | 'x-ncp-';
}

export function signatureOf(method: string, path: string, timestamp: string, keys: Keys): string {
  return createHmac('sha256', keys.secretKey)
    .update(`${method} ${path}\n${timestamp}\n${keys.accessKey}`, 'utf8')
    .digest('base64');
}

/** One exchange over a connection of its own. Rejects when the answer is cut off. */
export function exchange(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: Buffer | string,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, method, path, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (!incoming.complete) return reject(new Error('the answer was cut off'));
        const text = Buffer.concat(chunks).toString('utf8');
        return resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          json: () => JSON.parse(text) as Record<string, unknown>,
          list: () => JSON.parse(text) as Record<string, unknown>[],
          field: (name) => {
            const value = (JSON.parse(text) as Record<string, unknown>)[name];
            if (typeof value !== 'string') throw new Error(`${name} is no text in ${text}`);
            return value;
          },
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export class Client {
  constructor(
    readonly target: Target,
    readonly serviceId: string,
    readonly keys: Keys,
    /** Where the service's clock stands; the real one by default. */
    public now: () => number = Date.now,
  ) {}

  /**
   * `path` after the service's own, or a whole one that starts with a slash. Rejects when the status is none of those
   * the interface lists for the operation, whatever the test expects.
   */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const whole = path.startsWith('/') ? path : this.path(path);
    const { body } = options;
    const keys = options.keys ?? this.keys;
    const timestamp = String(options.timestamp ?? this.now());
    const prefix = options.prefix ?? 'x-svc-';
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const bytes = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
    const headers: Record<string, string | undefined> = {
      [`${prefix}apigw-timestamp`]: timestamp,
      [`${prefix}iam-access-key`]: keys.accessKey,
      [`${prefix}apigw-signature-v2`]: signatureOf(method, options.signed ?? whole, timestamp, keys),
      ...(bytes === undefined
        ? {}
        : {
            'content-type': 'application/json; charset=utf-8',
            'content-length': String(Buffer.byteLength(bytes)),
          }),
      ...options.headers,
    };
    const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const answer = await exchange(this.target.url, method, whole, Object.fromEntries(sent), bytes);
    const foreign = foreignStatus(method, whole, answer.status);
    if (foreign !== undefined) throw new Error(`${foreign}: ${answer.text}`);
    return answer;
  }

  path(rest: string): string {
    return `/push/v2/services/${encodeURIComponent(this.serviceId)}/${rest}`;
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }

  put(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('PUT', path, { ...options, body });
  }

  delete(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('DELETE', path, { ...options, body });
  }

  /** Registers a user; members given take the place of those of a right registration. */
  register(members: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.post('users', registration(members));
  }
}

export function registration(members: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const userId = members['userId'] ?? `user-${v4()}`;
  return {
    userId,
    deviceType: 'GCM',
    deviceToken: `token-${v4()}`,
    isNotificationAgreement: true,
    isAdAgreement: true,
    isNightAdAgreement: true,
    ...members,
  };
}

export class Management {
  constructor(readonly target: Target) {}

  call(method: string, path: string, body?: unknown, token = this.target.managementToken): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (body === undefined) return exchange(this.target.managementUrl, method, path, headers);
    const bytes = JSON.stringify(body);
    headers['content-type'] = 'application/json';
    headers['content-length'] = String(Buffer.byteLength(bytes));
    return exchange(this.target.managementUrl, method, path, headers, bytes);
  }

  /** Throws on any status but 2xx. */
  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    return answer;
  }

  /** A service of its own with a key pair of its own. */
  async newService(
    settings: Readonly<Record<string, unknown>> = {},
  ): Promise<Client & { accountId: string }> {
    const made = await this.ask('POST', '/v1/services', settings);
    const { service, key } = made.json() as unknown as {
      service: { serviceId: string; accountId: string };
      key: Keys;
    };
    return Object.assign(new Client(this.target, service.serviceId, key), { accountId: service.accountId });
  }

  async setClock(to: Readonly<Record<string, unknown>>): Promise<void> {
    await this.ask('PUT', '/v1/sandbox/clock', to);
  }

  async addFault(fault: Readonly<Record<string, unknown>>): Promise<void> {
    await this.ask('POST', '/v1/sandbox/faults', fault);
  }

  async clearFaults(): Promise<void> {
    await this.ask('DELETE', '/v1/sandbox/faults');
  }

  async deliveries(requestId: string): Promise<Delivery[]> {
    const answer = await this.ask('GET', `/v1/sandbox/deliveries?requestId=${requestId}&limit=10000`);
    return answer.list() as unknown as Delivery[];
  }
}

export interface Delivery {
  readonly occurrence: string;
  readonly userId: string | null;
  readonly deviceType: string;
  readonly deviceToken: string | null;
  readonly country: string;
  readonly language: string;
  readonly timezone: number;
  readonly outcome: 'sent' | 'failed';
  readonly reason: string | null;
  readonly handedAt: string;
  readonly headers: Record<string, string>;
  readonly payload: Record<string, unknown>;
}

/** The error of push-interface.md §7 in an answer. */
export function errorOf(answer: Answer): { errorCode: string; message: string } {
  return answer.json()['error'] as { errorCode: string; message: string };
}
