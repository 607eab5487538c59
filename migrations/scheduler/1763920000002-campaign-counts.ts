import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** The function by which a page of campaigns counts its sends. */
export class CampaignCounts1763920000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), ['count_sends']);
  }

  /** The function stays: the baseline installs it too. */
  async down(): Promise<void> {}
}
