// One event as it arrived, before anybody looked into it: the same for Kafka and HTTP; and many, cut into chunks.

export interface RawEvent {
  readonly via: 'kafka' | 'http';
  /** Where it stands in Kafka. */
  readonly record?: { readonly topic: string; readonly partition: number; readonly offset: string };
  /** The Kafka record's key; null where it has none. */
  readonly key?: Buffer | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Why the Kafka record or its batch could not be decoded; `body` then holds its bytes as they are. */
  readonly fault?: string;
  /** The rejection that it is a replay of. */
  readonly replayOf?: string;
  /** Whose token brought it over HTTP. */
  readonly caller?: EventCaller;
}

export interface EventCaller {
  readonly tokenId: string;
  holds(serviceId: string): boolean;
  takes(source: string): boolean;
}

/** Bytes that count against the limit of one event: headers can carry an event's attributes. */
export function sizeOf({ headers, body }: RawEvent): number {
  return Object.entries(headers).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    body.length,
  );
}

/** Where it stands in Kafka, as columns have it. */
export function placeOf({ record }: RawEvent): {
  [Part in keyof NonNullable<RawEvent['record']>]: NonNullable<RawEvent['record']>[Part] | null;
} {
  return record ?? { topic: null, partition: null, offset: null };
}

/** A chunk's events, and its bytes unless a single event is larger. */
const CHUNK = { events: 1_000, bytes: 4 * 1024 * 1024 } as const;

/** Pieces that one transaction takes at a time, so that memory and locks stay bounded. */
export function inChunks<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[][] {
  const chunks: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const open = chunks.at(-1);
    if (open === undefined || open.length === CHUNK.events || bytes + size > CHUNK.bytes) {
      chunks.push([item]);
      bytes = size;
    } else {
      open.push(item);
      bytes += size;
    }
  }
  return chunks;
}
