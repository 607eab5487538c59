// The open streams of this process (server-sent events). Writes each batch once for all readers that may see the same of it. A reader
// that does not read is cut off, never buffered: it comes back with the id it saw last.
import type { ServerResponse } from 'node:http';
import type { Counter } from 'prom-client';
import type { Change } from '../../store/change.store.js';
import type { Batch, ChangeFeed } from './change-feed.js';

export interface StreamReader {
  readonly tokenId: string;
  /** Readers with the same key see the same. */
  readonly key: string;
  readonly sees: (change: Change) => boolean;
  /** The id that it saw last. */
  readonly lastId: string | undefined;
  /** Whether its token or session is still good. */
  readonly mayGoOn: () => Promise<boolean>;
}

export const MOST_STREAMS = { ofToken: 8, ofProcess: 500 } as const;
/** Real milliseconds. Less than the time after which a silent connection is closed, and than that of usual proxies. */
const PING_MS = 15_000;
/** A reader for whom so many bytes still wait, beside what the kernel holds, is cut off in place of the next event. */
const MOST_WAITING_BYTES = 256 * 1024;

export class OpenStreams {
  readonly #open = new Map<ServerResponse, StreamReader>();
  readonly #stopReading: () => void;
  readonly #pings: NodeJS.Timeout;
  #ended = false;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly cut: Pick<Counter<'reason'>, 'inc'>,
    pingMs = PING_MS,
  ) {
    this.#stopReading = feed.read((batch) => this.#give(batch));
    this.#pings = setInterval(() => void this.ping(), pingMs).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Why no further stream may be opened; undefined: it may. */
  lackFor(tokenId: string): 'token' | 'process' | 'ended' | undefined {
    if (this.#ended) return 'ended';
    if (this.#open.size >= MOST_STREAMS.ofProcess) return 'process';
    const own = [...this.#open.values()].filter((reader) => reader.tokenId === tokenId).length;
    return own >= MOST_STREAMS.ofToken ? 'token' : undefined;
  }

  /** `response`: its head is written. It gets what came since its last id, or the word that it must read everything anew. */
  add(response: ServerResponse, reader: StreamReader): void {
    this.#open.set(response, reader);
    response.once('close', () => this.#open.delete(response));
    const { lastId, sees } = reader;
    const missed = lastId === undefined ? undefined : this.feed.since(lastId);
    const text = missed === undefined ? '' : textOf(missed, sees);
    // To read everything anew costs less than so many events, and a slow reader would never get to their end.
    const isReset = text.length > MOST_WAITING_BYTES || (lastId !== undefined && missed === undefined);
    if (!isReset) this.#write(response, text);
    this.#write(response, eventOf(isReset ? 'reset' : 'ping', {}, this.feed.lastId));
  }

  /** Each reader that may go on gets a ping; the others are ended. */
  async ping(): Promise<void> {
    const text = eventOf('ping', {}, this.feed.lastId);
    for (const [response, reader] of this.#open) {
      // While the database is away nobody knows, and nothing is announced either.
      if (await reader.mayGoOn().catch(() => true)) this.#write(response, text);
      else {
        this.cut.inc({ reason: 'access' });
        response.end();
      }
    }
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#pings);
    this.#stopReading();
    for (const response of this.#open.keys()) response.end();
  }

  #give(batch: Batch | undefined): void {
    const written = new Map<string, string>();
    for (const [response, reader] of this.#open) {
      const text =
        batch === undefined
          ? eventOf('reset', {}, this.feed.lastId)
          : (written.get(reader.key) ?? textOf(batch, reader.sees));
      written.set(reader.key, text);
      this.#write(response, text);
    }
  }

  #write(response: ServerResponse, text: string): void {
    if (text === '' || response.destroyed || response.writableEnded) return;
    if (response.writableLength <= MOST_WAITING_BYTES) {
      response.write(text);
      return;
    }
    this.cut.inc({ reason: 'slow' });
    response.destroy();
  }
}

/** The id stands with the last event of a batch alone: whoever is cut off within a batch gets all of it again. */
function textOf({ id, changes }: Batch, sees: (change: Change) => boolean): string {
  const seen = changes.filter(sees);
  return seen
    .map(({ event, data }, at) => eventOf(event, data, at === seen.length - 1 ? id : undefined))
    .join('');
}

function eventOf(event: string, data: unknown, id?: string): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
