// A database of its own for each spec file: a clone of the migrated template, in the one PostgreSQL of the run.
import { Client } from 'pg';
import { v7 } from 'uuid';
import { z } from 'zod';
import { askPart } from './ask-part.js';

export interface TestDatabase {
  url: string;
  /** Ends every connection to it and deletes it. */
  drop(): Promise<void>;
}

const Answer = z.object({ adminUrl: z.string(), template: z.string() });

/** Clones the template with both services' schemas (`scheduler` and `push`); some 30 ms. Call it once a spec file. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = Answer.parse(await askPart('postgres'));
  const name = `spec_${v7().replaceAll('-', '')}`;
  await asAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
