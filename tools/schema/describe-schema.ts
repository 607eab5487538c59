// A schema as a person reads it, from the catalogue of a migrated database: pg_dump does not come with the embedded
// PostgreSQL, and takes a table's keys and indexes apart. Changes nothing.
import type { Sql } from '../../src/platform/database/database.js';
import { FOLLOWERS, FUNCTIONS, MEMBERS, RELATIONS, UNKNOWN } from './catalogue.js';

export interface SchemaItem {
  readonly kind: 'sequence' | 'type' | 'table' | 'view' | 'function';
  readonly name: string;
  /** Its statements, without a newline at the end; a table with its indexes, triggers and comments. */
  readonly text: string;
}

/** Its first number is what schema.sql is written with: another major version prints some expressions otherwise. */
export const PRINTED_BY = 18;

interface Relation {
  readonly oid: number;
  readonly name: string;
  readonly kind: 'c' | 'r' | 'p' | 'v' | 'S';
  readonly head: string;
  readonly tail: string;
}

interface Member {
  readonly relation: number;
  /** Of a column. */
  readonly column: string | null;
  readonly text: string;
}

interface Follower {
  readonly relation: number;
  readonly text: string;
}

/**
 * Everything in the connection's schema, sequences, types, tables, views and functions each in order of their names. Throws
 * when there is something that it cannot describe. The connection's search path holds that schema alone.
 */
export async function describeSchema(sql: Sql): Promise<SchemaItem[]> {
  const unknown = await sql.query<{ what: string }>(UNKNOWN);
  if (unknown.length > 0) {
    throw new Error(`tools/schema/ cannot describe: ${unknown.map(({ what }) => what).join(', ')}`);
  }
  const relations = await sql.query<Relation>(RELATIONS);
  const oids = relations.map(({ oid }) => oid);
  const members = await sql.query<Member>(MEMBERS, [oids]);
  const followers = await sql.query<Follower>(FOLLOWERS, [oids]);
  const textOf = (relation: Relation): string => {
    const ours = ({ relation: of }: Member | Follower): boolean => of === relation.oid;
    return [
      statementOf(relation, members.filter(ours)),
      ...followers.filter(ours).map(({ text }) => `${text};`),
    ].join('\n');
  };
  const of = (kind: SchemaItem['kind'], kinds: readonly Relation['kind'][]): SchemaItem[] =>
    relations
      .filter((relation) => kinds.includes(relation.kind))
      .map((relation) => ({ kind, name: relation.name, text: textOf(relation) }));
  const functions = await sql.query<{ name: string; text: string }>(FUNCTIONS);
  return [
    ...of('sequence', ['S']),
    ...of('type', ['c']),
    ...of('table', ['r', 'p']),
    ...of('view', ['v']),
    ...functions.map((each) => ({ kind: 'function', ...each }) as const),
  ];
}

/** schema.sql of that service. */
export function schemaText(service: string, items: readonly SchemaItem[]): string {
  const head = `-- The schema of ${service}, written from the catalogue by \`npm run schema\`: to be read, not run. Why a column is there
-- stands in the migrations. Partitions are left out: they come and go with the days.`;
  return `${[head, ...items.map(({ text }) => text)].join('\n\n')}\n`;
}

function statementOf({ head, tail, kind }: Relation, members: readonly Member[]): string {
  if (kind === 'v' || kind === 'S') return head;
  const width = Math.max(0, ...members.map(({ column }) => column?.length ?? 0));
  const lines = members.map(({ column, text }) =>
    column === null ? `  ${text}` : `  ${column.padEnd(width)}  ${text}`,
  );
  const brackets = lines.length === 0 ? ' ()' : ` (\n${lines.join(',\n')}\n)`;
  return `${head}${brackets}${tail};`;
}
