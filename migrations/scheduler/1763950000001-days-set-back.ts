import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** A clock that is set back while days are being dropped finds its day made anew, and a day is carried once the one before is off. */
export class DaysSetBack1763950000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('shared'), ['add_day_partition']);
    await installFunctions(runner, functionsOf('scheduler'), ['carry_day']);
  }

  /** What was installed before may do the same. */
  async down(): Promise<void> {}
}
