// A port in front of another that a test can close and open: the part behind it is then away and back, for the part
// under test, without being touched. Or it is another than it says, word by word.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #words: readonly [real: string, shown: string] | undefined;

  private constructor(private readonly behind: { host: string; port: number }) {}

  /** Takes a free port for `url`'s host and port; closed until open(). */
  static async inFrontOf(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) });
    await proxy.open();
    return proxy;
  }

  /** `url` by way of the proxy. */
  through(url: string): string {
    const own = new URL(url);
    own.hostname = '127.0.0.1';
    own.port = String(this.#port);
    return own.href;
  }

  async open(): Promise<void> {
    const server = createServer((client) => this.#forward(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** What the part behind says shows `shown` in the place of `real`, of the same length; without words, as it is. */
  show(words?: readonly [real: string, shown: string]): void {
    this.#words = words;
  }

  /** Passes nothing on any more, without an error: some cuts look like that from either end. */
  stall(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Resets every connection and refuses new ones. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  }

  #forward(client: Socket): void {
    const server = connect(this.behind);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.once('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('error', () => to.destroy());
    }
    client.pipe(server);
    const change = (bytes: Buffer): Buffer => this.#changed(bytes);
    server
      .pipe(new Transform({ transform: (bytes: Buffer, _encoding, done) => done(null, change(bytes)) }))
      .pipe(client);
  }

  #changed(bytes: Buffer): Buffer {
    if (this.#words === undefined) return bytes;
    return Buffer.from(bytes.toString('latin1').replaceAll(...this.#words), 'latin1');
  }
}
