import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DAY_PARTITION, FIRST_DAYS } from '../day-partition-view.js';
import { functionNames, functionsOf, installFunctions } from '../install-functions.js';

const FOLDERS = [functionsOf('shared'), functionsOf('push-service')];

/** The schema of the push service, table by table, with the reasons. sql/push-service/schema.sql shows the result. */
export class Baseline1763700100001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [ACCOUNTS, CREDENTIALS, USERS, MESSAGES, FIRINGS, OUTCOMES])
      await runner.query(tables);
    // PostgreSQL reads a body when the function is called, so functions need no order.
    await runner.query('set local check_function_bodies = off');
    for (const folder of FOLDERS) await installFunctions(runner, folder, functionNames(folder));
    await runner.query('set local check_function_bodies = on');
    for (const days of [DAY_PARTITION, FIRST_DAYS]) await runner.query(days);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop view day_partition;
drop sequence fan_out_chunk_split, firing_number;
drop table database_epoch, signed_request, forgotten_user, outcome_count, suppression, delivery, payload, fan_out_chunk, firing, message, schedule,
  channel_member, channel, device, push_user, provider_credential, api_key, quota_use, service, access_key, account;
drop function if exists ${FOLDERS.flatMap(functionNames).join(', ')};`);
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
  -- 1 or 2. The unique constraint on the pair limits an account to two keys.
  position       smallint not null check (position in (1, 2)),
  -- AES-256-GCM under CARILLON_MASTER_KEY; the text names the master key's id.
  secret_sealed  text not null,
  enabled        boolean not null default true,
  created_at     timestamptz not null,
  constraint access_key_position unique (account_id, position)
);

-- A row is never deleted: it is marked as removed. The tables that requests write to (message, push_user, device) do not
-- reference it: with a reference each insert read and locked the row, and concurrent inserts made a multixact of their locks.
-- That took some 60 µs of the database's processor time for each insert.
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
  -- The token bucket of each access key; null: the default of the configuration.
  rate_per_second   integer check (rate_per_second between 1 and 1000000),
  rate_burst        integer check (rate_burst between 1 and 1000000),
  -- Requests of all keys together in a calendar day (UTC); null: no limit.
  quota_per_day     bigint check (quota_per_day >= 0),
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  -- A removed service answers 404 to its own account. Its rows in other tables are deleted step by step.
  removed_at        timestamptz
);
create index service_account on service (account_id);

create table quota_use (
  service_id  text not null references service on delete cascade,
  day         date not null,
  used        bigint not null,
  -- How many requests the last call got: an upsert cannot return the row as it was before.
  taken       bigint not null,
  primary key (service_id, day)
-- Every request changes the one row of its service and day. So the number of changes decides when vacuum runs, and pages have
-- room for them.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create table api_key (
  service_id  text not null references service on delete cascade,
  slot        text not null check (slot in ('primary', 'secondary')),
  -- SHA-256: 256 random bits need no slow hash.
  hash        bytea not null,
  active      boolean not null default true,
  created_at  timestamptz not null,
  primary key (service_id, slot)
);`;

