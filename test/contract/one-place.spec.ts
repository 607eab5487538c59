// README, "Where a change goes": a state of a send is one entry of the lifecycle. With one more there, and nothing else
// changed, everything compiles, and the schema, the arrows, the lists and the ledger know it.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { World } from '../integration/dispatch/world.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIFECYCLE = 'src/scheduler/decide/lifecycle/send-state.ts';
const ARROW = "expired: 'expired', skipped: 'skipped' }";
const LAST = '  superseded: {';
const STATE =
  "  parked: { ended: true, published: true, attention: true, retryable: true, term: 'failed' },\n";

let house: string;
let database: TestDatabase;

beforeAll(async () => {
  house = await mkdtemp(join(tmpdir(), 'carillon-one-place-'));
  database = await cloneDatabase();
  const parts = ['src', 'migrations', 'sql', 'package.json', 'tsconfig.json'];
  for (const part of parts) await cp(join(ROOT, part), join(house, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(house, 'node_modules'));
  await writeFile(
    join(house, 'tsconfig.build.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      include: ['src/scheduler', 'src/cli', 'migrations'],
      exclude: ['**/*.spec.ts'],
    }),
  );
  const path = join(house, LIFECYCLE);
  const text = await readFile(path, 'utf8');
  if (text.split(ARROW).length !== 2 || text.split(LAST).length !== 2)
    throw new Error('the lifecycle reads otherwise');
  const arrow = ARROW.replace(' }', ", 'put-aside': 'parked' }");
  await writeFile(path, text.replace(ARROW, arrow).replace(LAST, STATE + LAST));
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: house,
  });
});
afterAll(async () => {
  await rm(house, { recursive: true, force: true });
  await database.drop();
});

const move = (state: string): string =>
  `update send set state = '${state}', changes = changes + 1, state_at = now(), state_by = 'spec' where id = $1`;

/** What a module of the changed house prints; `database` and `print` are at hand. */
async function inTheHouse(imports: string, statements: string): Promise<unknown> {
  const text = `
    import { createDataSource } from './dist/src/platform/database/database.js';
    import { schedulerMigrations } from './dist/migrations/scheduler/index.js';
    ${imports}
    const database = createDataSource({ url: ${JSON.stringify(database.url)}, schema: 'scheduler', migrations: schedulerMigrations,
      poolSize: 2, applicationName: 'one place' });
    const print = (value) => process.stdout.write(JSON.stringify(value));
    ${statements}
    await database.destroy();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text], { cwd: house });
  return JSON.parse(stdout);
}

it('is known to the schema, its arrows, the lists and the ledger', async () => {
  const migrated = await inTheHouse(
    "import { migrate } from './dist/src/platform/database/migrate-database.js';",
    "await database.query('drop schema scheduler cascade'); print(await migrate(database));",
  );
  expect(migrated).toHaveLength(schedulerMigrations.length);
  const world = await World.on(database.url);
  try {
    await world.project();
    const send = await world.send({ state: 'planned' });
    await world.dataSource.query(move('parked'), [send]);
    expect(await world.dataSource.query('select work, needs_attention from send')).toEqual([
      { work: null, needs_attention: true },
    ]);
    expect(await world.path(send)).toEqual(['planned>parked']);
    const refused = world.dataSource.query(move('sent'), [send]);
    await expect(refused).rejects.toThrow('parked');
  } finally {
    await world.close();
  }
  const known = await inTheHouse(
    `import { readLedger } from './dist/src/scheduler/store/send/read/ledger.store.js';
     import { sendStates } from './dist/src/scheduler/store/send/read/send-filter.js';`,
    "const { planned } = await readLedger(database, {}, Date.now()); print([planned.right.failed, sendStates.parse('parked')]);",
  );
  expect(known).toEqual([1, ['parked']]);
});
