import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users, their devices, channels and who is in them (§2.1, §2.2). */
export class Users1763700100002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
create table push_user (
  key                          bigint generated always as identity primary key,
  service_id                   text not null references service on delete cascade,
  user_id                      text not null,
  country                      text not null,
  language                     text not null,
  -- Seconds from UTC.
  timezone                     integer not null,
  notification_agreement       boolean not null,
  ad_agreement                 boolean not null,
  night_ad_agreement           boolean not null,
  -- Null while the consent was never given.
  notification_agreement_time  timestamptz,
  ad_agreement_time            timestamptz,
  night_ad_agreement_time      timestamptz,
  created_at                   timestamptz not null,
  updated_at                   timestamptz not null,
  constraint push_user_user_id unique (service_id, user_id),
  -- Fan-out walks a service's users in key order.
  constraint push_user_walk unique (service_id, key)
);
create index push_user_timezone on push_user (service_id, timezone);

create table device (
  id            bigint generated always as identity primary key,
  service_id    text not null references service on delete cascade,
  user_key      bigint not null,
  device_type   text not null check (device_type in ('GCM', 'APNS')),
  device_token  text not null,
  -- SHA-256 of the token: a token may be longer than an index entry.
  token_hash    bytea not null,
  -- False once a provider said the token is gone; registering it again makes it true.
  active        boolean not null default true,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  -- One token, one user.
  constraint device_token unique (service_id, token_hash),
  -- With the service, so that one index serves both the cascade and the walk of a service's devices.
  constraint device_owner foreign key (service_id, user_key) references push_user (service_id, key) on delete cascade
);
create index device_user on device (service_id, user_key);

create table channel (
  id            bigint generated always as identity primary key,
  service_id    text not null references service on delete cascade,
  channel_name  text collate "C" not null,
  channel_desc  text,
  created_at    timestamptz not null,
  updated_at    timestamptz,
  constraint channel_name unique (service_id, channel_name)
);

create table channel_member (
  channel_id  bigint not null references channel on delete cascade,
  user_key    bigint not null references push_user on delete cascade,
  -- The order of joining; one instant may hold several.
  joined      bigint generated always as identity,
  primary key (channel_id, user_key)
);
create index channel_member_user on channel_member (user_key, joined);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table channel_member, channel, device, push_user');
  }
}
