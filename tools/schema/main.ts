// `npm run schema`: runs every migration in an empty PostgreSQL of its own and writes sql/<service>/schema.sql.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createDataSource, migrate } from '../../src/platform/database.js';
import { startPostgres } from '../postgres.js';
import { projectRoot, stateRoot } from '../project.js';
import { describeSchema, schemaText } from './describe-schema.js';
import { schemaFile, SERVICE_SCHEMAS } from './services.js';

const postgres = await startPostgres({ stateDir: join(stateRoot, 'schema'), durable: false });
try {
  for (const { service, schema, migrations } of SERVICE_SCHEMAS) {
    const url = await postgres.ensureDatabase(service);
    const source = createDataSource({ url, schema, migrations, poolSize: 2, applicationName: 'schema' });
    await source.initialize();
    try {
      await migrate(source);
      const file = schemaFile(service);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, schemaText(service, await describeSchema(source)));
      process.stdout.write(`wrote ${relative(projectRoot, file)}\n`);
    } finally {
      await source.destroy();
    }
  }
} finally {
  await postgres.remove();
}
