import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { projectRoot } from '../../tools/project.js';

interface Verdict {
  code: number;
  summary: string;
  violations: string[];
}

/** The checker as the test command runs it, over another tree. */
async function check(tree: string): Promise<Verdict> {
  return new Promise((resolve) => {
    const program = join(projectRoot, 'tools', 'check-dependencies.mjs');
    execFile(process.execPath, [program, tree], (error, stdout, stderr) => {
      const violations = stderr.split('\n').filter((line) => line !== '');
      resolve({ code: error === null ? 0 : Number(error.code), summary: stdout.trim(), violations });
    });
  });
}

async function plant(files: Readonly<Record<string, string>>): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'carillon-rules-'));
  await cp(join(projectRoot, 'package.json'), join(tree, 'package.json'));
  await symlink(join(projectRoot, 'node_modules'), join(tree, 'node_modules'));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    await writeFile(join(tree, file), text);
  }
  return tree;
}

const exports = 'export const x = 1;\n';

/** Imports that the rules allow: none of them may be reported as a violation. */
const lawful = {
  'src/push-contract/limits.ts': exports,
  'src/platform/clock.ts': 'export const now = (): number => Date.now();\n',
  'src/platform/env.ts': 'export const env = process.env;\n',
  'src/platform/tracing/otlp-tracing.ts':
    "import { trace } from '@opentelemetry/api';\nexport const OtlpTracing = trace;\n",
  'src/platform/tracing/open-tracing.ts': "export const open = () => import('./otlp-tracing.js');\n",
  'src/platform/kafka/kafkajs-connection.ts': "import { Kafka } from 'kafkajs';\nexport const x = Kafka;\n",
  'src/scheduler/decide/plan/plan.ts': `import { DateTime } from 'luxon';
import { createHash } from 'node:crypto';
import { x as limit } from '../../../push-contract/limits.js';
import { x as offsets } from '../../../zone-rules/zone-offsets.js';
export const at = (ms: number): string => DateTime.fromMillis(ms, { zone: 'utc' }).toISO() ?? createHash('md5').digest('hex') + limit + offsets;
export interface Fire { Date: string; process: Date }
`,
  'src/zone-rules/zone-offsets.ts': exports,
  'src/scheduler/store/send.store.ts':
    "import { DataSource } from 'typeorm';\nexport const x = DataSource;\n",
  'src/scheduler/push-client/rate/pace.store.ts': 'export const takeTokens = 1;\n',
  'src/scheduler/push-client/rate/shared-rate.ts':
    "import { takeTokens } from './pace.store.js';\nexport const x = takeTokens;\n",
  'src/scheduler/plan/plan.ts': `import { at } from '../decide/plan/plan.js';
import { x as store } from '../store/send.store.js';
import { x as auth } from '../admin/auth/guard.js';
export const y = [at, store, auth, new Date(0)];
`,
  'src/scheduler/admin/auth/guard.ts': exports,
  'src/scheduler/plan/stage.ts': exports,
  'src/scheduler/stages.ts': "import { x } from './plan/stage.js';\nexport const y = x;\n",
  'src/scheduler/plan/plan.spec.ts': "import 'vitest';\nimport '../../../test/support/world.js';\n",
  'src/scheduler/push-client/undici-push-api.ts':
    "import { Agent } from 'undici';\nexport const x = Agent;\n",
  'web/src/api/client.ts':
    "import createClient from 'openapi-fetch';\nexport const x = [createClient, fetch];\n",
  'web/src/parts/figure.tsx': "import { x } from '../api/client.ts';\nexport const y = x;\n",
  'web/src/pages/one/one-page.tsx':
    "import { y } from '../../parts/figure.tsx';\nexport const z = [y, new Date()];\n",
  'packages/publisher/src/index.ts':
    "import { at } from '../../../src/scheduler/decide/plan/plan.js';\nexport const x = at;\n",
  'test/support/world.ts': exports,
};

