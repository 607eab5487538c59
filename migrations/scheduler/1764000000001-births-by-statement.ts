import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

const CHANGED = ['campaign_keep_history', 'campaign_write_history', 'campaign_write_birth', 'campaign_tell'];

/** The births of campaigns are written and told once a statement, not once a row (sql/…/campaign_write_birth.sql). */
export class BirthsByStatement1764000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), CHANGED);
  }

  /** Leaves the functions: those of the baseline are today's. */
  async down(): Promise<void> {}
}
