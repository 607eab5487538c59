// The OpenAPI documents against the running service. Always: one right answer of every operation against its schema.
// In long runs a fuzzer reads the documents and tries what nobody thought of: no 5xx, no undocumented status, type or
// form. CARILLON_TEST_FUZZ_EXAMPLES sets how much of it, and runs it in short runs too.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testLength } from '../../support/lengths.js';
import { furnish, RIGHT } from './support/calls.js';
import { manageEverything } from './support/management-calls.js';
import { exchange } from './support/client.js';
import { INTERFACE } from './support/interface.js';
import { fuzz, hasPython, installSchemathesis } from './support/schemathesis.js';
import { openStage, type Stage } from './support/stage.js';

const EXAMPLES = testLength('FUZZ_EXAMPLES', { normal: 1, long: 150 });
const FUZZ_MS = 1_800_000;

let stage: Stage;

beforeAll(async () => (stage = await openStage()));
afterAll(() => stage.close());

type Schema = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, { content?: Content }> }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
type Content = Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;

async function documentOf(name: string): Promise<Document> {
  const answer = await exchange(stage.target.managementUrl, 'GET', `/openapi/${name}.json`, {});
  return answer.json() as unknown as Document;
}

describe('the OpenAPI document of the interface', () => {
  it('has a schema for every answer with a body, and each answer fits its own', async () => {
    const { paths, components } = await documentOf('push');
    for (const { name, method, path, success } of INTERFACE) {
      const described = paths[`/push/v2/services/{serviceId}/${path}`]?.[method.toLowerCase()];
      const answer = await RIGHT[name]?.(await furnish(await stage.project()));
      expect([name, answer?.status]).toEqual([name, success]);
      const ref = described?.responses[String(success)]?.content?.['application/json']?.schema.$ref;
      expect([name, ref !== undefined]).toEqual([name, answer?.text !== '']);
      if (ref === undefined) continue;
      const schema = components.schemas[ref.replace('#/components/schemas/', '')] ?? {};
      const parsed = z.fromJSONSchema(schema).safeParse(answer?.json());
      expect([name, parsed.error?.issues]).toEqual([name, undefined]);
    }
  });
});

describe('the OpenAPI document of the management', () => {
  it('has a schema for every answer with a body, and each answer fits its own', async () => {
    const document = await documentOf('management');
    const tried = await manageEverything(stage.management);
    expect([...tried.keys()].toSorted()).toEqual(
      Object.entries(document.paths)
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
        .toSorted(),
    );
    for (const [name, answer] of tried) {
      const [method = '', path = ''] = name.split(' ');
      const { responses } = document.paths[path]?.[method.toLowerCase()] ?? { responses: {} };
      const schema = responses[String(answer.status)]?.content?.['application/json']?.schema;
      expect([name, schema !== undefined]).toEqual([name, answer.text !== '']);
      if (schema === undefined) continue;
      const parsed = z
        .fromJSONSchema({ ...schema }, { defaultTarget: 'openapi-3.0' })
        .safeParse(answer.json());
      expect([name, parsed.error?.issues]).toEqual([name, undefined]);
    }
  });
});

const PYTHON = EXAMPLES > 1 && (await hasPython());
if (EXAMPLES > 1 && !PYTHON)
  process.stdout.write('fuzzing is left out: it needs python3, 3.10 or newer, with venv\n');

// One example is the walk above; long runs fuzz, where there is a Python for it.
describe.skipIf(!PYTHON)('fuzzing (python3, 3.10 or newer, with venv)', () => {
  it.each(['push', 'management'] as const)(
    'finds no 5xx, no undocumented status and no answer of another form in %s.json',
    async (name) => {
      await installSchemathesis();
      const { target } = stage;
      const document = await documentOf(name);
      const project = await stage.project();
      const result =
        name === 'push'
          ? await fuzz({
              // Signed whatever the fuzzer does with headers: what is wrong with those, gateway.spec.ts tries.
              document: {
                ...document,
                security: [],
                components: { ...document.components, securitySchemes: {} },
              },
              baseUrl: target.url,
              examples: EXAMPLES,
              path: { serviceId: project.serviceId },
              keys: project.keys,
            })
          : await fuzz({
              document: { ...document },
              baseUrl: target.managementUrl,
              examples: EXAMPLES,
              headers: { Authorization: `Bearer ${target.managementToken}` },
            });
      await stage.management.clearFaults();
      await stage.thaw();
      process.stdout.write(`${result.output.slice(result.output.lastIndexOf('Test cases:'))}\n`);
      expect(result.code === 0 ? '' : result.output).toBe('');
    },
    FUZZ_MS,
  );
});
