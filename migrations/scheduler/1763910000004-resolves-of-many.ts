import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sets of resolves, like those of retries (baseline/retries.ts) but in tables of their own: a process that does not know them would
 * take one for a set of retries.
 */
export class ResolvesOfMany1763910000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
create table resolve_batch (
  id            uuid not null,
  service_id    text not null,
  filter        jsonb not null,
  resolution    text not null,
  reason        text,
  held          text[],
  counts        jsonb not null default '{}',
  left_out      jsonb not null default '{}',
  created_at    timestamptz not null,
  created_by    text not null,
  expires_at    timestamptz,
  confirmed_at  timestamptz,
  confirmed_by  text,
  done_at       timestamptz,
  step          integer not null default 0,
  after_send    uuid not null default '00000000-0000-0000-0000-000000000000',
  lease         uuid,
  next_at       timestamptz,
  find_at       timestamptz,
  constraint resolve_batch_pkey primary key (id, service_id),
  constraint resolve_batch_resolution check (resolution in ('confirmed-sent', 'confirmed-not-sent'))
);
create index resolve_batch_turn on resolve_batch ((coalesce(find_at, next_at))) where coalesce(find_at, next_at) is not null;
create index resolve_batch_age on resolve_batch (created_at);
create table resolve_item (
  batch       uuid not null,
  service_id  text not null,
  step        integer not null,
  send        uuid not null,
  constraint resolve_item_pkey primary key (batch, service_id, step, send),
  constraint resolve_item_batch foreign key (batch, service_id) references resolve_batch on delete cascade
)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table resolve_item, resolve_batch');
  }
}
