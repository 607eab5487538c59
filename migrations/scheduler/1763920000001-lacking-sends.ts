import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** What the rollups lack, with a plan that is kept. */
export class LackingSends1763920000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), ['lacking_sends']);
  }

  /** It stays, as the baseline has installed it. */
  async down(): Promise<void> {}
}