/** The credentials by which a service's devices are reached; docs/decisions/0032. */
const CREDENTIALS = `
create table provider_credential (
  -- A credential that is removed and set up again gets another id, and its versions begin anew.
  id             uuid primary key,
  service_id     text not null references service on delete cascade,
  kind           text not null check (kind in ('fcm', 'apns')),
  -- Every change counts it up. A process that sends under a version opens its secret once.
  version        integer not null default 1,
  -- What is not secret, as answers show it: the project and account; or key id, team, topic and environment.
  settings       jsonb not null,
  -- AES-256-GCM under CARILLON_MASTER_KEY, bound to service and kind: the service account's key, or the p8 file.
  secret_sealed  text not null,
  -- Why and since when the provider refuses it; null while the provider does not.
  fault          text,
  fault_since    timestamptz,
  -- Why devices fail although the credential is good: an operator must change something at the provider.
  warning        text,
  warned_at      timestamptz,
  -- When the first push under it was accepted.
  proven_at      timestamptz,
  -- The last check, and what it found, in words.
  checked_at     timestamptz,
  check_good     boolean,
  check_says     text,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  -- A registration names a device type and no app, so one credential reaches all devices of a type.
  constraint provider_credential_kind unique (service_id, kind),
  constraint provider_credential_fault check ((fault is null) = (fault_since is null))
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

-- Users who were deleted and whom messages may still name, until the sweep has replaced each name by the pseudonym
-- (docs/decisions/0070).
create table forgotten_user (
  service_id  text not null,
  user_id     text not null,
  -- Random, so that nobody can find the user by it once this row is gone.
  pseudonym   uuid not null default gen_random_uuid(),
  -- A message that was taken later names a user who registered anew.
  deleted_at  timestamptz not null,
  -- When the sweep may look for the name in the service's messages.
  due_at      timestamptz not null,
  primary key (service_id, user_id)
);
create index forgotten_user_due on forgotten_user (due_at);

create table device (
  id            bigint generated always as identity primary key,
  service_id    text not null,
  user_key      bigint not null,
  device_type   text not null check (device_type in ('GCM', 'APNS')),
  device_token  text not null,
  -- SHA-256 of the token: a token may be longer than an index entry.
  token_hash    bytea not null,
  -- False once a provider said that the token is gone. A new registration makes it true again.
  active        boolean not null default true,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  -- One token, one user.
  constraint device_token unique (service_id, token_hash),
  -- Upper and lower case of an APNs token name one device, so lower case is stored.
  constraint device_token_case check (
    device_type = 'GCM' or device_token !~ '[A-F]' or device_token !~ '^[0-9A-Fa-f]+$'),
  -- With the service, so that one index serves the cascade and the walk over a service's devices.
  constraint device_owner foreign key (service_id, user_key) references push_user (service_id, key) on delete cascade
);
create index device_user on device (service_id, user_key);
-- The devices that are gone, for as long as they are kept.
create index device_gone on device (updated_at) where not active;

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
  -- The order of joining. An instant would not do: several users may join at one.
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
  -- Every firing that was due up to here is made.
  fired_until      timestamptz not null,
  -- When it is due next; null once it has ended.
  next_fire_at     timestamptz,
  -- Set once it has ended and has no message to end any more: nobody reads it again.
  finished_at      timestamptz,
  constraint schedule_code unique (service_id, schedule_code)
-- The fire loop reads schedule_next_fire_at from its beginning, where each firing leaves a dead entry.
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index schedule_next_fire_at on schedule (next_fire_at) where next_fire_at is not null;
-- Ended schedules whose messages may still have to be ended. Most schedules are ended and finished, and are not in this index.
create index schedule_ending on schedule (id) where next_fire_at is null and finished_at is null;

create table message (
  -- UUIDv7; the requestId, reserveId or messageId of the interface.
  id                 uuid primary key,
  service_id         text not null,
  -- closed: no message, but an Idempotency-Key that was closed before a message was taken under it. It is a row here, because the
  -- unique dedupe hash makes a POST and a close exclude each other without a further look-up for each POST. Its state is CANCELED.
  kind               text not null check (kind in ('immediate', 'reserved', 'scheduled', 'closed')),
  -- READY: waits for its instant. ATTACHED: goes out at each firing of its schedule. PROCESSING: being fired.
  -- FIRED: targets expanded. FINISHED: every device has its outcome.
  state              text not null check (state in
    ('READY', 'ATTACHED', 'PROCESSING', 'FIRED', 'FINISHED', 'CANCELED', 'FAIL', 'STALE')),
  message_type       text not null check (message_type in ('NOTIF', 'AD')),
  -- The request as it was taken, as JSON text. It is only read as a whole.
  request            text not null,
  -- SHA-256 of what makes two requests the same: the Idempotency-Key, or the signed request.
  dedupe_hash        bytea not null,
  -- The Idempotency-Key, and the access key that signed: people find a message by them.
  idempotency_key    text,
  access_key         text,
  body_hash          bytea not null,
  requested_at       timestamptz not null,
  reserve_time       text,
  reserve_time_zone  text,
  schedule_id        uuid,
  -- When it goes out; null for a scheduled message.
  fire_at            timestamptz,
  complete_at        timestamptz,
  target_count       bigint not null default 0,
  sent_count         bigint not null default 0,
  -- For so few users that many such messages are worked on together.
  small              boolean not null default false,
  constraint message_dedupe unique (dedupe_hash)
-- Rows are kept for long and only change in their first moments. The fire loop reads message_due from its beginning: with the
-- default share of all rows, millions of dead entries would gather there before vacuum runs.
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01);
-- The fire loop takes the oldest due message first.
create index message_due on message (fire_at) where state = 'READY';
create index message_attached on message (schedule_id) where kind = 'scheduled' and state = 'ATTACHED';
create index message_service on message (service_id, id);

-- Since when this is the database that the service writes to: one row. A restore or a failover may lose messages, so the instant
-- begins anew then (seconds_known).
create table database_epoch (
  single      boolean primary key default true check (single),
  -- store_identity() when the row was written, and the transaction that wrote it: a row that a restore has copied has another.
  identity    text not null,
  written_by  xid not null,
  began_at    timestamptz not null
);

-- Signed POSTs that were seen, for as long as their signature is valid. A request that comes again with another Idempotency-Key
-- is refused (docs/decisions/0069). It needs no index by age: it has the requests of some minutes, and a scan empties it.
create table signed_request (
  -- SHA-256 of access key, timestamp, signature and body.
  hash        bytea primary key,
  message_id  uuid not null,
  seen_at     timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);`;

