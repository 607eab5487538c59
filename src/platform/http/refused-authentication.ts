// Counts refused authentication by reason, and logs it with the address. The log lines are sampled so that nobody can fill the
// log. The caller gets the same answer whatever the reason is. Never logs a token, a signature or a secret.
import { LRUCache } from 'lru-cache';
import type { Counter } from 'prom-client';
import type { Clock } from '../clock.js';
import type { Log } from '../logging/log.js';
import { storable } from './storable-text.js';

/** What is read from a request of Fastify. */
export interface RefusedRequest {
  /** The address that is connected to us: that of the proxy, where there is one. */
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** How many pairs of reason and address have their own count. The pair that was refused longest ago is forgotten first. */
const MOST_PAIRS = 10_000;
/** The most lines of one process in LINES_MS, real milliseconds. */
const MOST_LINES = 20;
const LINES_MS = 10_000;
/** The most UTF-16 units of what a caller says about itself. */
const MOST_SAID = 200;

export class RefusedAuthentication<Reason extends string> {
  readonly #ofPair = new LRUCache<string, number>({ max: MOST_PAIRS });
  /** elapsed() of the first line of the present window, and how many lines the window has. */
  #window = { from: -LINES_MS, lines: 0 };
  #unlogged = 0;

  constructor(
    private readonly deps: {
      readonly count: Pick<Counter<'reason'>, 'inc'>;
      readonly log: Pick<Log, 'warn'>;
      readonly clock: Pick<Clock, 'elapsed'>;
    },
  ) {}

  /**
   * Counts the refusal. Logs the first of a reason and address, and again each time their number has doubled, but at most
   * MOST_LINES lines in LINES_MS. A line says how many refusals had no line since the line before. `who`: what is known about the
   * caller.
   */
  refused(
    reason: Reason,
    { ip: address, headers }: RefusedRequest,
    who: Readonly<Record<string, string>> = {},
  ): void {
    this.deps.count.inc({ reason });
    const pair = `${reason} ${address}`;
    const refused = (this.#ofPair.get(pair) ?? 0) + 1;
    this.#ofPair.set(pair, refused);
    if (!Number.isInteger(Math.log2(refused)) || !this.#mayLog()) {
      this.#unlogged += 1;
      return;
    }
    const forwarded = headers['x-forwarded-for'];
    const said = Object.fromEntries(
      Object.entries(who).map(([name, text]) => [name, storable(text, MOST_SAID)]),
    );
    this.deps.log.warn(
      {
        reason,
        address,
        // What the caller or its proxy says.
        ...(forwarded !== undefined && { forwardedFor: storable([forwarded].flat().join(', '), MOST_SAID) }),
        ...said,
        refused,
        unlogged: this.#unlogged,
      },
      'authentication was refused',
    );
    this.#unlogged = 0;
  }

  #mayLog(): boolean {
    const now = this.deps.clock.elapsed();
    if (now - this.#window.from >= LINES_MS) this.#window = { from: now, lines: 0 };
    this.#window.lines += 1;
    return this.#window.lines <= MOST_LINES;
  }
}
