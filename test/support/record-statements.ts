// A setup file of Vitest, where CARILLON_TEST_STATEMENTS names a folder: writes down each statement that the services' own
// code sends while a spec runs, and the file that sends it. `npm run released` makes sql/<service>/released.sql of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { v7 } from 'uuid';
import { afterAll } from 'vitest';
import { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { projectRoot } from '../../tools/project.js';
import type { SentStatement } from '../../tools/schema/released-statements.js';

const sent = new Map<string, SentStatement>();

/** Of the first frame that is not the database's own: what a spec sends itself is no business of a release's. */
const CALLER = /(\/src\/(?!platform\/database\/)[\w./-]+\.ts|\/(?:test|tools|migrations|bench)\/)/;

function note(schema: string, text: string): void {
  const frames = (new Error('where').stack ?? '')
    .split('\n')
    .filter((frame) => !frame.includes(import.meta.filename));
  const caller = frames.map((frame) => CALLER.exec(frame)?.[1]).find((file) => file !== undefined);
  if (caller === undefined || !caller.startsWith('/src/') || caller.endsWith('.spec.ts')) return;
  const file = relative('/', caller);
  sent.set(`${schema} ${text}`, { schema, file, text });
}

// Each is called with the database that it was taken from.
// oxlint-disable-next-line typescript/unbound-method
const { query, transaction } = PooledDatabase.prototype;
PooledDatabase.prototype.query = function (this: PooledDatabase, text, ...rest) {
  note(this.options.schema, text);
  return query.call(this, text, ...rest) as never;
};
PooledDatabase.prototype.transaction = function (this: PooledDatabase, work, begin) {
  const { schema } = this.options;
  return transaction.call(
    this,
    (sql) =>
      work({
        query: (text, ...rest) => {
          note(schema, text);
          return sql.query(text, ...rest);
        },
      }),
    begin,
  ) as never;
};

afterAll(() => {
  const folder = resolve(projectRoot, process.env['CARILLON_TEST_STATEMENTS'] ?? '');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${v7()}.json`), JSON.stringify([...sent.values()]));
});
