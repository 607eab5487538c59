// The role of analysts, made as deploy/sql/report-role.sql makes it, and a connection as that role.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { projectRoot } from '../../../tools/project.js';

/** Roles belong to the whole cluster, which specs share. */
const PASSWORD = 'report-of-the-specs';

const SCRIPT = readFileSync(join(projectRoot, 'deploy/sql/report-role.sql'), 'utf8');

/** Runs the script in the database, as its superuser, and lets the role log in. One spec file at a time may do so. */
export async function makeReportRole(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(SCRIPT);
    await client.query(`alter role carillon_report password '${PASSWORD}'`);
  } finally {
    await client.end();
  }
}

/** Connected as the role; the caller ends it. */
export async function asReportRole(url: string): Promise<Client> {
  const place = new URL(url);
  place.username = 'carillon_report';
  place.password = PASSWORD;
  const client = new Client({ connectionString: place.href });
  await client.connect();
  return client;
}
