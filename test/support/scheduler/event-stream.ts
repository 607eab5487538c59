// A reader of GET /v1/stream over real HTTP, as an EventSource reads it.
import { eventually } from '../eventually.js';

export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** performance.now() */
  readonly at: number;
}

export class EventStream {
  readonly events: StreamEvent[] = [];
  status = 0;
  headers = new Headers();
  /** The server has ended it, or cut it off. */
  isOver = false;
  readonly #abort = new AbortController();

  static async open(url: string, headers: Record<string, string>): Promise<EventStream> {
    const stream = new EventStream();
    const response = await fetch(url, { headers, signal: stream.#abort.signal });
    stream.status = response.status;
    stream.headers = response.headers;
    void stream.#read(response).catch(() => undefined);
    if (response.status === 200) await eventually(() => stream.events.length > 0);
    return stream;
  }

  /** What came of one kind. */
  of(event: string): readonly StreamEvent[] {
    return this.events.filter((one) => one.event === event);
  }

  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }

  cut(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) this.events.push(eventOf(part));
      }
    } finally {
      this.isOver = true;
    }
  }
}

function eventOf(text: string): StreamEvent {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  return {
    event: fields.get('event') ?? '',
    id: fields.get('id'),
    data: JSON.parse(fields.get('data') ?? '{}') as StreamEvent['data'],
    at: performance.now(),
  };
}
