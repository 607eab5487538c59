// `npm run schema`: writes the functions that list states, then runs every migration in an empty PostgreSQL of its own and writes
// sql/<service>/schema.sql.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { startPostgres } from '../postgres.js';
import { projectRoot, stateRoot } from '../project.js';
import { describeSchema, schemaText } from './describe-schema.js';
import { writeLifecycleFunctions } from './lifecycle-functions.js';
import { schemaFile, SERVICE_SCHEMAS, withMigrated } from './services.js';

writeLifecycleFunctions();
const postgres = await startPostgres({ stateDir: join(stateRoot, 'schema'), durable: false });
try {
  for (const one of SERVICE_SCHEMAS) {
    const url = await postgres.ensureDatabase(one.service);
    const file = schemaFile(one.service);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, schemaText(one.service, await withMigrated(url, one, describeSchema)));
    process.stdout.write(`wrote ${relative(projectRoot, file)}\n`);
  }
} finally {
  await postgres.remove();
}
