import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** Campaigns' moves are told once a statement; as an end comes with sums, it is told at the commit, as before. */
export class CampaignMoves1763800000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const changed = [
      'campaign_ends_with_sums',
      'campaign_keep_history',
      'campaign_write_history',
      'campaign_tell',
    ];
    await installFunctions(runner, functionsOf('scheduler'), changed);
  }

  /** The files are what they are: the baseline has them, too. */
  async down(): Promise<void> {}
}
