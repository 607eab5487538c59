// A local HTTP/2 server over TLS that does on command what providers do by themselves: GOAWAY, refused streams, changed settings,
// late answers, cut connections. FcmPeer and ApnsPeer decide the answers; this file knows nothing of devices.
import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { makeCertificate } from './certificate.js';

export interface PeerRequest {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: string;
  readonly stream: ServerHttp2Stream;
  readonly session: ServerHttp2Session;
}

/** What a peer does with a request. */
export type PeerAct =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** A text as it is, anything else as JSON. */
      readonly body?: unknown;
      readonly afterMs?: number;
    }
  /** RST_STREAM with this code; 7 says that it was not taken. */
  | { readonly reset: number }
  /** GOAWAY with this code: neither this stream nor any that comes after it is taken. `json` is its debug data. */
  | { readonly goaway: number; readonly json?: unknown }
  /** The connection ends without GOAWAY. */
  | { readonly cut: true }
  /** No answer, ever. */
  | { readonly silent: true };

export type PeerBehaviour = (request: PeerRequest) => PeerAct | Promise<PeerAct>;

export interface PeerOptions {
  readonly maxConcurrentStreams?: number;
  /** Default: one that is free. */
  readonly port?: number;
}

export class Http2Peer {
  readonly sessions = new Set<ServerHttp2Session>();
  /** Connections so far, ended ones too. */
  connected = 0;
  /** By the client's port: a session does not give its socket away. */
  readonly #sockets = new Map<number, Socket>();
  /** The highest stream taken, and the last one that will be. */
  readonly #taken = new WeakMap<ServerHttp2Session, { highest: number; last: number }>();

  private constructor(
    private readonly server: Http2SecureServer,
    /** PEM of the certificate, for a client's `ca`. */
    readonly ca: string,
    private readonly behaviour: PeerBehaviour,
  ) {
    server.on('connection', (socket: Socket) => {
      const { remotePort = 0 } = socket;
      this.#sockets.set(remotePort, socket);
      socket.on('close', () => this.#sockets.delete(remotePort));
    });
    server.on('session', (session) => {
      this.connected += 1;
      this.sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.sessions.delete(session));
      session.on('stream', (stream, headers) => {
        stream.on('error', () => undefined);
        void this.#serve(session, stream, headers);
      });
    });
  }

  static async open(behaviour: PeerBehaviour, options: PeerOptions = {}): Promise<Http2Peer> {
    const { key, cert } = makeCertificate();
    const { maxConcurrentStreams = 1_000, port = 0 } = options;
    const server = createSecureServer({ key, cert, settings: { maxConcurrentStreams } });
    const peer = new Http2Peer(server, cert, behaviour);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return peer;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends it on all connections. */
  settings(maxConcurrentStreams: number): void {
    for (const session of this.sessions) session.settings({ maxConcurrentStreams });
  }

  /** Sends it on all connections; `lastTaken` is a stream id. */
  goaway(code: number, lastTaken: number, json?: unknown): void {
    for (const session of this.sessions) this.#goaway(session, code, lastTaken, json);
  }

  /** Cuts all connections, without GOAWAY and without the end of TLS. */
  cut(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  async #serve(session: ServerHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    const body = await textOf(stream);
    const taken = this.#taken.get(session) ?? { highest: 0, last: Infinity };
    this.#taken.set(session, taken);
    const id = stream.id ?? 0;
    if (body === undefined || id > taken.last) return;
    const before = taken.highest;
    taken.highest = Math.max(before, id);
    const act = await this.behaviour({ headers, path: String(headers[':path']), body, stream, session });
    if ('status' in act) {
      if (act.afterMs !== undefined) await wait(act.afterMs);
      answer(stream, act);
    } else if ('reset' in act) stream.close(act.reset);
    else if ('cut' in act) this.#sockets.get(session.socket.remotePort ?? 0)?.destroy();
    else if ('goaway' in act)
      this.#goaway(session, act.goaway, taken.highest === id ? before : taken.highest, act.json);
  }

  #goaway(session: ServerHttp2Session, code: number, last: number, json?: unknown): void {
    if (session.destroyed) return;
    this.#taken.set(session, { highest: last, last });
    session.goaway(code, last, json === undefined ? undefined : Buffer.from(JSON.stringify(json)));
  }
}

function answer(
  stream: ServerHttp2Stream,
  { status, headers, body }: Extract<PeerAct, { status: number }>,
): void {
  if (stream.destroyed) return;
  stream.respond({ ...headers, ':status': status });
  if (body === undefined) stream.end();
  else stream.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Undefined if the client took it back. Not by `for await`, which costs as much as all the rest. */
function textOf(stream: ServerHttp2Stream): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    stream.on('close', () => resolve(undefined));
  });
}
