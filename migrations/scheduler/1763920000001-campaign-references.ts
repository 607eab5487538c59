import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the foreign keys of what is written with each campaign, because they looked up and locked a parent row by row. They are not
 * needed: history is written by the campaign's own triggers, a revision by the transaction that has made or locked the campaign,
 * and no project is ever deleted (docs/decisions/0059).
 */
export class CampaignReferences1763920000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of REFERENCES)
      await runner.query(`alter table ${table} drop constraint ${table}_${column}_fkey`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column, parent] of REFERENCES) {
      const constraint = `${table}_${column}_fkey`;
      await runner.query(
        `alter table ${table} add constraint ${constraint} foreign key (${column}) references ${parent} not valid`,
      );
      await runner.query(`alter table ${table} validate constraint ${constraint}`);
    }
  }
}

const REFERENCES = [
  ['campaign_history', 'campaign', 'campaign (id)'],
  ['revision', 'campaign', 'campaign (id)'],
  ['campaign', 'service_id', 'project (service_id)'],
] as const;
