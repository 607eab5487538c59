// One event as it arrived, from Kafka or HTTP, before anybody looked into it; and its CloudEvents attributes and data, in
// the structured or the binary form of the Kafka and HTTP bindings. Judges only what hides these: parse-event.ts does the rest.
import { shown } from '../../decide/quote-value.js';
import { isObject, readJson, type ReadJson } from './read-json.js';
import { reason, type Reason } from './reason.js';

export interface RawEvent {
  readonly via: 'kafka' | 'http';
  /** Where it stands in Kafka. */
  readonly record?: { readonly topic: string; readonly partition: number; readonly offset: string };
  /** The Kafka record's key; null where it has none. */
  readonly key?: Buffer | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Why the Kafka record or its batch could not be decoded; `body` then holds the undecoded bytes. */
  readonly fault?: string;
  /** The rejection that this event replays. */
  readonly replayOf?: string;
  /** The holder of the token that brought it over HTTP. */
  readonly caller?: EventCaller;
}

export interface EventCaller {
  readonly tokenId: string;
  holds(serviceId: string): boolean;
  takes(source: string): boolean;
}

/** Events and bytes that one transaction takes, so that memory and locks stay bounded. A larger event goes alone. */
export const CHUNK = { count: 1_000, bytes: 4 * 1024 * 1024 } as const;

/** Bytes that count against the limit of one event. Headers count, for they can carry an event's attributes. */
export function sizeOf({ headers, body }: RawEvent): number {
  return Object.entries(headers).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    body.length,
  );
}

/** Its place in Kafka as columns of a row: all null for an event over HTTP. */
export function placeOf({ record }: RawEvent) {
  return record ?? { topic: null, partition: null, offset: null };
}

export interface ReadEnvelope extends Pick<ReadJson, 'problems' | 'usable'> {
  /** Names as CloudEvents has them, without prefix; `data` is not among them. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** undefined where there is none, or none that can be read. */
  readonly data: unknown;
}

const STRUCTURED = /^application\/cloudevents\+json\s*(;|$)/i;
const ANY_CLOUD_EVENT = /^application\/cloudevents/i;
/** `ce_` in Kafka, `ce-` in HTTP. */
const ATTRIBUTE_HEADER = /^ce[_-]([a-z0-9]+)$/;

export function readEnvelope(raw: RawEvent): ReadEnvelope {
  const contentType = raw.headers['content-type'] ?? '';
  if (STRUCTURED.test(contentType)) return readStructured(raw.body);
  if (ANY_CLOUD_EVENT.test(contentType)) {
    const text = 'one record holds one event, as application/cloudevents+json or with ce_ headers';
    return unreadable([reason('', 'WRONG_FORMAT', text)]);
  }
  const attributes = headerAttributes(raw);
  // A producer that sets no headers at all most likely sends the structured form.
  if (Object.keys(attributes).length === 0) return readStructured(raw.body);
  const { value: data, problems, usable } = readJson(raw.body, '/data');
  return { attributes, data, problems, usable };
}

function readStructured(body: Buffer): ReadEnvelope {
  const { value, problems, usable } = readJson(body, '');
  if (!isObject(value)) {
    if (problems.length > 0) return unreadable(problems);
    const text = `a CloudEvent is a JSON object, such as {"specversion":"1.0","id":"spring-sale-1",…}, not ${shown(value)}`;
    return unreadable([reason('', 'WRONG_TYPE', text)]);
  }
  const { data, data_base64: encoded, ...attributes } = value;
  if (typeof encoded !== 'string' || data !== undefined) return { attributes, data, problems, usable };
  const decoded = readJson(Buffer.from(encoded, 'base64'), '/data');
  return {
    attributes,
    data: decoded.value,
    problems: [...problems, ...decoded.problems],
    usable: usable && decoded.usable,
  };
}

function headerAttributes({ via, headers }: RawEvent): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const attribute = ATTRIBUTE_HEADER.exec(name)?.[1];
    // CloudEvents HTTP binding, 3.1.3.2: values are percent-encoded; in Kafka they are plain UTF-8.
    if (attribute !== undefined) attributes[attribute] = via === 'http' ? percentDecoded(value) : value;
  }
  const contentType = headers['content-type'];
  if (Object.keys(attributes).length > 0 && contentType !== undefined) {
    attributes['datacontenttype'] = contentType;
  }
  return attributes;
}

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function unreadable(problems: readonly Reason[]): ReadEnvelope {
  return { attributes: {}, data: undefined, problems, usable: false };
}
