import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tags of a campaign's first revision beside its other columns, for lists (store/send/read/campaign-list.store.ts). null: whoever
 * took it knew nothing of this column, so that its revision says. At once: those that are there have the default, until
 * CampaignTagsKept1763910000002 reads their revisions, which holds nobody up.
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
