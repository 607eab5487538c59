import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tags of a campaign's first revision as a column of the campaign, for lists (report/lists/campaign-list.store.ts). null: the
 * process that took the campaign did not know this column, so its revision has them. Fast, because existing campaigns get the
 * default until CampaignTagsKept1763910000002 reads their revisions, which holds nobody up.
 */
export class CampaignTags1763910000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table campaign add column tags text[] default '{}'`);
    await runner.query(`alter table campaign alter column tags drop default`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table campaign drop column tags');
  }
}
