// README, "Where a change goes": a state of a send is one entry of the lifecycle. With two more there, one ended and one open,
// and nothing else changed, everything compiles, and the schema, the arrows, the lists, the ledger and cancels know them.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../support/postgres/database.js';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { World } from '../support/scheduler/world.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LISTS = 'tools/schema/lifecycle-functions.ts';
const LIFECYCLE = 'src/scheduler/decide/lifecycle/send-state.ts';
const ARROW = "expired: 'expired', skipped: 'skipped' }";
const LAST = '  superseded: {';
const STATES = `  parked: { ended: true, published: true, attention: true, retryable: true, term: 'failed' },
  waiting: { takeBack: 'at-once', term: 'open', arrows: { 'taken-back': 'goal' } },
`;

let copy: string;
let database: TestDatabase;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'carillon-one-entry-'));
  database = await cloneDatabase();
  const parts = ['src', 'migrations', 'sql', LISTS, 'package.json', 'tsconfig.json'];
  for (const part of parts) await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(
    join(copy, 'tsconfig.build.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      include: ['src/scheduler', 'src/cli', 'migrations', LISTS],
      exclude: ['**/*.spec.ts'],
    }),
  );
  const path = join(copy, LIFECYCLE);
  const text = await readFile(path, 'utf8');
  if (text.split(ARROW).length !== 2 || text.split(LAST).length !== 2)
    throw new Error('the lifecycle reads otherwise');
  const arrow = ARROW.replace(' }', ", 'put-aside': 'parked', 'told-to-wait': 'waiting' }");
  await writeFile(path, text.replace(ARROW, arrow).replace(LAST, STATES + LAST));
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: copy,
  });
});
afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
  await database.drop();
});

const move = (state: string): string =>
  `update send set state = '${state}', changes = changes + 1, state_at = now(), state_by = 'spec' where id = $1`;

/** What a module of the changed copy prints; `database` and `print` are at hand. */
async function inTheCopy(imports: string, statements: string): Promise<unknown> {
  const text = `
    import { createDataSource } from './dist/src/platform/database/database.js';
    import { schedulerMigrations } from './dist/migrations/scheduler/index.js';
    ${imports}
    const database = createDataSource({ url: ${JSON.stringify(database.url)}, schema: 'scheduler', migrations: schedulerMigrations,
      poolSize: 2, applicationName: 'one entry' });
    const print = (value) => process.stdout.write(JSON.stringify(value));
    ${statements}
    await database.destroy();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text], { cwd: copy });
  return JSON.parse(stdout);
}

it('is known to the schema, its arrows, the lists and the ledger', async () => {
  // `npm run schema` begins with it.
  await inTheCopy(
    "import { writeLifecycleFunctions } from './dist/tools/schema/lifecycle-functions.js';",
    'writeLifecycleFunctions(); print(null);',
  );
  const migrated = await inTheCopy(
    "import { migrate } from './dist/src/platform/database/migrate-database.js';",
    "await database.query('drop schema scheduler cascade'); print(await migrate(database));",
  );
  expect(migrated).toHaveLength(schedulerMigrations.length);
  const world = await World.on(database.url);
  try {
    await world.project();
    const now = { created_at: new Date(), state_at: new Date() };
    const send = await world.send({ state: 'planned', columns: now });
    await world.dataSource.query(move('parked'), [send]);
    expect(await world.dataSource.query('select work, needs_attention from send')).toEqual([
      { work: null, needs_attention: true },
    ]);
    expect(await world.path(send)).toEqual(['planned>parked']);
    const refused = world.dataSource.query(move('sent'), [send]);
    await expect(refused).rejects.toThrow('parked');
    const open = await world.send({ state: 'planned', columns: now });
    await world.dataSource.query(move('waiting'), [open]);
    const { campaign } = await world.read(open);
    await inTheCopy(
      "import { askAct, workPage } from './dist/src/scheduler/store/send/act.store.js';",
      `const ask = { campaign: ${JSON.stringify(campaign)}, act: 'cancel', now: new Date(), by: 'spec', code: 'CANCEL_REQUESTED' };
       await database.transaction((sql) => askAct(sql, ask));
       print(await workPage(database, Date.now(), 100));`,
    );
    expect(await world.path(open)).toEqual(['planned>waiting', 'waiting>canceled']);
  } finally {
    await world.close();
  }
  const known = await inTheCopy(
    `import { readLedger } from './dist/src/scheduler/report/ledger/ledger.store.js';
     import { sendStates } from './dist/src/scheduler/store/read/send-filter.js';`,
    "const { planned } = await readLedger(database, {}, Date.now()); print([planned.right.failed, sendStates.parse('parked')]);",
  );
  expect(known).toEqual([1, ['parked']]);
});
