// Both services' schemas with the migrations that make them: what tests are cloned from and schema.sql is written from.
import { join } from 'node:path';
import { pushServiceMigrations } from '../../migrations/push-service/index.js';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { projectRoot } from '../project.js';

export const SERVICE_SCHEMAS = [
  { service: 'scheduler', schema: 'scheduler', migrations: schedulerMigrations },
  { service: 'push-service', schema: 'push', migrations: pushServiceMigrations },
] as const;

export function schemaFile(service: string): string {
  return join(projectRoot, 'sql', service, 'schema.sql');
}
