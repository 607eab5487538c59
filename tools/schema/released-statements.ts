// sql/<service>/released.sql: every statement that the services of the last release send, with its types as PostgreSQL
// infers them. Old replicas go on sending them while the schema is another's, so each must still mean the same.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { byText } from '../../src/platform/compare-texts.js';
import type { Sql } from '../../src/platform/database/database.js';
import { projectRoot } from '../project.js';

/** A statement as it was seen on its way. */
export interface SentStatement {
  readonly schema: string;
  /** What sends it, from the project's folder. */
  readonly file: string;
  readonly text: string;
}

export interface ReleasedStatement {
  readonly file: string;
  /** `(parameters) -> (results)`. */
  readonly types: string;
  readonly text: string;
}

/** What PREPARE takes; BEGIN, SET or LISTEN hang on no schema. */
const PREPARABLE = /^(?:\s|--[^\n]*\n)*(?:select|insert|update|delete|with|merge|values)\b/i;

export function isPreparable(text: string): boolean {
  return PREPARABLE.test(text);
}

/** A partition of a day is in a schema for a while only: in its place the one of what is from before all days. */
export function withoutDays(text: string): string {
  return text.replaceAll(/_\d{4}_\d{2}_\d{2}\b/g, '_old');
}

export function releasedFile(service: string): string {
  return join(projectRoot, 'sql', service, 'released.sql');
}

/** Its types in today's schema; throws what PostgreSQL says of a statement that it cannot prepare. */
export async function typesOf(sql: Sql, text: string): Promise<string> {
  await sql.query(`prepare released as ${text}`);
  try {
    const [types] = await sql.query<{ parameters: string; results: string }>(
      `select array_to_string(parameter_types::text[], ', ') as parameters,
              coalesce(array_to_string(result_types::text[], ', '), '') as results
         from pg_prepared_statements where name = 'released'`,
    );
    return `(${types?.parameters}) -> (${types?.results})`;
  } finally {
    await sql.query('deallocate released');
  }
}

const HEAD = `-- Every statement that %s sends, as of the last release, each below the file that sends it and its types:
-- (parameters) -> (columns of the answer). Written by \`npm run released\` at a release, and at no other time: a change of the
-- schema must leave them as they are (CONTRIBUTING.md, "Upgrades"). Read by test/integration/upgrades.spec.ts.
`;
const TITLE = /^-- (src\/\S+) (\(.*\) -> \(.*\))$/m;
const END = '\n;\n';

export function releasedText(service: string, statements: readonly ReleasedStatement[]): string {
  const sorted = [...statements].sort((a, b) => byText(a.file, b.file) || byText(a.text, b.text));
  const blocks = sorted.map(({ file, types, text }) => `-- ${file} ${types}\n${text.trim()}${END}`);
  return [HEAD.replace('%s', service), ...blocks].join('\n');
}

export function readReleased(service: string): ReleasedStatement[] {
  const [, ...parts] = readFileSync(releasedFile(service), 'utf8').split(TITLE);
  return Array.from({ length: parts.length / 3 }, (_, at) => {
    const [file = '', types = '', body = ''] = parts.slice(3 * at, 3 * at + 3);
    return { file, types, text: body.slice(0, body.lastIndexOf(END)).trim() };
  });
}

/** What an old replica would meet in this schema, as sentences; none is right. */
export async function brokenBy(sql: Sql, statements: readonly ReleasedStatement[]): Promise<string[]> {
  const broken: string[] = [];
  for (const { file, types, text } of statements) {
    const found = await typesOf(sql, text).catch((error: Error) => error.message);
    if (found !== types) broken.push(`${file}: ${types} is now ${found}, of ${text}`);
  }
  return broken;
}
