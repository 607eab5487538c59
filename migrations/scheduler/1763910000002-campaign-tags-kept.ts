import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tags of campaigns that are older than the column. Locks only the rows of campaigns with tags, in order of id. */
export class CampaignTagsKept1763910000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
with tagged as materialized (
  select c.id, array(select jsonb_array_elements_text(r.data -> 'tags')) as tags
    from campaign c join revision r on r.campaign = c.id and r.revision = 1
   where c.tags = '{}' and jsonb_typeof(r.data -> 'tags') = 'array' and r.data -> 'tags' <> '[]'
   order by c.id for no key update of c)
update campaign c set tags = t.tags from tagged t where c.id = t.id`);
  }

  /** The tags go with the column. */
  async down(): Promise<void> {}
}
