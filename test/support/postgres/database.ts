// A database of its own for each spec file: a clone of the migrated template, in the one PostgreSQL of the run.
import { Client } from 'pg';
import { v7 } from 'uuid';
import { z } from 'zod';
import { askServer } from '../runner/ask-server.js';

export interface TestDatabase {
  url: string;
  /** Ends every connection to it and deletes it. */
  drop(): Promise<void>;
}

const Answer = z.object({ adminUrl: z.string(), template: z.string() });

/**
 * Clones the template with both services' schemas (`scheduler` and `push`); some 30 ms. Call it once a spec file. Its
 * tables lie in `tablespace`, where one is named.
 */
export async function cloneDatabase(tablespace = 'pg_default'): Promise<TestDatabase> {
  const { adminUrl, template } = Answer.parse(await askServer('postgres'));
  const name = `spec_${v7().replaceAll('-', '')}`;
  await asAdmin(
    adminUrl,
    `create database ${name} template ${template} tablespace ${tablespace} strategy file_copy`,
  );
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`).then(() => undefined),
  };
}

/** Runs a statement as the superuser, outside any transaction. */
export async function onCluster(statement: string): Promise<Record<string, unknown>[]> {
  const { adminUrl } = Answer.parse(await askServer('postgres'));
  return asAdmin(adminUrl, statement);
}

async function asAdmin(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
