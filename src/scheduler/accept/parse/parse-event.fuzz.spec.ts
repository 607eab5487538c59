// Whatever the bytes: the parser answers, in bounded words that the database can hold, and never throws.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { PolicyData } from '../../store/policy-data.js';
import { CommandData, EnvelopeData, ScheduledData } from './campaign-event.js';
import { parseEvent, type ParsedEvent } from './parse-event.js';
import { elementsOf, readJson } from './read-json.js';
import { isStorable } from '../../../platform/http/storable-text.js';
import { MAX_REASONS } from './reason.js';

const rules: ZoneRules = {
  source: 'test',
  version: '2026f',
  has: (zone) => zone === 'Asia/Seoul',
  table: () => undefined,
  names: () => ['Asia/Seoul'],
  zonesOfCountry: () => [],
};
const now = Date.parse('2026-11-21T03:00:00Z');
const parse = (body: Buffer): ParsedEvent => parseEvent({ via: 'kafka', headers: {}, body }, { now, rules });

const good = {
  specversion: '1.0',
  id: 'e-1',
  source: '/shop',
  type: 'carillon.campaign.scheduled.v1',
  subject: 'spring',
  time: '2026-11-21T03:00:00Z',
  data: {
    serviceId: 'shop-app',
    audience: { type: 'CHANNEL', to: ['vip'], country: ['KR'], deviceType: null },
    message: { default: { content: 'x', custom: { a: 1 }, option: {}, i18n: { ja: { content: 'y' } } } },
    delivery: {
      at: '2027-03-01T09:00',
      zone: 'recipient',
      segments: [{ zone: 'Asia/Seoul', audience: { type: 'ALL' } }],
    },
    policy: { night: 'defer', lateness: { max: 'PT30M' }, dst: { gap: 'forward' } },
  },
};

/** Every place of the event, as a path of names. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
}

/** What is wrong with an answer of the parser: nothing, whatever it was given. */
function faultsOf(parsed: ParsedEvent): string[] {
  if (parsed.kind === 'event') return [];
  const { reasons, seen } = parsed;
  const texts = [...reasons.flatMap(({ pointer, text }) => [pointer, text]), ...Object.values(seen)];
  return [
    ...(reasons.length === 0 ? ['rejected without a reason'] : []),
    ...(reasons.length > MAX_REASONS ? ['too many reasons'] : []),
    ...texts.filter((text) => typeof text === 'string' && !isStorable(text)).map(() => 'not storable'),
    ...texts.filter((text) => typeof text === 'string' && text.length > 1_500).map(() => 'too long'),
  ];
}

it('any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(faultsOf(parse(Buffer.from(bytes)))).toEqual([]);
    }),
  );
});

it('any JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      expect(faultsOf(parse(Buffer.from(json)))).toEqual([]);
    }),
  );
});

it('a good event with any value in any one place', () => {
  const wild = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', ' ', '\u0000', '\ud800', '2027-02-30T09:00', 'P1M', -0, 1e21, '__proto__'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...pathsOf(good)), wild, (path, by) => {
      const body = Buffer.from(JSON.stringify(replaced(good, path, by)) ?? '');
      expect(faultsOf(parse(body))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

it('JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (json) => {
      const read = readJson(Buffer.from(json), '');
      const rewritten: unknown = JSON.parse(JSON.stringify(JSON.parse(json)));
      expect(read.value).toEqual(rewritten);
    }),
  );
});

it('a batch falls into the very texts it was made of', () => {
  fc.assert(
    fc.property(fc.array(fc.json({ maxDepth: 4 })), fc.constantFrom('', ' ', '\n\t'), (elements, space) => {
      const text = `${space}[${space}${elements.join(`${space},${space}`)}${space}]${space}`;
      expect(elementsOf(text)).toEqual(elements.map((element) => element.trim()));
    }),
  );
});

it('every schema can be written as JSON Schema', () => {
  for (const schema of [EnvelopeData, ScheduledData, CommandData, PolicyData]) {
    expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({ type: 'object' });
  }
});
