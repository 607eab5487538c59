import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The schema of the push service, table by table with the reasons; sql/push-service/schema.sql shows what it comes to. */
export class Baseline1763700100001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [ACCOUNTS, USERS, MESSAGES, FIRINGS, OUTCOMES]) await runner.query(tables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop table outcome_count, suppression, delivery, payload, fan_out_chunk, firing, message, schedule,
  channel_member, channel, device, push_user, api_key, quota_use, service, access_key, account`);
  }
}

/** Accounts with their access keys (push-interface.md §5: at most two), services with their limits, and API keys. */
const ACCOUNTS = `
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

-- A row is never deleted, it is marked removed. What is taken with every request (messages, users, devices) does not
-- reference it: each insert read and locked the row, and inserts side by side made a multixact of their locks, some 60 µs
-- of the database's processor time each.
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
);`;

/** Users, their devices, channels and who is in them (push-interface.md §2.1, §2.2). */
const USERS = `
create table push_user (
  key                          bigint generated always as identity primary key,
  service_id                   text not null,
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
  service_id    text not null,
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
create index channel_member_user on channel_member (user_key, joined);`;

/** Messages with their reservations, and schedules (push-interface.md §2.3, §2.6 to §2.8, §3). */
const MESSAGES = `
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
  next_fire_at          timestamptz,
  constraint schedule_code unique (service_id, schedule_code)
);
create index schedule_next_fire_at on schedule (next_fire_at);

create table message (
  -- UUIDv7; the requestId, reserveId or messageId of the interface.
  id                 uuid primary key,
  service_id         text not null,
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
  -- Goes to so few users that many such messages are worked on together.
  small              boolean not null default false,
  constraint message_dedupe unique (dedupe_hash)
) with (fillfactor = 80);
-- Firing claims the oldest due first.
create index message_due on message (fire_at) where state = 'READY';
create index message_attached on message (schedule_id) where kind = 'scheduled';
create index message_service on message (service_id, id);`;

/** A firing is one going-out of a message. Its targets are chunks of device ids, deleted when done and never one row a device. */
const FIRINGS = `
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
  -- Of a small message: expanded, handed over and recorded many at a time.
  small            boolean not null default false,
  -- Its outcome rows are gone, if it had any.
  swept            boolean not null default false,
  -- One firing for one occurrence, whoever makes it.
  constraint firing_occurrence unique (message_id, occurrence)
);
create index firing_ready on firing (id) where state = 'READY';
create index firing_ready_small on firing (id) where state = 'READY' and small;
create index firing_unswept on firing (complete_at) where state = 'FINISHED' and not swept;

create table fan_out_chunk (
  firing_id     bigint not null references firing on delete cascade,
  chunk_no      integer not null,
  state         text not null default 'READY' check (state in ('READY', 'CLAIMED')),
  claimed_by    uuid,
  -- Real time of the database's own clock; see chunk.store.ts.
  lease_until   timestamptz,
  claims        integer not null default 0,
  -- Parallel arrays: the targets as they were when the firing was expanded. Uncompressed: compressing six arrays took
  -- 5 ms a chunk, when it was laid down and again when it was claimed, for rows that live for seconds.
  device_ids    bigint[] storage external not null,
  user_keys     bigint[] storage external not null,
  device_types  text[] storage external not null,
  countries     text[] storage external not null,
  languages     text[] storage external not null,
  timezones     integer[] storage external not null,
  -- Devices in the chunk. The default is a whole chunk: what does not say is no small one.
  targets       integer not null default 1000,
  primary key (firing_id, chunk_no)
);
-- Low chunk numbers first is what lets a small message pass a big one.
create index fan_out_chunk_open on fan_out_chunk (chunk_no, firing_id) where state = 'READY';
create index fan_out_chunk_oldest on fan_out_chunk (firing_id, chunk_no) where state = 'READY';
create index fan_out_chunk_small on fan_out_chunk (firing_id, chunk_no) where state = 'READY' and targets <= 20;
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
);`;

/** What became of each device, never updated, and what that adds up to once the rows have ended. */
const OUTCOMES = `
-- Does not reference its firing, which each row would lock, 10 ms a chunk: whoever records has its chunk, which has its
-- firing; whoever removes a firing (retention, or the end of a service) removes its chunks and its outcomes first.
create table delivery (
  firing_id    bigint not null,
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
);`;
