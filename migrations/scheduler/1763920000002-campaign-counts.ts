import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** What a page of campaigns counts its sends by. */
export class CampaignCounts1763920000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), ['count_sends']);
  }

  /** The baseline has it, too. */
  async down(): Promise<void> {}
}
