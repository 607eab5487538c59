// One event as it arrived, before anybody looked into it: the same for Kafka and HTTP.

export interface RawEvent {
  readonly via: 'kafka' | 'http';
  /** Where it stands in Kafka. */
  readonly record?: { readonly topic: string; readonly partition: number; readonly offset: string };
  /** The Kafka record's key; null where it has none. */
  readonly key?: Buffer | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whose token brought it over HTTP. */
  readonly caller?: Caller;
}

interface Caller {
  readonly tokenId: string;
  holds(serviceId: string): boolean;
}

/** Bytes that count against the limit of one event: headers can carry an event's attributes. */
export function sizeOf({ headers, body }: RawEvent): number {
  return Object.entries(headers).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    body.length,
  );
}
