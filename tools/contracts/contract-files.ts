// What `npm run schemas` writes, as text; a test compares the files with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { PublishedContracts } from '../../src/scheduler/documents/published.js';
import { KEPT as PUSH_KEPT } from '../../src/push-service/retention/kept.js';
import { CONTROLLERS } from '../../src/scheduler/stages.js';
import { KEPT } from '../../src/scheduler/store/kept.js';
import { projectRoot } from '../project.js';
import { FIELD_TABLES, fieldTable, optionTable } from './field-table.js';
import { keptTable } from './kept-table.js';

export const schemasFolder = join(projectRoot, 'schemas');
/** The types of the publisher package. */
export const typesFile = join(projectRoot, 'packages', 'publisher', 'src', 'contract.ts');
/** Where the dashboard keeps what it knows of the API. */
export const webApiFolder = join(projectRoot, 'web', 'src', 'api');
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

/** The pages with generated tables, each table by the words between its markers. */
export const PAGES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/use/campaign-events.md': {
    ...Object.fromEntries(
      Object.entries(FIELD_TABLES).map(([name, schema]) => [`fields of ${name}`, () => fieldTable(schema)]),
    ),
    'fields of option': optionTable,
  },
  'docs/operate/retention.md': {
    'tables of the scheduler': () => keptTable(KEPT),
    'tables of the push service': () => keptTable(PUSH_KEPT),
  },
};

/** A page with its generated tables as they would be now. */
export async function withTables(path: string): Promise<string> {
  let page = readFileSync(join(projectRoot, path), 'utf8');
  for (const [name, table] of Object.entries(PAGES[path] ?? {})) {
    const begin = `<!-- ${name}: npm run schemas -->`;
    const end = `<!-- end of ${name} -->`;
    const [before, rest] = page.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`${path} has no ${begin} … ${end}`);
    page = `${before}${begin}\n\n${table()}\n${end}${after}`;
  }
  return format(page, { parser: 'markdown', printWidth: 110 });
}
