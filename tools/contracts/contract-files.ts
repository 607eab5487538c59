// What `npm run schemas` writes, as text; a test compares the files with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { PublishedContracts } from '../../src/scheduler/documents/published.js';
import { CONTROLLERS } from '../../src/scheduler/stages.js';
import { projectRoot } from '../project.js';
import { FIELD_TABLES, fieldTable, optionTable } from './field-table.js';

export const schemasFolder = join(projectRoot, 'schemas');
export const docsPage = join(projectRoot, 'docs', 'use', 'campaign-events.md');
/** The types of the publisher package. */
export const typesFile = join(projectRoot, 'packages', 'publisher', 'src', 'contract.ts');
/** All files as they were promised last: what compatibility.ts compares with. */
export const RELEASED = 'released.json';

export function contracts(): PublishedContracts {
  return new PublishedContracts(() => CONTROLLERS);
}

/** Name → text. */
export function contractFiles(): ReadonlyMap<string, string> {
  const all = contracts();
  return new Map(all.names.map((name) => [name, `${JSON.stringify(all.read(name), null, 2)}\n`]));
}

export function releasedText(): string {
  const all = contracts();
  return `${JSON.stringify(Object.fromEntries(all.names.map((name) => [name, all.read(name)])))}\n`;
}

/** The page with its generated tables as they would be now. */
export async function withTables(): Promise<string> {
  let page = readFileSync(docsPage, 'utf8');
  const tables = Object.entries(FIELD_TABLES).map(([name, schema]) => [name, fieldTable(schema)] as const);
  for (const [name, table] of [...tables, ['option', optionTable()] as const]) {
    const begin = `<!-- fields of ${name}: npm run schemas -->`;
    const end = `<!-- end of fields of ${name} -->`;
    const [before, rest] = page.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`${docsPage} has no ${begin} … ${end}`);
    page = `${before}${begin}\n\n${table}\n${end}${after}`;
  }
  return format(page, { parser: 'markdown', printWidth: 110 });
}
