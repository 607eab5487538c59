import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** Tells campaigns' changes of state once for each statement. An end comes with sums, so it is still told at the commit. */
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

  /** The functions stay: the baseline installs them too. */
  async down(): Promise<void> {}
}
