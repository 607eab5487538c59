// A port in front of PostgreSQL that loses answers: the statement runs and is committed, and the client's connection is
// gone before the answer comes. For a statement in a transaction the answer to its COMMIT is lost. Counts what it lost.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Messages, textsOf, type Message } from './postgres-messages.js';

/**
 * What becomes of a statement's answer. lost: once it is committed. late: its connection is gone at once, and the server
 * is given the statement only when the test lets it go.
 */
export type Fate = 'lost' | 'late' | undefined;

export interface LossRules<Name extends string> {
  /** The name a statement is counted by; undefined: not one to be lost. */
  readonly nameOf: (text: string) => Name | undefined;
  readonly fateOf: (name: Name) => Fate;
}

export class AnswerLosingProxy<Name extends string> {
  /** How many answers were lost, by statement. */
  readonly lost = new Map<Name, number>();
  readonly #clients = new Set<Socket>();
  readonly #held: (() => Promise<void>)[] = [];
  #cutting: NodeJS.Timeout | undefined;
  #isShut = false;

  private constructor(
    private readonly server: Server,
    private readonly behind: URL,
    private readonly rules: LossRules<Name>,
  ) {
    server.on('connection', (client: Socket) => this.#forward(client));
  }

  static async inFrontOf<Name extends string>(
    url: string,
    rules: LossRules<Name>,
  ): Promise<AnswerLosingProxy<Name>> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return new AnswerLosingProxy(server, new URL(url), rules);
  }

  /** The database's, by way of the proxy. */
  get url(): string {
    const own = new URL(this.behind);
    own.hostname = '127.0.0.1';
    own.port = String((this.server.address() as AddressInfo).port);
    return own.href;
  }

  /** Resets every connection every so many real milliseconds, so many times. */
  cutEvery(ms: number, times: number): void {
    let left = times;
    this.#cutting = setInterval(() => {
      this.cut();
      left -= 1;
      if (left <= 0) clearInterval(this.#cutting);
    }, ms);
  }

  /** Gives the server the statements that are late, and ends when it has done them. */
  async release(): Promise<void> {
    for (const go of this.#held.splice(0)) await go();
  }

  async close(): Promise<void> {
    clearInterval(this.#cutting);
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Resets every connection, those to come as well, until open(). */
  shut(): void {
    this.#isShut = true;
    this.cut();
  }

  open(): void {
    this.#isShut = false;
  }

  /** Resets every connection. */
  cut(): void {
    for (const client of this.#clients) client.resetAndDestroy();
  }

  #forward(client: Socket): void {
    if (this.#isShut) {
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const server = connect({ host: this.behind.hostname, port: Number(this.behind.port) });
    this.#clients.add(client);
    const rounds = new Rounds(this.rules);
    const [fromClient, fromServer] = [new Messages(1), new Messages()];
    // What the client asks for until it waits for the answer, and that answer.
    let asked: Buffer[] = [];
    let answer: Buffer[] = [];
    let isLate = false;
    const lose = (): void => {
      for (const name of rounds.names) this.lost.set(name, (this.lost.get(name) ?? 0) + 1);
      client.resetAndDestroy();
    };
    client.on('data', (bytes: Buffer) => {
      for (const message of fromClient.read(bytes)) {
        asked.push(message.bytes);
        if (!rounds.ask(message)) continue;
        const round = asked;
        asked = [];
        if (rounds.fate !== 'late') {
          server.write(Buffer.concat(round));
          continue;
        }
        isLate = true;
        this.#held.push(
          () =>
            new Promise((done) => {
              // The server may have gone meanwhile, and what it was to be given with it.
              if (server.destroyed) return done();
              server.once('close', () => done());
              server.write(Buffer.concat(round));
            }),
        );
        lose();
      }
    });
    server.on('data', (bytes: Buffer) => {
      for (const message of fromServer.read(bytes)) {
        answer.push(message.bytes);
        if (message.type === 'E') rounds.failed();
        if (message.type === 'Z') {
          if (isLate) server.destroy();
          else if (rounds.fate === 'lost') lose();
          rounds.ended(message);
        } else if (rounds.fate !== undefined) continue;
        if (!client.destroyed) client.write(Buffer.concat(answer));
        answer = [];
      }
    });
    client
      .on('error', () => client.destroy())
      .once('close', () => {
        this.#clients.delete(client);
        // What it asked for last is the server's to end; one that waits for release() still waits.
        if (!isLate) server.end();
      });
    server.on('error', () => server.destroy()).once('close', () => client.destroy());
  }
}

/** What one connection asks, from question to answer: whose statements they are, and what becomes of the answer. */
class Rounds<Name extends string> {
  readonly #texts = new Map<string, string>();
  #fate: Fate;
  #names: Name[] = [];
  /** Statements of the open transaction whose commit is to stay unanswered. */
  #open: Name[] = [];
  #isInTransaction = false;

  constructor(private readonly rules: LossRules<Name>) {}

  get fate(): Fate {
    return this.#fate;
  }

  get names(): readonly Name[] {
    return this.#names;
  }

  /** Whether the client waits for the answer now. */
  ask({ type, body }: Message): boolean {
    if (type === 'Q') this.#meet(textsOf(body, 1)[0] ?? '');
    if (type === 'P') {
      const [name = '', text = ''] = textsOf(body, 2);
      this.#texts.set(name, text);
    }
    if (type === 'B') this.#meet(this.#texts.get(textsOf(body, 2)[1] ?? '') ?? '');
    return type === '' || type === 'Q' || type === 'S' || type === 'p' || type === 'X' || type === 'H';
  }

  /** The server refused it. The client gets that answer. */
  failed(): void {
    this.#fate = undefined;
  }

  ended({ body }: Message): void {
    this.#isInTransaction = body.toString('latin1') !== 'I';
    if (!this.#isInTransaction) this.#open = [];
    this.#fate = undefined;
    this.#names = [];
  }

  #meet(text: string): void {
    if (/^\s*commit\b/i.test(text) && this.#open.length > 0) {
      this.#names = this.#open;
      this.#fate = 'lost';
      return;
    }
    const name = this.rules.nameOf(text);
    const fate = name === undefined ? undefined : this.rules.fateOf(name);
    if (name === undefined || fate === undefined) return;
    if (this.#isInTransaction) this.#open.push(name);
    else {
      this.#names = [name];
      this.#fate = fate;
    }
  }
}
