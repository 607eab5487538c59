// The one stream of a tab: GET /v1/stream says what changed, and the answers that a page shows are read anew, at most once a second. It closes
// when nobody has looked for a minute, and goes on after the last event that it had.
import type { QueryClient } from '@tanstack/react-query';
import { isRefused, openStream } from '../../api/stream.ts';
import { isChanged, STREAM_EVENTS, type StreamData, type StreamEvent } from './changed-answers.ts';

/** One reading a second is enough for the eye, and spares the server a campaign of a hundred thousand sends. */
const READ_MS = 1_000;
const HIDDEN_MS = 60_000;
/** After a refusal, such as 429 TOO_MANY_STREAMS. A cut connection is mended by the browser itself. */
const AGAIN_MS = 30_000;

export class LiveStream {
  #source: EventSource | undefined;
  #isLive = false;
  #lastId = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #gathered: (readonly [StreamEvent, StreamData])[] = [];
  #isReading = false;
  readonly #watchers = new Set<() => void>();

  constructor(private readonly answers: QueryClient) {}

  /** For useSyncExternalStore. */
  readonly isLive = (): boolean => this.#isLive;
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** For as long as somebody is signed in; the answer ends it. */
  start(): () => void {
    const onVisibility = (): void => {
      clearTimeout(this.#timer);
      if (document.hidden) this.#timer = setTimeout(() => this.#close(), HIDDEN_MS);
      else this.#open();
    };
    document.addEventListener('visibilitychange', onVisibility);
    this.#open();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(this.#timer);
      this.#lastId = '';
      this.#close();
    };
  }

  #open(): void {
    if (this.#source !== undefined) return;
    const source = openStream(this.#lastId);
    this.#source = source;
    // The server says `ping` at once; before that nobody knows whether a proxy holds the events back.
    source.addEventListener('ping', (event) => this.#heard(event));
    for (const name of STREAM_EVENTS) {
      source.addEventListener(name, (event) => {
        this.#heard(event);
        this.#gathered.push([name, dataOf(event)]);
        void this.#read();
      });
    }
    source.addEventListener('error', () => {
      this.#setLive(false);
      if (!isRefused(source)) return;
      this.#close();
      this.#timer = setTimeout(() => this.#open(), AGAIN_MS);
    });
  }

  #close(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#setLive(false);
  }

  #heard({ lastEventId }: MessageEvent): void {
    if (lastEventId !== '') this.#lastId = lastEventId;
    this.#setLive(true);
  }

  #setLive(isLive: boolean): void {
    if (this.#isLive === isLive) return;
    this.#isLive = isLive;
    for (const changed of this.#watchers) changed();
    // What changed while nobody listened, and the interval of each answer, begin anew.
    if (!isLive)
      void this.answers.invalidateQueries({ predicate: ({ queryKey }) => isChanged(queryKey, 'reset', {}) });
  }

  /** Events that come during a reading are read after it, so that none is lost and no reading is cut short. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#gathered.length > 0) {
      const events = this.#gathered;
      this.#gathered = [];
      await Promise.all([
        this.answers.invalidateQueries(
          { predicate: ({ queryKey }) => events.some(([event, data]) => isChanged(queryKey, event, data)) },
          { cancelRefetch: false },
        ),
        new Promise((resolve) => setTimeout(resolve, READ_MS)),
      ]);
    }
    this.#isReading = false;
  }
}

function dataOf({ data }: MessageEvent<string>): StreamData {
  try {
    return JSON.parse(data) as StreamData;
  } catch {
    return {};
  }
}
