import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts with their access keys (§5: at most two), services with their limits, and API keys. */
export class Accounts1763700100001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
create schema if not exists push;

create table account (
  id          text primary key check (length(id) between 1 and 64),
  created_at  timestamptz not null
);

create table access_key (
  access_key     text primary key check (length(access_key) between 1 and 128),
  account_id     text not null references account on delete cascade,
  -- 1 or 2: the primary key of the pair is what holds an account to two keys.
  position       smallint not null check (position in (1, 2)),
  -- AES-256-GCM under CARILLON_MASTER_KEY; the text names the master key's id.
  secret_sealed  text not null,
  enabled        boolean not null default true,
  created_at     timestamptz not null,
  constraint access_key_position unique (account_id, position)
);

create table service (
  id                text primary key check (length(id) between 1 and 128),
  account_id        text not null references account,
  description       text,
  -- The zone of the local date-times in answers, and of "today" where a schedule names no date.
  zone              text not null default 'Asia/Seoul',
  answer_times      text not null default 'local' check (answer_times in ('local', 'offset')),
  api_key_required  boolean not null default false,
  strict_options    boolean not null default false,
  suspended         boolean not null default false,
  -- Token bucket of each access key; null: no limit.
  rate_per_second   integer check (rate_per_second between 1 and 1000000),
  rate_burst        integer check (rate_burst between 1 and 1000000),
  -- Requests of a calendar day (UTC) of all keys together; null: no limit.
  quota_per_day     bigint check (quota_per_day >= 0),
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  -- A removed service answers 404 to its own account; its rows go with it at once.
  removed_at        timestamptz
);
create index service_account on service (account_id);

create table quota_use (
  service_id  text not null references service on delete cascade,
  day         date not null,
  used        bigint not null,
  -- How many the last taker got: an upsert cannot return the row as it was before.
  taken       bigint not null,
  primary key (service_id, day)
);

create table api_key (
  service_id  text not null references service on delete cascade,
  slot        text not null check (slot in ('primary', 'secondary')),
  -- SHA-256: 256 random bits need no slow hash.
  hash        bytea not null,
  active      boolean not null default true,
  created_at  timestamptz not null,
  primary key (service_id, slot)
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table api_key, quota_use, service, access_key, account');
  }
}