/** One breach of each rule, and the file it is in. */
const breaches: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'decide-is-pure': [
    'src/scheduler/decide/impure.ts',
    "import { x } from '../store/send.store.js';\nexport const y = x;\n",
  ],
  'push-contract-is-pure': [
    'src/push-contract/leaning.ts',
    "import { now } from '../platform/clock.js';\nexport const y = now;\n",
  ],
  'services-are-strangers': [
    'src/push-service/friend.ts',
    "import { at } from '../scheduler/decide/plan/plan.js';\nexport const y = at;\n",
  ],
  'stages-meet-in-decide-and-store': [
    'src/scheduler/follow/next.ts',
    "import { y } from '../plan/plan.js';\nexport const z = y;\n",
  ],
  'stages-are-joined-in-one-place': [
    'src/scheduler/plan/joined.ts',
    "import { x } from './stage.js';\nexport const y = x;\n",
  ],
  'push-client-knows-no-stage': [
    'src/scheduler/push-client/up.ts',
    "import { y } from '../plan/plan.js';\nexport const z = y;\n",
  ],
  'read-ahead-knows-no-stage': [
    'src/scheduler/read-ahead/up.ts',
    "import { y } from '../plan/plan.js';\nexport const z = y;\n",
  ],
  'one-way-to-the-gateways': [
    'src/scheduler/follow/own-turn.ts',
    "import { takeTokens } from '../push-client/rate/pace.store.js';\nexport const x = takeTokens;\n",
  ],
  'store-knows-no-stage': [
    'src/scheduler/store/up.ts',
    "import { y } from '../plan/plan.js';\nexport const z = y;\n",
  ],
  'platform-has-no-business': [
    'src/platform/busy.ts',
    "import { y } from '../scheduler/plan/plan.js';\nexport const z = y;\n",
  ],
  'the-calendar-is-pure': [
    'src/zone-rules/civil.ts',
    "import { now } from '../platform/clock.js';\nexport const y = now;\n",
  ],
  'zone-rules-know-no-service': [
    'src/zone-rules/knowing.ts',
    "import { x } from '../scheduler/store/send.store.js';\nexport const y = x;\n",
  ],
  'sql-has-its-places': [
    'src/scheduler/report/direct.ts',
    "import { Client } from 'pg';\nexport const x = Client;\n",
  ],
  'kafkajs-has-its-places': [
    'src/scheduler/accept/reader.ts',
    "import { Kafka } from 'kafkajs';\nexport const x = Kafka;\n",
  ],
  'opentelemetry-has-its-place': [
    'src/scheduler/accept/spans.ts',
    "import { trace } from '@opentelemetry/api';\nexport const x = trace;\n",
  ],
  'opentelemetry-is-loaded-late': [
    'src/platform/tracing/early.ts',
    "import { OtlpTracing } from './otlp-tracing.js';\nexport const x = OtlpTracing;\n",
  ],
  'undici-has-its-places': [
    'src/scheduler/accept/fetcher.ts',
    "import { Agent } from 'undici';\nexport const x = Agent;\n",
  ],
  'product-imports-no-test': [
    'src/cli/switch.ts',
    "import { x } from '../../test/support/world.js';\nexport const y = x;\n",
  ],
  'the-publisher-bundles-what-is-pure': [
    'packages/publisher/src/heavy.ts',
    "import { x } from '../../../src/scheduler/store/send.store.js';\nexport const y = x;\n",
  ],
  'product-needs-no-dev-package': [
    'src/cli/guess.ts',
    "import { fc } from 'fast-check';\nexport const y = fc;\n",
  ],
  'the-dashboard-is-a-client': [
    'web/src/api/near.ts',
    "import { x } from '../../../src/push-contract/limits.js';\nexport const y = x;\n",
  ],
  'nobody-leans-on-the-dashboard': [
    'src/cli/leaning.ts',
    "import { x } from '../../web/src/api/client.js';\nexport const y = x;\n",
  ],
  'pages-are-strangers': [
    'web/src/pages/two/two-page.tsx',
    "import { z } from '../one/one-page.tsx';\nexport const y = z;\n",
  ],
  'parts-know-no-page': [
    'web/src/parts/knowing.tsx',
    "import { Link } from '@tanstack/react-router';\nexport const y = Link;\n",
  ],
  'the-api-knows-no-page': [
    'web/src/api/up.ts',
    "import { y } from '../parts/figure.tsx';\nexport const z = y;\n",
  ],
  'one-way-to-the-api': ['web/src/parts/asking.ts', 'export const y = () => fetch("/v1/status");\n'],
  'no-cycle': ['src/cli/ring.ts', "import { b } from './ring-b.js';\nexport const a: unknown = () => b;\n"],
  'no-dead-import': ['src/cli/dead.ts', "import { gone } from './gone.js';\nexport const y = gone;\n"],
  'the-clock-is-injected': ['src/scheduler/plan/now.ts', 'export const t = new Date();\n'],
  'env-is-read-once': ['src/scheduler/plan/env.ts', "export const t = process.env['HOME'];\n"],
  'pure-is-pure': ['src/push-contract/chance.ts', 'export const t = Math.random();\n'],
};
/** One file more than a folder may hold; specs do not count. */
const crowd = Object.fromEntries(
  Array.from({ length: 26 }, (_, i) => [`src/scheduler/crowd/file-${i}.ts`, exports]),
);
const ringBack = {
  'src/cli/ring-b.ts': "import { a } from './ring.js';\nexport const b: unknown = () => a;\n",
};

