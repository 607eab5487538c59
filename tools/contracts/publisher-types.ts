// The types of the publisher package, made of the schemas that check what is taken and describe what is answered: one
// place for each member, with its words as they stand in docs/use/campaign-events.md.
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { format } from 'prettier';
import type { Json } from '../../src/platform/http/json-schema.js';
import type { PublishedContracts } from '../../src/scheduler/documents/published.js';

/** Events in and out, by the file that describes each. */
const EVENT_FILES = [
  'campaign-scheduled.v1.json',
  'campaign-canceled.v1.json',
  'campaign-paused.v1.json',
  'campaign-resumed.v1.json',
  'outcome-campaign.v1.json',
  'outcome-occurrence.v1.json',
  'outcome-send.v1.json',
  'outcome-command.v1.json',
];
/** The answers of the HTTP API to a publisher. */
const ANSWERS = ['EventVerdict', 'Reason', 'CampaignWithRevisions'];

const HEAD = `// Written by \`npm run schemas\` from the schemas that check events and describe answers; a test compares.`;

export async function publisherTypes(contracts: PublishedContracts): Promise<string> {
  const events = EVENT_FILES.map((name) => contracts.read(name) ?? {});
  const { schemas } = (contracts.read('openapi.json')?.['components'] ?? {}) as {
    schemas: Record<string, Json>;
  };
  const named = {
    ...schemas,
    ...Object.assign({}, ...events.map((event) => event['$defs'] ?? {})),
    ...Object.fromEntries(events.map((event) => [event['title'], withoutHead(event)])),
  } as Record<string, Json>;
  const wanted = reachable([...events.map((event) => String(event['title'])), ...ANSWERS], named);
  const whole = {
    title: 'Contract',
    anyOf: [...wanted].map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: Object.fromEntries([...wanted].map((name) => [name, { ...named[name], title: name }])),
  };
  const text = await compile(retargeted(whole) as JSONSchema, 'Contract', {
    additionalProperties: false,
    bannerComment: HEAD,
    ignoreMinAndMaxItems: true,
    format: false,
  });
  // The root is there to reach them all.
  const types = text.replace(/export type Contract = [^;{]*?\n(?=export |\/\*\*)/, '');
  return format(types, { parser: 'typescript', printWidth: 110, singleQuote: true });
}

function withoutHead(event: Json): Json {
  const head = ['$schema', '$id', '$defs'];
  return Object.fromEntries(Object.entries(event).filter(([name]) => !head.includes(name)));
}

/** Names of `from` and of all that they lead to. */
function reachable(from: readonly string[], named: Readonly<Record<string, Json>>): Set<string> {
  const found = new Set<string>();
  const waiting = [...from];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    if (named[name] === undefined) throw new Error(`no schema is named ${name}`);
    found.add(name);
    const text = JSON.stringify(named[name]);
    waiting.push(
      ...[...text.matchAll(/"#\/(?:\$defs|components\/schemas)\/(\w+)"/g)].map(([, to]) => to ?? ''),
    );
  }
  return found;
}

/** References lead to `$defs`; words beside one would make a second type of the same shape. */
function retargeted(schema: object): unknown {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"#/$defs/');
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'object' && value !== null && '$ref' in value ? { $ref: value.$ref } : value,
  );
}
