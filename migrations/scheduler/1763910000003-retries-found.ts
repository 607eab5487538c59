import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the filter of a set of retries is searched next, apart from next_at: a process that does not know this column does not know
 * all members of the filter either, and leaves the set alone until its sends are found (docs/decisions/0058).
 */
export class RetriesFound1763910000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
alter table retry_batch add column find_at timestamptz;
create index retry_batch_turn on retry_batch ((coalesce(find_at, next_at))) where coalesce(find_at, next_at) is not null`);
  }

  /** Sets that are still being searched are deleted: a process that knows less of the filter would find the wrong sends. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
delete from retry_batch where find_at is not null;
drop index retry_batch_turn;
alter table retry_batch drop column find_at`);
  }
}
