import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/**
 * Functions that only read see what the statement sees that calls them: so no event is rolled up without its send. And a fire
 * waits for no row of a lower id than one that it has locked: so two of them never deadlock.
 */
export class StableReads1763940000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), [
      'fire_sends',
      'look_through',
      'read_outcomes',
      'unrolled_events',
      'work_due',
    ]);
  }

  /** What was installed before may do the same. */
  async down(): Promise<void> {}
}
