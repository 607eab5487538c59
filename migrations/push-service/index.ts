// Every migration of the push service's schema, oldest first. Listed by hand: a glob would load .ts files natively.
import type { MigrationInterface } from 'typeorm';

export const pushServiceMigrations: readonly (new () => MigrationInterface)[] = [];
