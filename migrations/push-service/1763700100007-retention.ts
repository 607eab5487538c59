import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outcome rows end after a while: what they add up to is kept with their firing, which is found by when it was complete. */
export class Retention1763700100007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Of devices whose outcome rows are gone; by the columns of a breakdown.
create table outcome_count (
  firing_id    bigint not null references firing on delete cascade,
  outcome      text not null check (outcome in ('sent', 'failed')),
  -- Empty for those that were sent: a key holds no null.
  reason       text not null,
  device_type  text not null,
  country      text not null,
  language     text not null,
  timezone     integer not null,
  count        bigint not null,
  primary key (firing_id, outcome, reason, device_type, country, language, timezone)
);

-- Its outcome rows are gone, if it had any.
alter table firing add column swept boolean not null default false;
create index firing_unswept on firing (complete_at) where state = 'FINISHED' and not swept;

-- Taken while their schedule was being deleted, by versions that did not hold it: they go out no more.
update message m set state = 'CANCELED', complete_at = now()
where kind = 'scheduled' and state = 'ATTACHED' and not exists (select from schedule s where s.id = m.schedule_id);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop index firing_unswept;
alter table firing drop column swept;
drop table outcome_count;
`);
  }
}
