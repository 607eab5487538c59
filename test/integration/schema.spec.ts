// sql/<service>/schema.sql is what the migrations make, so that a change of the schema is seen as one.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIFECYCLE_FUNCTIONS } from '../../tools/schema/lifecycle-functions.js';
import { functionsOf } from '../../migrations/install-functions.js';
import { createDataSource } from '../../src/platform/database/database.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { describeSchema, PRINTED_BY, schemaText } from '../../tools/schema/describe-schema.js';
import { schemaFile, SERVICE_SCHEMAS } from '../../tools/schema/services.js';
import { cloneDatabase, type TestDatabase } from '../support/postgres/database.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

async function inSchema<Result>(
  schema: string,
  work: (source: PooledDatabase) => Promise<Result>,
): Promise<Result> {
  const source = createDataSource({
    url: database.url,
    schema,
    migrations: [],
    poolSize: 1,
    applicationName: 'schema',
  });
  await source.initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

describe.each(SERVICE_SCHEMAS)('the schema of $service', ({ service, schema }) => {
  it('is what schema.sql says', (context) =>
    inSchema(schema, async (source) => {
      const [server] = await source.query<{ version: number }>(
        `select current_setting('server_version_num')::int / 10000 as version`,
      );
      context.skip(
        server?.version !== PRINTED_BY,
        `PostgreSQL ${server?.version} prints in words of its own`,
      );
      const made = schemaText(service, await describeSchema(source));
      expect(made, `sql/${service}/schema.sql is not what the migrations make: npm run schema`).toBe(
        readFileSync(schemaFile(service), 'utf8'),
      );
    }));
});

it('the functions that list states are as the lifecycle has them', () => {
  for (const [name, text] of LIFECYCLE_FUNCTIONS)
    expect(readFileSync(join(functionsOf('scheduler'), `${name}.sql`), 'utf8'), 'npm run schema').toBe(text);
});

it.each(SERVICE_SCHEMAS)(
  'each function of $service stands in a file of its own',
  async ({ service, schema }) => {
    const parts = await inSchema(schema, describeSchema);
    const names = new Set(parts.filter(({ kind }) => kind === 'function').map(({ name }) => name));
    const files = [functionsOf('shared'), functionsOf(service)].flatMap((folder) =>
      readdirSync(folder).map((file) => basename(file, '.sql')),
    );
    expect(files.sort()).toEqual([...names].sort());
  },
);

/**
 * Called alone, in a statement that reads nothing else. They may wait for a day that is carried, and must see what was carried:
 * a volatile function takes its snapshot after its locks.
 */
const READ_ALONE = ['read_outcomes', 'sum_newest_sends', 'work_due'];

/** Writes by another function, take_back_sends. */
const WRITE_BY_OTHERS = ['take_back_page'];

// A volatile function reads in a later snapshot than the statement that calls it: what that statement reads beside it is of
// another moment.
it.each(SERVICE_SCHEMAS)('each function of $service that only reads is stable', async ({ schema }) => {
  const found = await inSchema(schema, (source) =>
    source.query<{ name: string }>(
      `select p.proname as name from pg_proc p
        where p.pronamespace = current_schema()::regnamespace and p.provolatile = 'v' and p.prorettype <> 'trigger'::regtype
          and p.prosrc !~* '\\m(insert into|update|delete from|nextval|execute|raise)\\M' and p.proname <> all($1)
        order by p.proname`,
      [WRITE_BY_OTHERS],
    ),
  );
  expect(found.map(({ name }) => name)).toEqual(schema === 'scheduler' ? READ_ALONE : []);
});

describe('a schema as it is told', () => {
  const PLACE = 'told';

  async function told(...statements: string[]): Promise<string> {
    return inSchema(PLACE, async (source) => {
      await source.query(`drop schema if exists ${PLACE} cascade; create schema ${PLACE}`);
      for (const statement of statements) await source.query(statement);
      return (await describeSchema(source)).map(({ text }) => text).join('\n\n');
    });
  }

  it('has a table with its keys, indexes, triggers and comments in one place', async () => {
    const text = await told(
      'CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ begin return new; end $$',
      `CREATE TABLE item (
         key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "order" text COLLATE "C" DEFAULT 'a' NOT NULL,
         parts text[] STORAGE EXTERNAL, half integer GENERATED ALWAYS AS (1 + 1) STORED,
         of_item bigint REFERENCES item ON DELETE CASCADE, CONSTRAINT item_order CHECK ("order" <> '')
       ) WITH (fillfactor = 50)`,
      'CREATE INDEX item_of ON item (of_item) WHERE half > 1',
      'CREATE TRIGGER item_kept BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION keep()',
      `COMMENT ON COLUMN item.parts IS 'It''s in parts'`,
      `COMMENT ON INDEX item_of IS 'the walk'`,
    );
    expect(text).toBe(`CREATE TABLE item (
  key      bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  "order"  text COLLATE "C" DEFAULT 'a'::text NOT NULL,
  parts    text[] STORAGE EXTERNAL,
  half     integer GENERATED ALWAYS AS (1 + 1) STORED,
  of_item  bigint,
  CONSTRAINT item_pkey PRIMARY KEY (key),
  CONSTRAINT item_of_item_fkey FOREIGN KEY (of_item) REFERENCES item(key) ON DELETE CASCADE,
  CONSTRAINT item_order CHECK ("order" <> ''::text)
) WITH (fillfactor=50);
CREATE INDEX item_of ON item USING btree (of_item) WHERE half > 1;
CREATE TRIGGER item_kept BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION keep();
COMMENT ON COLUMN told.item.parts IS 'It''s in parts';
COMMENT ON INDEX told.item_of IS 'the walk';

CREATE OR REPLACE FUNCTION told.keep()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin return new; end $function$;`);
  });

  it('has no partition', async () => {
    const text = await told(
      'CREATE TABLE mark (at date PRIMARY KEY) PARTITION BY RANGE (at)',
      'CREATE INDEX mark_year ON mark (extract(year FROM at))',
      `CREATE TABLE mark_day PARTITION OF mark FOR VALUES FROM ('2026-01-01') TO ('2026-01-02')`,
      'CREATE INDEX mark_day_own ON mark_day (at DESC)',
    );
    expect(text).toBe(`CREATE TABLE mark (
  at  date NOT NULL,
  CONSTRAINT mark_pkey PRIMARY KEY (at)
) PARTITION BY RANGE (at);
CREATE INDEX mark_year ON mark USING btree (EXTRACT(year FROM at));`);
  });

  it('has sequences and views', async () => {
    const text = await told(
      'CREATE SEQUENCE count_of CACHE 5',
      'CREATE VIEW one WITH (security_barrier) AS SELECT 1 AS one',
    );
    expect(text)
      .toBe(`CREATE SEQUENCE count_of AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 5;

CREATE VIEW one WITH (security_barrier=true) AS
 SELECT 1 AS one;`);
  });

  it.each([
    ['a type', `CREATE TYPE colour AS ENUM ('red')`, 'type colour'],
    [
      'statistics',
      'CREATE TABLE t (a int, b int); CREATE STATISTICS both_of (mcv) ON a, b FROM t',
      'statistics both_of',
    ],
    [
      'a table that guards its rows',
      'CREATE TABLE t (a int); ALTER TABLE t ENABLE ROW LEVEL SECURITY',
      't (relkind r)',
    ],
    [
      'a column of its own settings',
      'CREATE TABLE t (a int); ALTER TABLE t ALTER a SET STATISTICS 5',
      'settings of column t.a',
    ],
  ])('refuses %s, which it could not tell', async (_, statement, name) => {
    await expect(told(statement)).rejects.toThrow(`tools/schema/ cannot describe: ${name}`);
  });
});
