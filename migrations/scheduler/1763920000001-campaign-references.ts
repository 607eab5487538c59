import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What comes with each campaign refers to no parent that is looked up and locked for it, row by row: its history is written
 * by its own triggers, its revision by the transaction that has made or locked it, and no project is ever deleted
 * (docs/decisions/0059).
 */
export class CampaignReferences1763920000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const { table, constraint } of REFERENCES)
      await runner.query(`alter table ${table} drop constraint ${constraint}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { table, constraint, reference } of REFERENCES) {
      await runner.query(
        `alter table ${table} add constraint ${constraint} foreign key ${reference} not valid`,
      );
      await runner.query(`alter table ${table} validate constraint ${constraint}`);
    }
  }
}

const REFERENCES = [
  {
    table: 'campaign_history',
    constraint: 'campaign_history_campaign_fkey',
    reference: '(campaign) references campaign (id)',
  },
  {
    table: 'revision',
    constraint: 'revision_campaign_fkey',
    reference: '(campaign) references campaign (id)',
  },
  {
    table: 'campaign',
    constraint: 'campaign_service_id_fkey',
    reference: '(service_id) references project (service_id)',
  },
] as const;
