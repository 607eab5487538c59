// Rows through a statement and back: whatever their values have in common, each keeps its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columnsOf, packedRows, typedRows } from '../../../src/platform/database/row-arrays.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';

interface Row {
  readonly place: number;
  readonly same: string | null;
  readonly document: unknown;
  readonly someNames: readonly string[] | null;
  readonly bytes: Buffer | null;
  readonly at: Date | null;
}

const COLUMNS = 'place int, same text, document jsonb, some_names text[], bytes bytea, at timestamptz';
const NAMES = 'place, same, document, some_names as "someNames", bytes, at';
/** All that an array's text gives a meaning to, and what looks like a null. */
const ODD = '{"a,b"}, \\x NULL \u001F\n\'';

let database: TestDatabase;
let source: PooledDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  source = createDataSource({
    url: database.url,
    schema: 'public',
    migrations: [],
    poolSize: 1,
    applicationName: 'columns',
  });
  await source.initialize();
});

afterAll(async () => {
  await source.destroy();
  await database.drop();
});

async function throughTheDatabase(rows: readonly Row[]): Promise<Row[]> {
  const { from, parameters } = packedRows(COLUMNS, rows);
  return source.query<Row>(`select ${NAMES} from ${from} as r order by place`, parameters);
}

const NOTHING = { same: null, document: null, someNames: null, bytes: null, at: null };

const rowsWith = (count: number, of: (place: number) => Omit<Row, 'place'>): Row[] =>
  Array.from({ length: count }, (_, place) => ({ place, ...of(place) }));

it.each([
  [
    'all alike',
    rowsWith(5, () => ({ ...NOTHING, same: ODD, document: { a: [ODD] }, someNames: ['y', ODD] })),
  ],
  ['a single one', rowsWith(1, () => NOTHING)],
  ['some documents again and again, null among them', rowsWith(200, documentOfThree)],
  [
    'a document of its own each',
    rowsWith(200, (place) => ({
      same: `${ODD}${place}`,
      document: { [ODD]: place },
      someNames: place % 2 === 0 ? [] : [ODD, `${place}`],
      bytes: Buffer.from([0, place, 92]),
      at: new Date(place),
    })),
  ],
  [
    'alike but for one',
    rowsWith(9, (place) => ({ ...documentOfThree(0), same: place === 7 ? 'NULL' : null })),
  ],
])('%s', async (_name, rows) => {
  expect(await throughTheDatabase(rows)).toEqual(rows);
});

it('hands a function the same rows in one argument, an instant in milliseconds too', async () => {
  const rows = [
    { from: ODD, nextAt: 1_795_880_100_000, isIt: true },
    { from: null, nextAt: null, isIt: null },
  ];
  const columns = 'from text, next_at timestamptz, is_it boolean';
  const back = '"from", extract(epoch from next_at)::float8 * 1000 as "nextAt", is_it as "isIt"';
  const { from, parametersOf } = columnsOf<(typeof rows)[number]>(columns);
  expect(await source.query(`select ${back} from ${from} as r`, parametersOf(rows))).toEqual(rows);
  const given = typedRows<(typeof rows)[number]>('given_row', columns);
  await source.query(given.createType);
  await source.query(
    `create function those(given given_row[], more int) returns setof given_row language sql
       as $$ select * from unnest(given) limit more $$`,
  );
  const text = `select ${back} from ${given.callOf('those', 1)}`;
  expect(await source.query(text, [...given.parametersOf(rows), 2])).toEqual(rows);
  expect(await source.query(text, [...given.parametersOf(rows), 1])).toEqual(rows.slice(0, 1));
  expect(await source.query(text, [...given.parametersOf([]), 1])).toEqual([]);
});

function documentOfThree(place: number): Omit<Row, 'place'> {
  const document = [{ night: 'outside', at: null }, 'text', null][place % 3];
  return { ...NOTHING, same: 'all', document, at: new Date(1_795_880_100_000 + (place % 2)) };
}

it('sends what repeats once', () => {
  const { parameters } = packedRows(COLUMNS, rowsWith(200, documentOfThree));
  const [, same, documents, places] = parameters;
  expect(same).toBe('all');
  expect(documents).toBe(String.raw`{"{\"night\":\"outside\",\"at\":null}","\"text\"",NULL}`);
  expect(String(places)).toMatch(/^\{1,2,3,1,/);
});

it('refuses a row that lacks a column', () => {
  expect(() => packedRows('place int, at timestamptz', [{ place: 1 }])).toThrow(RangeError);
});
