import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A firing is one going-out of a message. Its targets are laid down as chunks of device ids, deleted when done and never
 * one row a device; `delivery` then gets one row a device, with the outcome, and is never updated.
 */
export class FanOut1763700100004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
create table firing (
  id               bigint generated always as identity primary key,
  message_id       uuid not null references message on delete cascade,
  service_id       text not null,
  -- 'once', or the local date-time of a schedule's firing (with the offset for LOCALTIME).
  occurrence       text not null,
  -- LOCALTIME: only users of this registered offset.
  timezone         integer,
  due_at           timestamptz not null,
  state            text not null default 'READY' check (state in ('READY', 'SENDING', 'FINISHED', 'FAIL', 'STALE', 'CANCELED')),
  attempts         integer not null default 0,
  -- Consent and night are judged at this instant.
  fired_at         timestamptz,
  complete_at      timestamptz,
  target_count     bigint not null default 0,
  sent_count       bigint not null default 0,
  failed_count     bigint not null default 0,
  -- Devices handed over a second time, since the provider's first answer was lost with the process.
  repeated_count   bigint not null default 0,
  chunks_left      integer not null default 0,
  -- One firing for one occurrence, whoever makes it.
  constraint firing_occurrence unique (message_id, occurrence)
);
create index firing_ready on firing (id) where state = 'READY';

create table fan_out_chunk (
  firing_id     bigint not null references firing on delete cascade,
  chunk_no      integer not null,
  state         text not null default 'READY' check (state in ('READY', 'CLAIMED')),
  claimed_by    uuid,
  -- Real time of the database's own clock; see chunk.store.ts.
  lease_until   timestamptz,
  claims        integer not null default 0,
  -- Parallel arrays: the targets as they were when the firing was expanded.
  device_ids    bigint[] not null,
  user_keys     bigint[] not null,
  device_types  text[] not null,
  countries     text[] not null,
  languages     text[] not null,
  timezones     integer[] not null,
  primary key (firing_id, chunk_no)
);
-- Low chunk numbers first is what lets a small message pass a big one.
create index fan_out_chunk_open on fan_out_chunk (chunk_no, firing_id) where state = 'READY';
create index fan_out_chunk_oldest on fan_out_chunk (firing_id, chunk_no) where state = 'READY';
create index fan_out_chunk_claimed on fan_out_chunk (lease_until) where state = 'CLAIMED';

-- What was rendered for whom: one row a device type and language, not one a device.
create table payload (
  firing_id    bigint not null references firing on delete cascade,
  device_type  text not null,
  language     text not null,
  -- APNs request headers; FCM has none.
  headers      json not null,
  -- FCM's leaves out the token, which differs by device.
  body         text not null,
  primary key (firing_id, device_type, language)
);

create table delivery (
  firing_id    bigint not null references firing on delete cascade,
  device_id    bigint not null,
  user_key     bigint not null,
  device_type  text not null,
  country      text not null,
  language     text not null,
  timezone     integer not null,
  outcome      text not null check (outcome in ('sent', 'failed')),
  reason       text,
  handed_at    timestamptz not null,
  -- One device, one outcome: a second hand-over's record is refused, not added.
  primary key (firing_id, device_id)
);

-- Devices left out for want of consent; by the same columns as a breakdown.
create table suppression (
  firing_id    bigint not null references firing on delete cascade,
  reason       text not null,
  device_type  text not null,
  country      text not null,
  language     text not null,
  timezone     integer not null,
  count        bigint not null,
  primary key (firing_id, reason, device_type, country, language, timezone)
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table suppression, delivery, payload, fan_out_chunk, firing');
  }
}
