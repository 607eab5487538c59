// Every migration of the scheduler's schema, oldest first. Listed by hand: a glob would load .ts files natively.
import type { MigrationInterface } from 'typeorm';
import { Baseline1763700000001 } from './1763700000001-baseline.js';

export const schedulerMigrations: readonly (new () => MigrationInterface)[] = [Baseline1763700000001];
