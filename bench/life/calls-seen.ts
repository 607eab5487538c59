// What a gateway saw of its calls: how many, and the longest time in which a result was due that nobody asked for.

/** A scheduler asks first so long after the 202 at the latest, where nothing is learned yet, and is given a moment. */
const DUE_AFTER_MS = 2_100;

export interface Seen {
  readonly posts: number;
  readonly gets: number;
  /** Milliseconds between two calls, or since the first result came due where that is later. */
  readonly longestStallMs: number;
}

export class CallsSeen {
  /** In order of their 202. */
  readonly #due: { readonly requestId: string; readonly at: number }[] = [];
  readonly #asked = new Set<string>();
  #first = 0;
  #posts = 0;
  #gets = 0;
  #lastCallAt = Infinity;
  #longestStallMs = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  taken(requestId: string): void {
    this.#call();
    this.#posts += 1;
    this.#due.push({ requestId, at: this.now() + DUE_AFTER_MS });
  }

  asked(requestId: string): void {
    this.#call();
    this.#gets += 1;
    this.#asked.add(requestId);
  }

  /** Returns what it saw, and begins anew. */
  take(): Seen {
    const seen = { posts: this.#posts, gets: this.#gets, longestStallMs: this.#longestStallMs };
    this.#due.length = 0;
    this.#asked.clear();
    [this.#first, this.#posts, this.#gets, this.#longestStallMs] = [0, 0, 0, 0];
    this.#lastCallAt = Infinity;
    return seen;
  }

  #call(): void {
    const now = this.now();
    let oldest = this.#due[this.#first];
    while (oldest !== undefined && this.#asked.delete(oldest.requestId)) oldest = this.#due[++this.#first];
    if (oldest !== undefined) {
      const since = Math.max(this.#lastCallAt, oldest.at);
      if (Number.isFinite(since)) this.#longestStallMs = Math.max(this.#longestStallMs, now - since);
    }
    this.#lastCallAt = now;
  }
}
