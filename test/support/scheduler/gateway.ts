// A gateway of the push interface in this process, for what a real one will not do on demand: resets, cut answers, late
// ones, foreign ones. It checks the signature of every request, and remembers what it was asked.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v4 } from 'uuid';

export const ACCESS_KEY = 'spec-access-key';
export const SECRET_KEY = 'spec-secret-key';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  requestId: string;
  /** Milliseconds of the real clock at which it came. */
  at: number;
}

export type Answer = (asked: Asked, response: ServerResponse) => void | Promise<void>;

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
export const failure = (
  status: number,
  errorCode: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => json(status, { error: { errorCode, message: `${status}/${errorCode}` } }, headers);
export const reset: Answer = (_, response) => {
  response.socket?.resetAndDestroy();
};
export const close: Answer = (_, response) => {
  response.socket?.destroy();
};
/** The head and a piece of a 202, then nothing more. */
export const cut: Answer = (_, response) => {
  response.writeHead(202, { 'content-type': 'application/json', 'content-length': '400' });
  response.write('{"requestId":"', () => response.socket?.destroy());
};

/** 202 with the statusName that was asked for; to a GET that there is no such message. */
export const take: Answer = (asked, response) => {
  if (asked.method !== 'POST') return failure(404, '300')(asked, response);
  const body = JSON.parse(asked.body) as { reserveTime?: string; scheduleCode?: string };
  const statusName =
    body.reserveTime !== undefined ? 'reserved' : body.scheduleCode !== undefined ? 'scheduled' : 'success';
  return json(202, { requestId: asked.requestId, requestTime: '', statusCode: '202', statusName })(
    asked,
    response,
  );
};

export class Gateway {
  readonly asked: Asked[] = [];
  /** Keys it knows. */
  readonly keys = new Map([[ACCESS_KEY, SECRET_KEY]]);
  /** What its clock is ahead of the machine's, milliseconds. */
  skewMs = 0;
  /** Whether timestamps are judged: off where the scheduler's clock is a stepped one. */
  judgesTime = false;
  /** The extensions that every answer names. */
  extensions: readonly string[] = ['idempotency-key'];
  /** Whether `next` and `answer` are for POSTs alone; then a GET is told that there is no such message. */
  onlyPosts = false;
  /** One answer each, in order; after them always `answer`. */
  next: Answer[] = [];
  answer: Answer = take;
  #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async open(port = 0): Promise<Gateway> {
    const server = createServer({ keepAliveTimeout: 30_000 });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new Gateway(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get posts(): Asked[] {
    return this.asked.filter((asked) => asked.method === 'POST');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked: Asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
      requestId: v4(),
      at: performance.now(),
    };
    this.asked.push(asked);
    response.setHeader('date', new Date(Date.now() + this.skewMs).toUTCString());
    response.setHeader('x-carillon-extensions', this.extensions.join(','));
    const isAside = this.onlyPosts && asked.method !== 'POST';
    const answer = !this.#knows(asked)
      ? failure(401, '200')
      : isAside
        ? failure(404, '300')
        : (this.next.shift() ?? this.answer);
    await answer(asked, response);
  }

  /** push-interface.md §5, worked out here on its own. */
  #knows({ method, path, headers }: Asked): boolean {
    const timestamp = String(headers['x-svc-apigw-timestamp']);
    const accessKey = String(headers['x-svc-iam-access-key']);
    const secret = this.keys.get(accessKey);
    if (secret === undefined) return false;
    if (this.judgesTime && Math.abs(Date.now() + this.skewMs - Number(timestamp)) >= 300_000) return false;
    const expected = createHmac('sha256', secret)
      .update(`${method} ${path}\n${timestamp}\n${accessKey}`)
      .digest('base64');
    return headers['x-svc-apigw-signature-v2'] === expected;
  }
}