/**
 * Firings and their targets. Targets are in chunks of device ids, never one row for each device. A chunk is deleted when it is
 * done.
 */
const FIRINGS = `
create sequence firing_number maxvalue 1099511627775 cycle;
create table firing (
  -- The id contains the day on which the firing was made: next_firing(at).
  id               bigint primary key,
  message_id       uuid not null references message on delete cascade,
  service_id       text not null,
  -- 'once', or the local date-time of a schedule's firing (with the offset for LOCALTIME).
  occurrence       text not null,
  -- LOCALTIME: only users with this registered offset, in seconds.
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
  -- Devices that were handed over, or may have been: the answer was lost. They are never handed over again.
  unknown_count    bigint not null default 0,
  -- Devices that went to the sandbox again because a claim was lost. Our own row is all that it takes, so no device got it twice.
  repeated_count   bigint not null default 0,
  chunks_left      integer not null default 0,
  -- The message is small: many are expanded, handed over and recorded at a time.
  small            boolean not null default false,
  -- Once true, outcome_count has all its outcomes, and it alone has them once their day is dropped. Until then it has those of
  -- devices up to summed_to.
  summed           boolean not null default false,
  summed_to        bigint not null default 0,
  -- One firing for each occurrence, whoever makes it.
  constraint firing_occurrence unique (message_id, occurrence)
-- As for message: firing_ready is read from its beginning.
) with (autovacuum_vacuum_scale_factor = 0.01);
create index firing_ready on firing (id) where state = 'READY';
create index firing_ready_small on firing (id) where state = 'READY' and small;
create index firing_unsummed on firing (id) where state in ('SENDING', 'FINISHED') and not summed;

create table fan_out_chunk (
  firing_id         bigint not null references firing on delete cascade,
  chunk_no          integer not null,
  -- The queue of the chunk: one credential reaches the devices of one service and type.
  service_id        text not null,
  device_type       text not null check (device_type in ('GCM', 'APNS')),
  -- LATER: it becomes READY at not_before.
  state             text not null default 'READY' check (state in ('READY', 'CLAIMED', 'LATER')),
  claimed_by        uuid,
  -- Real time by the database's own clock, like not_before; see chunk.store.ts.
  lease_until       timestamptz,
  not_before        timestamptz,
  -- With claimed_by, the fence of a claim.
  claims            integer not null default 0,
  -- How many claims ended in order and left devices that go again. The other claims were lost.
  passes            integer not null default 0,
  -- How many of those ended because the provider refused the devices for a while. The next wait depends on it.
  refusals          integer not null default 0,
  -- Places 1 to handed may have left us under this claim.
  handed            integer not null default 0,
  -- How many outcomes were recorded under this claim, which goes on.
  recorded          integer not null default 0,
  -- An instant of the wall clock. Nothing leaves at it or later: devices then fail with the reason.
  not_after         timestamptz,
  not_after_reason  text,
  -- Parallel arrays: the targets as they were when the firing was expanded. When a claim ends, targets with an outcome are cut
  -- out. Not compressed: the rows live for seconds, and compression took 5 ms for each chunk when it was made and again when it
  -- was claimed.
  device_ids        bigint[] storage external not null,
  user_keys         bigint[] storage external not null,
  countries         text[] storage external not null,
  languages         text[] storage external not null,
  timezones         integer[] storage external not null,
  -- How many devices the chunk has. The default is a whole chunk, so that no chunk is small by mistake.
  targets           integer not null default 1000,
  primary key (firing_id, chunk_no)
-- Rows are inserted, claimed, changed and deleted within seconds. So the number of changes decides when vacuum runs, also for the
-- arrays, which take several TOAST rows each.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000);
-- With low chunk numbers first, a small message passes a big one.
create index fan_out_chunk_spread on fan_out_chunk (service_id, device_type, chunk_no, firing_id) where state = 'READY';
create index fan_out_chunk_oldest on fan_out_chunk (service_id, device_type, firing_id, chunk_no) where state = 'READY';
-- Chunks that were refused for a while and go again. They are few, and no chunk is here that was just expanded.
create index fan_out_chunk_due on fan_out_chunk (service_id, device_type, firing_id, chunk_no)
  where state = 'READY' and refusals > 0;
create index fan_out_chunk_small on fan_out_chunk (service_id, device_type, firing_id, chunk_no)
  where state = 'READY' and targets <= 20;
create index fan_out_chunk_later on fan_out_chunk (not_before) where state = 'LATER';
create index fan_out_chunk_claimed on fan_out_chunk (lease_until) where state = 'CLAIMED';
-- The numbers of chunks that are split off other chunks. They are above all numbers that expansion gives.
create sequence fan_out_chunk_split as integer minvalue 1000000000 cycle;`;

