// A port in front of an HTTP server that cuts the connection of chosen POSTs, or of another method, at a chosen moment of
// their life. Counts what it cut, so that a test knows how many answers the client cannot have had.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * before: the server is not shown the request. unanswered: it answers, and the client is shown nothing. during: the
 * client is shown half of the answer. after: the whole answer, and then the connection is gone.
 */
export const CUTS = ['before', 'unanswered', 'during', 'after'] as const;
export type Cut = (typeof CUTS)[number];

export class CuttingProxy {
  readonly #sockets = new Set<Socket>();
  readonly #made: Cut[] = [];
  #orders: (Cut | undefined)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly behind: { host: string; port: number },
    private readonly method: string,
  ) {
    server.on('connection', (client: Socket) => this.#forward(client));
  }

  static async inFrontOf(url: string, method = 'POST'): Promise<CuttingProxy> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return new CuttingProxy(server, { host: hostname, port: Number(port) }, method);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts the next requests of its method, one each, in this order; undefined lets one pass. */
  cutNext(cuts: readonly (Cut | undefined)[]): void {
    this.#orders.push(...cuts);
  }

  /** Takes back what has not been cut, and returns what has been since the last time. */
  endCutting(): Cut[] {
    this.#orders = [];
    return this.#made.splice(0);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #forward(client: Socket): void {
    const server = connect(this.behind);
    let cut: Cut | undefined;
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    client.on('data', (bytes: Buffer) => {
      const begin = `${this.method} `;
      if (bytes.subarray(0, begin.length).toString('latin1') === begin) {
        cut = this.#orders.shift();
        if (cut !== undefined) this.#made.push(cut);
      }
      if (cut === 'before') client.resetAndDestroy();
      else server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      const shown = { before: 0, unanswered: 0, during: Math.floor(bytes.length / 2), after: bytes.length };
      if (cut === undefined) client.write(bytes);
      else client.write(bytes.subarray(0, shown[cut]), () => client.destroy());
    });
  }
}
