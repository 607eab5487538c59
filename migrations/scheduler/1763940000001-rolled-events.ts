import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** No event is rolled up without its send, and no fire waits for sends that end by a cancel. */
export class RolledEvents1763940000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), ['fire_sends', 'unrolled_events']);
  }

  /** What was installed before may do the same. */
  async down(): Promise<void> {}
}