/**
 * The outcome of each device, never updated, and the sums of outcomes. Tables by day have a partition for each day, which is
 * dropped as a whole: they reference nothing, and nothing references them (docs/decisions/0036).
 */
const OUTCOMES = `
-- No reference is needed: who records an outcome holds its chunk, which has its firing. Who removes a firing before its day is
-- dropped removes chunks and outcomes first. A reference would lock the firing for each row: 10 ms a chunk.
create table delivery (
  firing_id    bigint not null,
  device_id    bigint not null,
  user_key     bigint not null,
  device_type  text not null,
  country      text not null,
  language     text not null,
  timezone     integer not null,
  outcome      text not null check (outcome in ('sent', 'failed', 'unknown')),
  reason       text,
  handed_at    timestamptz not null,
  -- One device, one outcome: a second outcome is refused.
  primary key (firing_id, device_id)
) partition by range (firing_id);

-- What was rendered: one row for each device type and language, not for each device.
create table payload (
  firing_id    bigint not null,
  device_type  text not null,
  language     text not null,
  -- APNs request headers; FCM has none.
  headers      json not null,
  -- For FCM, without the token, which differs by device.
  body         text not null,
  primary key (firing_id, device_type, language)
) partition by range (firing_id);

-- How many devices were left out because consent was missing, by the columns of a breakdown.
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

-- How many outcomes each firing has that is summed up, by the columns of a breakdown.
create table outcome_count (
  firing_id    bigint not null references firing on delete cascade,
  outcome      text not null check (outcome in ('sent', 'failed', 'unknown')),
  -- Empty where the outcome is sent: a primary key has no null.
  reason       text not null,
  device_type  text not null,
  country      text not null,
  language     text not null,
  timezone     integer not null,
  count        bigint not null,
  primary key (firing_id, outcome, reason, device_type, country, language, timezone)
);`;