const trees: string[] = [];
let broken: Verdict;
let whole: Verdict;
let empty: Verdict;

beforeAll(async () => {
  const planted = Object.fromEntries(Object.values(breaches));
  trees.push(
    await plant({ ...lawful, ...planted, ...ringBack, ...crowd }),
    await plant(lawful),
    await plant({}),
  );
  [broken, whole, empty] = (await Promise.all(trees.map(check))) as [Verdict, Verdict, Verdict];
});
afterAll(async () => {
  await Promise.all(trees.map((tree) => rm(tree, { recursive: true })));
});

describe('the dependency check', () => {
  it.each(Object.keys(breaches))('names a breach of %s and its file', (rule) => {
    const [file = ''] = breaches[rule] ?? [];
    expect(broken.violations.filter((line) => line.startsWith(`${rule}: `)).join()).toContain(file);
  });

  it('names a folder that holds too many files', () => {
    expect(broken.violations).toContain('a-room-has-an-end: src/scheduler/crowd: 26 files, at most 25');
  });

  it('finds nothing beside what was planted, and fails', () => {
    const files = [
      ...Object.values(breaches).map(([file]) => file),
      ...Object.keys(ringBack),
      'src/scheduler/crowd:',
    ];
    expect(broken.violations.filter((line) => !files.some((file) => line.includes(`: ${file}`)))).toEqual([]);
    expect(broken.code).toBe(1);
  });

  it('lets what is lawful pass, and counts the files it read', () => {
    expect(whole).toEqual({
      code: 0,
      summary: `${Object.keys(lawful).length} modules checked, 0 violations`,
      violations: [],
    });
  });

  it('fails when it has read nothing', () => {
    expect(empty).toMatchObject({ code: 1, summary: '0 modules checked, 0 violations' });
  });

  it('has a rule tested for every rule there is', () => {
    const config: unknown = createRequire(import.meta.url)(join(projectRoot, '.dependency-cruiser.cjs'));
    const { forbidden } = z
      .object({ forbidden: z.array(z.object({ name: z.string() })).min(1) })
      .parse(config);
    const tested = Object.keys(breaches);
    expect(forbidden.map(({ name }) => name).filter((name) => !tested.includes(name))).toEqual([]);
  });
});

it('takes every package in one exact version, so that a new install is what was tested', async () => {
  const versions = z.record(z.string(), z.string());
  /** A package's own peer may be told to take our version of it. */
  const ours = z.record(z.string(), z.literal('$typescript'));
  const Manifest = z.object({
    dependencies: versions,
    devDependencies: versions,
    optionalDependencies: versions,
    overrides: z.record(z.string(), z.union([z.string(), ours])),
  });
  const manifest = Manifest.parse(JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')));
  const open = Object.values(manifest).flatMap((packages) =>
    Object.entries(packages).filter(
      ([, version]) => typeof version === 'string' && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    ),
  );
  expect(open).toEqual([]);
});
