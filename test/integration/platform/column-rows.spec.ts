// Rows through a statement and back: whatever their values have in common, each keeps its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columnRows } from '../../../src/platform/database/column-rows.js';
import type { Column } from '../../../src/platform/database/column-text.js';
import { createDataSource, rowsOf } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';

interface Row {
  readonly place: number;
  readonly same: string | null;
  readonly document: unknown;
  readonly foreign: string | null;
  readonly at: number | null;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'place', type: 'int', of: (row) => row.place },
  { name: 'same', type: 'text', of: (row) => row.same },
  {
    name: 'document',
    type: 'jsonb',
    of: (row) => (row.document === null ? null : JSON.stringify(row.document)),
  },
  { name: 'foreign', type: 'text', of: (row) => row.foreign, foreign: true },
  { name: 'at', type: 'float8', of: (row) => row.at },
];
const names = COLUMNS.map(({ name }) => `"${name}"`).join(', ');

let database: TestDatabase;
let source: PooledDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  source = createDataSource({
    url: database.url,
    schema: 'public',
    migrations: [],
    poolSize: 1,
    applicationName: 'column rows',
  });
  await source.initialize();
});

afterAll(async () => {
  await source.destroy();
  await database.drop();
});

async function throughTheDatabase(rows: readonly Row[]): Promise<Row[]> {
  const columns = COLUMNS.map((column) => ({ ...column, name: `"${column.name}"` }));
  const { from, parameters } = columnRows(columns, rows);
  return rowsOf<Row>(source, `select ${names} from ${from} order by place`, parameters);
}

const rowsWith = (count: number, of: (place: number) => Omit<Row, 'place'>): Row[] =>
  Array.from({ length: count }, (_, place) => ({ place, ...of(place) }));

it.each([
  ['all alike', rowsWith(5, () => ({ same: 'x', document: { a: [1] }, foreign: 'y', at: 1.5 }))],
  ['a single one', rowsWith(1, () => ({ same: null, document: null, foreign: null, at: null }))],
  ['some documents again and again, null among them', rowsWith(200, documentOfThree)],
  [
    'a document of its own each',
    rowsWith(200, (place) => ({
      same: `${place}`,
      document: { place },
      foreign: `,"\u001F${place}`,
      at: place,
    })),
  ],
  ['alike but for one', rowsWith(9, (place) => ({ ...documentOfThree(0), same: place === 7 ? 'y' : null }))],
])('%s', async (_name, rows) => {
  expect(await throughTheDatabase(rows)).toEqual(rows);
});

function documentOfThree(place: number): Omit<Row, 'place'> {
  const document = [{ night: 'outside', at: null }, 'text', null][place % 3];
  return {
    same: 'all',
    document,
    foreign: place % 2 === 0 ? null : '{}',
    at: 1_795_880_100_000 + (place % 2),
  };
}

it('sends what repeats once', () => {
  const rows = rowsWith(200, documentOfThree);
  const { parameters } = columnRows(COLUMNS, rows);
  const [, same, documents, places] = parameters;
  expect(same).toBe('all');
  expect(String(documents).split('\u001F')).toHaveLength(3);
  expect(String(places).split('\u001F').slice(0, 4)).toEqual(['1', '2', '3', '1']);
});

it('refuses a value that would be split in two, alike or not', () => {
  const split = rowsWith(2, (place) => ({ ...documentOfThree(0), same: `${place}\u001F` }));
  expect(() => columnRows(COLUMNS, split)).toThrow(RangeError);
});
