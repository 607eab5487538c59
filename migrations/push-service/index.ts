// Every migration of the push service's schema, oldest first. Listed by hand: a glob would load .ts files natively.
import type { MigrationInterface } from 'typeorm';
import { Baseline1763700100001 } from './1763700100001-baseline.js';

export const pushServiceMigrations: readonly (new () => MigrationInterface)[] = [Baseline1763700100001];
