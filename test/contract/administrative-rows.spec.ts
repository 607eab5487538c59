// The types of administrative rows come from the schemas of the APIs' answers. This spec compares each with its table: every member
// has a column of its type and nullability, and every column has a member, unless it is named as one that no answer shows.
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { MANAGEMENT_ANSWERS } from '../../src/push-service/management/management-answers.js';
import { TokenView } from '../../src/scheduler/admin/tokens/change-token.js';
import { ProjectView } from '../../src/scheduler/admin/projects/project-write.store.js';
import { ProjectSettings } from '../../src/scheduler/store/project.store.js';
import { cloneDatabase, type TestDatabase } from '../support/postgres/database.js';

type Rows = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

const answered = (route: string): Rows => {
  const answer = MANAGEMENT_ANSWERS.get(route);
  return (answer instanceof z.ZodArray ? answer.element : answer) as Rows;
};

/** The bounds of a project's settings, each with its column's name: an answer has them as one object. */
const BOUNDS = Object.fromEntries(
  Object.entries(ProjectView.shape.bounds.shape).map(([name, schema]) => [
    `bound${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    schema,
  ]),
);

interface Held {
  readonly table: string;
  readonly rows: Rows;
  /** Members that have their column under another name. */
  readonly named?: Readonly<Record<string, string>>;
  /** Columns that no answer shows. */
  readonly hidden: readonly string[];
}

const HELD: readonly Held[] = [
  {
    table: 'scheduler.project',
    rows: ProjectSettings.extend(
      ProjectView.pick({ recalled: true, createdAt: true, updatedAt: true }).shape,
    ).extend(BOUNDS),
    hidden: [
      'api_key_sealed',
      'keys_since',
      'blocked_until',
      'blocked_code',
      'blocked_detail',
      'blocked_since',
      'blocked_by',
    ],
  },
  {
    table: 'scheduler.project_key',
    rows: ProjectView.shape.keys.unwrap().element,
    hidden: ['id', 'service_id', 'secret_sealed'],
  },
  { table: 'scheduler.api_token', rows: TokenView, hidden: ['hash', 'name_freed'] },
  {
    table: 'push.service',
    rows: answered('GET /v1/services'),
    named: { serviceId: 'id' },
    hidden: ['removed_at'],
  },
  {
    table: 'push.access_key',
    rows: answered('GET /v1/accounts/{accountId}/access-keys'),
    hidden: ['position', 'secret_sealed'],
  },
  {
    table: 'push.api_key',
    rows: answered('GET /v1/services/{serviceId}/api-keys'),
    hidden: ['service_id', 'hash'],
  },
  {
    table: 'push.provider_credential',
    rows: answered('GET /v1/services/{serviceId}/credentials'),
    named: { faultAt: 'fault_since' },
    hidden: ['id', 'service_id', 'secret_sealed'],
  },
];

/** How an answer shows a column of each type: JSON Schema's type, and its format where the answer has an instant. */
const ANSWERED_AS: Readonly<Record<string, string>> = {
  text: 'string',
  uuid: 'string uuid',
  'timestamp with time zone': 'string date-time',
  integer: 'number',
  smallint: 'number',
  bigint: 'number',
  boolean: 'boolean',
  jsonb: 'object',
  'text[]': 'array',
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await cloneDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function columnsOf(table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  return rows;
}

interface JsonType {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly anyOf?: readonly JsonType[];
}

/** A member as a column: its type in the answer, and whether it may be null. */
function shapeOf(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonType;
  const forms = (json.anyOf ?? [json]).flatMap(({ type = '', format }) =>
    [type].flat().map((one) => ({ kind: one === 'integer' ? 'number' : one, format })),
  );
  const kinds = forms.map(({ kind, format }) => (format === undefined ? kind : `${kind} ${format}`));
  return kinds.toSorted((a, b) => Number(a === 'null') - Number(b === 'null')).join(' or ');
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

it.each(HELD)('each row of $table is what its table holds', async ({ table, rows, named = {}, hidden }) => {
  const members = Object.entries(rows.shape).map(([name, schema]) => [
    named[name] ?? snakeCase(name),
    shapeOf(schema),
  ]);
  const columns = (await columnsOf(table)).filter(({ name }) => !hidden.includes(name));
  const held = columns.map(({ name, type, nullable }) => [
    name,
    `${ANSWERED_AS[type] ?? type}${nullable ? ' or null' : ''}`,
  ]);
  expect(Object.fromEntries(members)).toEqual(Object.fromEntries(held));
});

it('finds a column that was added, narrowed or renamed', async () => {
  await client.query(`alter table push.api_key add column note text, alter column active drop not null`);
  const names = (await columnsOf('push.api_key')).filter(({ nullable }) => nullable).map(({ name }) => name);
  expect(names).toEqual(['active', 'note']);
});
