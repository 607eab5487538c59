// schemas/ and the tables of docs/use/campaign-events.md and docs/operate/retention.md are what `npm run schemas` writes. Nothing in
// them breaks what the last release promised (schemas/released.json), unless it has a new version.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/platform/clock.js';
import { deadLetter } from '../../src/scheduler/accept/dead-letter.js';
import { parseEvent } from '../../src/scheduler/accept/parse/parse-event.js';
import type { RawEvent } from '../../src/scheduler/accept/parse/raw-event.js';
import { directionOf } from '../../src/scheduler/documents/published.js';
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import {
  asyncApiBreaks,
  openApiBreaks,
  schemaBreaks,
  type Schema,
} from '../../tools/contracts/compatibility.js';
import {
  contractFiles,
  contracts,
  PAGES,
  RELEASED,
  schemasFolder,
  typesFile,
  webApiFolder,
  withTables,
} from '../../tools/contracts/contract-files.js';
import { projectRoot } from '../../tools/project.js';
import { publisherTypes } from '../../tools/contracts/publisher-types.js';
import { webFiles } from '../../tools/contracts/web-types.js';
import { loadExamples, Moment } from '../../tools/demo/examples.js';

const kept = (name: string): string => readFileSync(join(schemasFolder, name), 'utf8');

describe('schemas/', () => {
  it('holds what npm run schemas writes, and no other file', () => {
    const files = contractFiles();
    expect(readdirSync(schemasFolder).toSorted()).toEqual([...files.keys(), RELEASED].toSorted());
    for (const [name, text] of files) expect([name, kept(name) === text]).toEqual([name, true]);
  });

  it('breaks nothing that was promised', () => {
    const all = contracts();
    const promised = JSON.parse(kept(RELEASED)) as Record<string, Schema>;
    const broken = Object.entries(promised).flatMap(([name, before]) => {
      const after = all.read(name);
      if (after === undefined) return [`${name}: is gone`];
      const direction = directionOf(name);
      const breaks =
        direction !== undefined
          ? schemaBreaks(before, after, direction)
          : (name === 'openapi.json' ? openApiBreaks : asyncApiBreaks)(before, after);
      return breaks.map((text) => `${name}: ${text}`);
    });
    // A new version has a new name and stands beside the old: an event's type, or /v2/ in a path.
    expect(broken).toEqual([]);
  });
});

describe.each(Object.keys(PAGES))('%s', (page) => {
  it('has the tables that npm run schemas writes', async () => {
    expect(readFileSync(join(projectRoot, page), 'utf8')).toBe(await withTables(page));
  });
});

describe('packages/publisher', () => {
  it('has the types that npm run schemas writes', async () => {
    expect(readFileSync(typesFile, 'utf8')).toBe(await publisherTypes(contracts()));
  });
});

it('web/ has the types and the roles of the API that npm run schemas writes', async () => {
  for (const [name, text] of await webFiles(contracts())) {
    expect([name, readFileSync(join(webApiFolder, name), 'utf8') === text]).toEqual([name, true]);
  }
});

describe('the JSON Schema of an event', () => {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (one: Ajv2020) => void)(ajv);
  const check = (name: string) => ajv.compile(contracts().read(name) ?? false);

  it('takes the events that the demo publishes, and refuses a member that nobody knows', () => {
    const scheduled = check('campaign-scheduled.v1.json');
    const moment = new Moment(Date.parse('2027-03-01T00:00:00Z'));
    const events = loadExamples('examples', moment).map(({ event }) => event);
    expect(events.length).toBeGreaterThan(5);
    for (const event of events) expect([event, scheduled(event)]).toEqual([event, true]);
    const [first] = events;
    expect(scheduled({ ...first, data: { ...first?.data, audiense: {} } })).toBe(false);
  });

  it('takes the dead letter of an event that nobody could read', () => {
    const rules = loadZoneRules();
    const raw: RawEvent = { via: 'kafka', headers: {}, body: Buffer.from('{'), key: null };
    const parsed = parseEvent(raw, { now: new SystemClock().now(), rules });
    const reasons = parsed.kind === 'rejection' ? parsed.reasons : [];
    const id = '01936d5c-7a00-7000-8000-000000000001';
    const arrived = { id, raw, parsed };
    const letter = deadLetter({ id, arrived, serviceId: null, reasons, at: new Date(0) }, 'dead');
    const rejected = check('event-rejected.v1.json');
    rejected(JSON.parse(letter.value.toString()));
    expect(rejected.errors).toBeNull();
  });
});
