// `npm run released`: writes sql/<service>/released.sql from the statements that a whole run of the tests was seen to send
// (CARILLON_TEST_STATEMENTS). What is never sent there is not in it, and is named.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { byText } from '../../src/platform/compare-texts.js';
import { startPostgres } from '../postgres.js';
import { projectRoot, stateRoot } from '../project.js';
import {
  isPreparable,
  releasedFile,
  releasedText,
  typesOf,
  withoutDays,
  type ReleasedStatement,
  type SentStatement,
} from './released-statements.js';
import { SERVICE_SCHEMAS, withMigrated } from './services.js';

const folder = join(stateRoot, 'statements');
const sent = seenStatements();
const unseen = filesThatSend().filter((file) => !sent.some((one) => one.file === file));

/** Statements that today's schema refuses: of specs that provoke it. */
const refused: string[] = [];

const postgres = await startPostgres({ stateDir: join(stateRoot, 'released'), durable: false });
try {
  for (const one of SERVICE_SCHEMAS) {
    const url = await postgres.ensureDatabase(one.service);
    const ours = sent
      .filter(({ schema, text }) => schema === one.schema && isPreparable(text))
      .map((statement) => ({ ...statement, text: withoutDays(statement.text) }));
    const statements = await withMigrated(url, one, async (sql) => {
      const typed = new Map<string, ReleasedStatement>();
      for (const { file, text } of ours) {
        if (typed.has(formOf(text))) continue;
        const types = await typesOf(sql, text).catch((error: Error) => {
          refused.push(`${file} (${error.message}): ${text.slice(0, 60)}`);
        });
        if (types !== undefined) typed.set(formOf(text), { file, text, types });
      }
      return [...typed.values()];
    });
    const file = releasedFile(one.service);
    writeFileSync(file, releasedText(one.service, statements));
    process.stdout.write(`wrote ${statements.length} statements to ${relative(projectRoot, file)}\n`);
  }
} finally {
  await postgres.remove();
}
if (refused.length > 0) process.stdout.write(`left out, refused already:\n  ${refused.join('\n  ')}\n`);
if (unseen.length > 0) process.stdout.write(`never seen to send anything: ${unseen.join(', ')}\n`);

/** What rows are inserted by differs by which columns are alike in all of them (row-arrays.ts): one form of each will do. */
function formOf(text: string): string {
  return /^insert into \S+ \("[^)]*\)/.exec(text)?.[0] ?? text;
}

/** In the order of their files, so that one of two files is always named for a text that both send. */
function seenStatements(): SentStatement[] {
  if (!existsSync(folder)) {
    throw new Error(
      'no statements are there: first run CARILLON_TEST_STATEMENTS=.carillon/statements npm test',
    );
  }
  return readdirSync(folder)
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as SentStatement[])
    .sort((a, b) => byText(a.file, b.file));
}

/** Every file of src/ that holds the call of a statement. */
function filesThatSend(): string[] {
  return readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join('src', name))
    .filter((file) =>
      /\b(?:sql|database|dataSource)\.query\b|\b(?:firstRow|anyRow)[<(]/.test(
        readFileSync(join(projectRoot, file), 'utf8'),
      ),
    )
    .filter((file) => !file.startsWith(join('src', 'platform', 'database')));
}
