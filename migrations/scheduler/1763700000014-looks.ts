import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What following needs beside the sends: claims of looks in a table of their own, the place of looks behind sends in a
 * project's shared rate, and the counts of standing messages, day by day.
 */
export class Looks1763700000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Who asks about a send at this moment, so that replicas pass each other's looks. Unlogged, and not on the send's row:
-- a claim that a crash loses costs one GET, while moving the row costs its indexes and triggers twice for every look.
create unlogged table look_claim (
  send         uuid not null constraint look_claim_pkey primary key,
  -- By the database's clock, as every lease.
  lease_until  timestamptz not null
);

-- While sends lack tokens, looks are given one now and then only; by the database's clock.
alter table project_pace
  add column pressed_until timestamptz,
  add column looked_at timestamptz;

-- What a standing message had come to at its last look of each UTC day; counts are of its whole life, as the push
-- service tells them.
create table standing_count (
  send          uuid not null,
  day           date not null,
  target_count  integer,
  sent_count    integer,
  at            timestamptz not null,
  constraint standing_count_pkey primary key (send, day)
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop table standing_count;
alter table project_pace drop column looked_at, drop column pressed_until;
drop table look_claim;
`);
  }
}
