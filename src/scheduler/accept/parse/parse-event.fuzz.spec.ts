// Whatever the bytes: the parser answers, in bounded words that the database can hold, and never throws.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyBytes, anyJson, bentEvent, wholeEvent } from '../../../../test/support/events/wild-events.js';
import { jsonSchemaOf } from '../../../platform/http/json-schema.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { PolicyData } from '../../store/policy-data.js';
import { CommandData, EnvelopeData, ScheduledData } from './campaign-event.js';
import { parseEvent, type ParsedEvent } from './parse-event.js';
import { elementsOf, readJson } from './read-json.js';
import { isStorable } from '../../../platform/http/storable-text.js';
import { MOST_LISTED } from '../../../platform/most-listed.js';

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

/** What is wrong with an answer of the parser: nothing, whatever it was given. */
function faultsOf(parsed: ParsedEvent): string[] {
  if (parsed.kind === 'event') return [];
  const { reasons, seen } = parsed;
  const texts = [...reasons.flatMap(({ pointer, text }) => [pointer, text]), ...Object.values(seen)];
  return [
    ...(reasons.length === 0 ? ['rejected without a reason'] : []),
    ...(reasons.length > MOST_LISTED + 1 ? ['too many reasons'] : []),
    ...texts.filter((text) => typeof text === 'string' && !isStorable(text)).map(() => 'not storable'),
    ...texts.filter((text) => typeof text === 'string' && text.length > 1_500).map(() => 'too long'),
  ];
}

it('any bytes', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      expect(faultsOf(parse(bytes))).toEqual([]);
    }),
  );
});

it('any JSON', () => {
  fc.assert(
    fc.property(anyJson, (json) => {
      expect(faultsOf(parse(json))).toEqual([]);
    }),
  );
});

it('a good event with any value in any one place', () => {
  fc.assert(
    fc.property(bentEvent(wholeEvent), (body) => {
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
    expect(jsonSchemaOf(schema, 'input')).toMatchObject({ type: 'object' });
  }
});
