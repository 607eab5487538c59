// The messages of PostgreSQL's protocol 3 as they come over a socket, in pieces of any size: a type, a length, a body.

export interface Message {
  /** One letter; empty for what a client says first, which has none. */
  readonly type: string;
  readonly body: Buffer;
  /** As it came. */
  readonly bytes: Buffer;
}

export class Messages {
  #rest: Buffer = Buffer.alloc(0);

  /** `untyped`: so many first messages have no type. */
  constructor(private untyped = 0) {}

  /** Those that are whole now. */
  read(bytes: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const whole: Message[] = [];
    for (;;) {
      const head = this.untyped > 0 ? 0 : 1;
      if (this.#rest.length < head + 4) return whole;
      const end = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < end) return whole;
      const [bytesOfIt, rest] = [this.#rest.subarray(0, end), this.#rest.subarray(end)];
      whole.push({
        type: bytesOfIt.subarray(0, head).toString('latin1'),
        body: bytesOfIt.subarray(head + 4),
        bytes: bytesOfIt,
      });
      if (head === 0) this.untyped -= 1;
      this.#rest = rest;
    }
  }
}

/** The texts, each ended by a zero, that a body begins with. */
export function textsOf(body: Buffer, count: number): string[] {
  return body.toString('utf8').split('\0', count);
}
