import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DAY_PARTITION, FIRST_DAYS } from '../day-partition-view.js';
import { functionNames, functionsOf, installFunctions } from '../install-functions.js';

const FOLDERS = [functionsOf('shared'), functionsOf('push-service')];

/** The schema of the push service, table by table with the reasons; sql/push-service/schema.sql shows what it comes to. */
export class Baseline1763700100001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [ACCOUNTS, CREDENTIALS, USERS, MESSAGES, FIRINGS, OUTCOMES])
      await runner.query(tables);
    // A body is read when it is called: so none has to stand behind those that it calls.
    await runner.query('set local check_function_bodies = off');
    for (const folder of FOLDERS) await installFunctions(runner, folder, functionNames(folder));
    await runner.query('set local check_function_bodies = on');
    for (const days of [DAY_PARTITION, FIRST_DAYS]) await runner.query(days);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop view day_partition;
drop sequence fan_out_chunk_split, firing_number;
drop table signed_request, forgotten_user, outcome_count, suppression, delivery, payload, fan_out_chunk, firing, message, schedule,
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
-- One row a service and day that every request changes: vacuumed by the number of changes, and with room on its page for them.
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

/** What a service's devices are reached by; docs/decisions/0032. */
const CREDENTIALS = `
create table provider_credential (
  -- Of a credential that was removed and set up again, another: its versions begin anew.
  id             uuid primary key,
  service_id     text not null references service on delete cascade,
  kind           text not null check (kind in ('fcm', 'apns')),
  -- Counts its changes. Whoever sends under a version opens its secret once.
  version        integer not null default 1,
  -- All that is no secret, as it is shown: the project and account; or key id, team, topic and environment.
  settings       jsonb not null,
  -- AES-256-GCM under CARILLON_MASTER_KEY, bound to service and kind: the service account's key, or the p8 file.
  secret_sealed  text not null,
  -- Why and since when the provider refuses it; null while it does not.
  fault          text,
  fault_since    timestamptz,
  -- Devices fail, though it is good, for what is to be set right at the provider.
  warning        text,
  warned_at      timestamptz,
  -- When the first push under it was accepted.
  proven_at      timestamptz,
  -- The last check, and what it found in words.
  checked_at     timestamptz,
  check_good     boolean,
  check_says     text,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  -- A registration names a device type and no app: one credential reaches all of a type.
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

-- Users who were deleted and whom messages still name: until the sweep has put the pseudonym in place of each name
-- (docs/decisions/0070).
create table forgotten_user (
  service_id  text not null,
  user_id     text not null,
  -- Random, so that nobody can find the user by it once this row is gone.
  pseudonym   uuid not null default gen_random_uuid(),
  -- Messages that were taken later name a user who was registered anew.
  deleted_at  timestamptz not null,
  -- When the service's messages are looked through for it.
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
  -- False once a provider said the token is gone; registering it again makes it true.
  active        boolean not null default true,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  -- One token, one user.
  constraint device_token unique (service_id, token_hash),
  -- Both cases of an APNs token's digits name one device.
  constraint device_token_case check (
    device_type = 'GCM' or device_token !~ '[A-F]' or device_token !~ '^[0-9A-Fa-f]+$'),
  -- With the service, so that one index serves both the cascade and the walk of a service's devices.
  constraint device_owner foreign key (service_id, user_key) references push_user (service_id, key) on delete cascade
);
create index device_user on device (service_id, user_key);
-- Those that are gone, for as long as they are kept.
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
  next_fire_at     timestamptz,
  -- It has ended, and none of its messages will ever change for it: nobody looks at it again.
  finished_at      timestamptz,
  constraint schedule_code unique (service_id, schedule_code)
-- schedule_next_fire_at is read from its beginning, where each firing leaves an entry.
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index schedule_next_fire_at on schedule (next_fire_at) where next_fire_at is not null;
-- Those of which messages may still have to be ended; the others that have ended, most of all there are, it does not hold.
create index schedule_ending on schedule (id) where next_fire_at is null and finished_at is null;

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
-- Kept for long, and changed in its first moments alone: a share of all there ever were would let the dead entries of
-- message_due, at whose beginning the fire loop reads, come to millions.
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01);
-- Firing claims the oldest due first.
create index message_due on message (fire_at) where state = 'READY';
create index message_attached on message (schedule_id) where kind = 'scheduled' and state = 'ATTACHED';
create index message_service on message (service_id, id);

-- Signed POSTs that were seen, for as long as their signature is good: one that comes again under another Idempotency-Key is
-- refused (docs/decisions/0069). Without an index by age: it holds minutes, and is read as a whole to be emptied.
create table signed_request (
  -- SHA-256 of access key, timestamp, signature and body.
  hash        bytea primary key,
  message_id  uuid not null,
  seen_at     timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);`;

