import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a set of retries is looked for by its filter next, apart from next_at: a process that does not know this column knows less
 * of filters, and leaves the set alone until its sends are found (docs/decisions/0058).
 */
export class RetriesFound1763910000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
alter table retry_batch add column find_at timestamptz;
create index retry_batch_turn on retry_batch ((coalesce(find_at, next_at))) where coalesce(find_at, next_at) is not null`);
  }

  /** What was being looked for is found by whoever is left: by less of its filter, so that it is given up instead. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
delete from retry_batch where find_at is not null;
drop index retry_batch_turn;
alter table retry_batch drop column find_at`);
  }
}
