import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a project is blocked, in the gateway's own words, beside the code and until when. */
export class WhyBlocked1763700000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table project add column resting_detail text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table project drop column resting_detail');
  }
}
