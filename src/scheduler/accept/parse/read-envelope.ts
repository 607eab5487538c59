// A raw event → its CloudEvents attributes and data, in the structured or the binary form of the Kafka and HTTP
// bindings. Judges only what hides them; the attributes themselves are checked by their schema.
import { readJson } from './read-json.js';
import type { RawEvent } from './raw-event.js';
import { reason, type Reason } from './reason.js';
import { shown } from '../../decide/shown-value.js';

export interface ReadEnvelope {
  /** Names as CloudEvents has them, without prefix; `data` is not among them. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** undefined where there is none, or none that can be read. */
  readonly data: unknown;
  readonly problems: readonly Reason[];
  /** The JSON cannot be looked into any further. */
  readonly unreadable: boolean;
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
  return Object.keys(attributes).length === 0 ? readStructured(raw.body) : readBinary(raw, attributes);
}

function readStructured(body: Buffer): ReadEnvelope {
  const read = readJson(body, '');
  if (!isObject(read.value)) {
    if (read.problems.length > 0) return unreadable(read.problems);
    const text = `a CloudEvent is a JSON object, such as {"specversion":"1.0","id":"spring-sale-1",…}, not ${shown(read.value)}`;
    return unreadable([reason('', 'WRONG_TYPE', text)]);
  }
  const { data, data_base64: encoded, ...attributes } = read.value;
  if (typeof encoded !== 'string' || data !== undefined) {
    return { attributes, data, problems: read.problems, unreadable: !read.usable };
  }
  const decoded = readJson(Buffer.from(encoded, 'base64'), '/data');
  return {
    attributes,
    data: decoded.value,
    problems: [...read.problems, ...decoded.problems],
    unreadable: !read.usable || !decoded.usable,
  };
}

function readBinary(raw: RawEvent, attributes: Readonly<Record<string, string>>): ReadEnvelope {
  const read = readJson(raw.body, '/data');
  return { attributes, data: read.value, problems: read.problems, unreadable: !read.usable };
}

function headerAttributes(raw: RawEvent): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw.headers)) {
    const attribute = ATTRIBUTE_HEADER.exec(name)?.[1];
    // CloudEvents HTTP binding, 3.1.3.2: values are percent-encoded; in Kafka they are plain UTF-8.
    if (attribute !== undefined) attributes[attribute] = raw.via === 'http' ? percentDecoded(value) : value;
  }
  const contentType = raw.headers['content-type'];
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
  return { attributes: {}, data: undefined, problems, unreadable: true };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