/** A firing is one going-out of a message. Its targets are chunks of device ids, deleted when done and never one row a device. */
const FIRINGS = `
create sequence firing_number maxvalue 1099511627775 cycle;
create table firing (
  -- Carries the day that it was made on: next_firing(at).
  id               bigint primary key,
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
  -- Handed over, or may be: the answer was lost. Never handed over again.
  unknown_count    bigint not null default 0,
  -- Devices the sandbox was handed anew, since the claim before was lost; what it takes is our own row, so none got it twice.
  repeated_count   bigint not null default 0,
  chunks_left      integer not null default 0,
  -- Of a small message: expanded, handed over and recorded many at a time.
  small            boolean not null default false,
  -- Its outcomes stand in outcome_count too, and there alone once their day is gone; until then those of devices up to here.
  summed           boolean not null default false,
  summed_to        bigint not null default 0,
  -- One firing for one occurrence, whoever makes it.
  constraint firing_occurrence unique (message_id, occurrence)
-- As message: firing_ready is read from its beginning.
) with (autovacuum_vacuum_scale_factor = 0.01);
create index firing_ready on firing (id) where state = 'READY';
create index firing_ready_small on firing (id) where state = 'READY' and small;
create index firing_unsummed on firing (id) where state in ('SENDING', 'FINISHED') and not summed;

create table fan_out_chunk (
  firing_id         bigint not null references firing on delete cascade,
  chunk_no          integer not null,
  -- Its queue: devices of one service and type are reached by one credential.
  service_id        text not null,
  device_type       text not null check (device_type in ('GCM', 'APNS')),
  -- LATER: READY once not_before has come.
  state             text not null default 'READY' check (state in ('READY', 'CLAIMED', 'LATER')),
  claimed_by        uuid,
  -- Real time of the database's own clock, as not_before; see chunk.store.ts.
  lease_until       timestamptz,
  not_before        timestamptz,
  -- With claimed_by what fences a claim.
  claims            integer not null default 0,
  -- Claims that ended in order, with devices left that may go again. The others were lost.
  passes            integer not null default 0,
  -- Those of them whose devices the provider had refused for a while: the next wait goes by them.
  refusals          integer not null default 0,
  -- Places 1 to handed may have left us under this claim.
  handed            integer not null default 0,
  -- Places whose outcomes were recorded under this claim, which goes on.
  recorded          integer not null default 0,
  -- By the wall clock: nothing leaves at or after it, for the reason.
  not_after         timestamptz,
  not_after_reason  text,
  -- Parallel arrays: the targets as they were when the firing was expanded; those that have their outcome are cut out when
  -- the claim ends. Uncompressed: compressing them took 5 ms a chunk, when it was laid down and again when it was
  -- claimed, for rows that live for seconds.
  device_ids        bigint[] storage external not null,
  user_keys         bigint[] storage external not null,
  countries         text[] storage external not null,
  languages         text[] storage external not null,
  timezones         integer[] storage external not null,
  -- Devices in the chunk. The default is a whole chunk: what does not say is no small one.
  targets           integer not null default 1000,
  primary key (firing_id, chunk_no)
-- Laid down, claimed, changed and deleted within seconds: vacuumed by their number, and so are their arrays, each some pieces.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000);
-- Low chunk numbers first is what lets a small message pass a big one.
create index fan_out_chunk_spread on fan_out_chunk (service_id, device_type, chunk_no, firing_id) where state = 'READY';
create index fan_out_chunk_oldest on fan_out_chunk (service_id, device_type, firing_id, chunk_no) where state = 'READY';
-- What was refused for a while and is due again; few, and none that was just laid down.
create index fan_out_chunk_due on fan_out_chunk (service_id, device_type, firing_id, chunk_no)
  where state = 'READY' and refusals > 0;
create index fan_out_chunk_small on fan_out_chunk (service_id, device_type, firing_id, chunk_no)
  where state = 'READY' and targets <= 20;
create index fan_out_chunk_later on fan_out_chunk (not_before) where state = 'LATER';
create index fan_out_chunk_claimed on fan_out_chunk (lease_until) where state = 'CLAIMED';
-- Numbers of chunks that are split off others: above all that expansion gives.
create sequence fan_out_chunk_split as integer minvalue 1000000000 cycle;`;

/**
 * What became of each device, never updated, and what that adds up to. By days, each of which goes as a whole: these tables
 * reference nothing, and nothing references them (docs/decisions/0036).
 */
const OUTCOMES = `
-- Whoever records has its chunk, which has its firing; whoever removes a firing before its day is gone removes its chunks and
-- its outcomes first. A reference would lock the firing for each row, 10 ms a chunk.
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
  -- One device, one outcome: a second hand-over's record is refused, not added.
  primary key (firing_id, device_id)
) partition by range (firing_id);

-- What was rendered for whom: one row a device type and language, not one a device.
create table payload (
  firing_id    bigint not null,
  device_type  text not null,
  language     text not null,
  -- APNs request headers; FCM has none.
  headers      json not null,
  -- FCM's leaves out the token, which differs by device.
  body         text not null,
  primary key (firing_id, device_type, language)
) partition by range (firing_id);

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

-- Of firings whose outcomes are summed up; by the columns of a breakdown.
create table outcome_count (
  firing_id    bigint not null references firing on delete cascade,
  outcome      text not null check (outcome in ('sent', 'failed', 'unknown')),
  -- Empty for those that were sent: a key holds no null.
  reason       text not null,
  device_type  text not null,
  country      text not null,
  language     text not null,
  timezone     integer not null,
  count        bigint not null,
  primary key (firing_id, outcome, reason, device_type, country, language, timezone)
);`;
