// One event as it arrived, from Kafka or HTTP, before anybody parsed it; and its CloudEvents attributes and data, in the
// structured or the binary form of the Kafka and HTTP bindings. Judges only faults that hide these: parse-event.ts does the rest.
import { isDeepStrictEqual } from 'node:util';
import { isStorable } from '../../../platform/http/storable-text.js';
import { TRACEPARENT, TRACESTATE } from '../../../platform/tracing/trace-context.js';
import { shown } from '../../decide/quote-value.js';
import { isObject, NOT_STORABLE, readJson, type ReadJson } from './read-json.js';
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
  /** A patch that leaves the audience as it is: the version of its list that stays, whatever was uploaded since. */
  readonly listVersion?: string | undefined;
}

export interface EventCaller {
  readonly tokenId: string;
  holds(serviceId: string): boolean;
  takes(source: string): boolean;
}

/** Events and bytes that one transaction takes, so that memory and locks stay bounded. A larger event goes alone. */
export const CHUNK = { count: 1_000, bytes: 4 * 1024 * 1024 } as const;

/** Bytes that count against the limit of one event. Headers count, because they can carry an event's attributes. */
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
  // A producer that sets no headers at all most likely sends the structured form.
  if (!isBinary(raw.headers)) return readStructured(raw.body);
  const { attributes, problems: ofHeaders } = headerAttributes(raw);
  const { value: data, problems, usable } = readJson(raw.body, '/data');
  return { attributes, data, problems: [...ofHeaders, ...problems], usable };
}

/** Tracing libraries set these also beside the structured form. */
const OF_TRACE: readonly string[] = [TRACEPARENT, TRACESTATE];

/** Whether the headers hold the event's attributes, and its body the data alone. */
export function isBinary(headers: RawEvent['headers']): boolean {
  return Object.keys(headers).some((name) => {
    const attribute = ATTRIBUTE_HEADER.exec(name)?.[1];
    return attribute !== undefined && !OF_TRACE.includes(attribute);
  });
}

function readStructured(body: Buffer): ReadEnvelope {
  const { value, problems, usable } = readJson(body, '');
  if (!isObject(value)) {
    if (problems.length > 0) return unreadable(problems);
    const text = `a CloudEvent is a JSON object, such as {"specversion":"1.0","id":"spring-sale-1",…}, not ${shown(value)}`;
    return unreadable([reason('', 'WRONG_TYPE', text)]);
  }
  const { data, data_base64: encoded, ...attributes } = value;
  // An explicit null counts as absent.
  if (encoded === undefined || encoded === null) return { attributes, data, problems, usable };
  const decoded = readBase64(encoded);
  const isOneOfTwo = data === undefined || data === null;
  const differ =
    isOneOfTwo || !decoded.usable || isDeepStrictEqual(data, decoded.value)
      ? []
      : [reason('/data_base64', 'WRONG_VALUE', 'is not what stands in data: give one of the two')];
  return {
    attributes,
    data: decoded.value,
    problems: [...problems, ...decoded.problems, ...differ],
    usable: usable && decoded.usable,
  };
}

function readBase64(encoded: unknown): ReadJson {
  const bytes = typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : undefined;
  // Buffer skips characters that are no base64. Valid base64 is the same after decoding and encoding.
  if (bytes !== undefined && bytes.toString('base64') === encoded) return readJson(bytes, '/data');
  const text = `must be base64 with its padding, such as "eyJzZXJ2aWNlSWQiOiJzaG9wLWFwcCJ9", not ${shown(encoded)}`;
  return { value: undefined, problems: [reason('/data_base64', 'WRONG_FORMAT', text)], usable: false };
}

function headerAttributes({ via, headers }: RawEvent) {
  const attributes: Record<string, string> = {};
  const problems: Reason[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const attribute = ATTRIBUTE_HEADER.exec(name)?.[1];
    if (attribute === undefined) continue;
    // In Kafka they are plain UTF-8.
    const decoded = via === 'http' ? headerDecoded(value) : value;
    if (decoded === undefined) {
      const text = `the header ${name} has to be UTF-8, percent-encoded where it is not ASCII, such as "caf%C3%A9" (a percent sign is %25), not ${shown(value)}`;
      problems.push(reason(`/${attribute}`, 'WRONG_FORMAT', text));
    }
    if (decoded !== undefined && !isStorable(decoded))
      problems.push(reason(`/${attribute}`, 'NOT_STORABLE', NOT_STORABLE));
    attributes[attribute] = decoded ?? value;
  }
  const contentType = headers['content-type'];
  if (contentType !== undefined) attributes['datacontenttype'] = contentType;
  return { attributes, problems };
}

/** CloudEvents HTTP binding 3.1.3.2: a quoted value is unquoted, then percent-decoded. Undefined: the bytes are not UTF-8. */
function headerDecoded(value: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(value)?.[1];
  try {
    return decodeURIComponent(quoted === undefined ? value : quoted.replaceAll(/\\(.)/gs, '$1'));
  } catch {
    return undefined;
  }
}

function unreadable(problems: readonly Reason[]): ReadEnvelope {
  return { attributes: {}, data: undefined, problems, usable: false };
}
