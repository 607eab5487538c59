import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages with their reservations, and schedules (§2.3, §2.6 to §2.8, §3). */
export class Messages1763700100003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
create table schedule (
  id               uuid primary key,
  service_id       text not null references service on delete cascade,
  schedule_code    text collate "C" not null,
  schedule_desc    text,
  -- An IANA name, or LOCALTIME: each user's own registered offset.
  time_zone        text not null,
  -- Minute of the day.
  minute           smallint not null check (minute between 0 and 1439),
  start_date       date not null,
  end_date         date,
  days_of_week     text[] not null,
  created_at       timestamptz not null,
  updated_at       timestamptz,
  -- Every firing due up to here is made.
  fired_until      timestamptz not null,
  -- When to look again; null once it has ended.
  look_at          timestamptz,
  constraint schedule_code unique (service_id, schedule_code)
);
create index schedule_look_at on schedule (look_at);

create table message (
  -- UUIDv7; the requestId, reserveId or messageId of the interface.
  id                 uuid primary key,
  service_id         text not null references service on delete cascade,
  kind               text not null check (kind in ('immediate', 'reserved', 'scheduled')),
  -- READY: waits for its instant. ATTACHED: goes out at each firing of its schedule. PROCESSING: being fired.
  -- FIRED: targets expanded. FINISHED: every device has its outcome.
  state              text not null check (state in
    ('READY', 'ATTACHED', 'PROCESSING', 'FIRED', 'FINISHED', 'CANCELED', 'FAIL', 'STALE')),
  message_type       text not null check (message_type in ('NOTIF', 'AD')),
  -- The request as taken, JSON text; read as a whole only.
  request            text not null,
  -- SHA-256 of what makes two requests one: the Idempotency-Key, or the signed request itself.
  dedupe_hash        bytea not null,
  body_hash          bytea not null,
  requested_at       timestamptz not null,
  reserve_time       text,
  reserve_time_zone  text,
  schedule_id        uuid,
  -- When it goes out; null for a scheduled one.
  fire_at            timestamptz,
  complete_at        timestamptz,
  target_count       bigint not null default 0,
  sent_count         bigint not null default 0,
  constraint message_dedupe unique (dedupe_hash)
) with (fillfactor = 80);
-- Firing claims the oldest due first.
create index message_due on message (fire_at) where state = 'READY';
create index message_attached on message (schedule_id) where kind = 'scheduled';
create index message_service on message (service_id, id);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table message, schedule');
  }
}
