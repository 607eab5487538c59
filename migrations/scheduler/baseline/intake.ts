import { sqlList } from '../../../src/platform/database/sql-list.js';
import { ACT_NAMES, HAND_ACTS } from '../../../src/scheduler/decide/lifecycle/campaign-act.js';

/**
 * The intake: every event with its raw bytes; commands, commands that wait for their campaign, rejections and duplicates. Each event has
 * one row that says what it became, here or in campaigns.ts (life-of-a-send.md, "Guarantee 3").
 */
export const INTAKE = `
create table event (
  id           uuid not null,
  verdict      text not null check (verdict in ('campaign', 'revision', 'command', 'parked', 'rejected', 'duplicate')),
  -- The envelope, as far as it could be read.
  source       text,
  event_id     text,
  type         text,
  subject      text,
  service_id   text,
  event_time   timestamptz,
  received_at  timestamptz not null,
  via          text not null check (via in ('kafka', 'http')),
  topic        text,
  partition    integer,
  "offset"     bigint,
  token_id     uuid,
  -- The rejection whose event this replays.
  replay_of    uuid,
  headers      jsonb not null default '{}',
  body         bytea not null,
  constraint event_pkey primary key (id)
) partition by range (id);
create index event_service on event (service_id, id);
-- A Kafka record that is read again after a crash is recognised by its place and bytes, and leaves no row.
create index event_record on event (topic, partition, "offset") where topic is not null;

-- Not partitioned: (source, id) is unique in a service for 30 days, then the row is deleted. The service is that of the event's token
-- or topic, so no service takes another's key (docs/decisions/0065). Source and id come first in the key, because whoever looks an
-- event up does not always know its service.
create table inbox_key (
  source        text not null,
  event_id      text not null,
  service_id    text not null,
  content_hash  bytea not null,
  event         uuid not null,
  taken_at      timestamptz not null,
  constraint inbox_key_pkey primary key (source, event_id, service_id)
);
create index inbox_key_taken_at on inbox_key (taken_at);
-- For people who have the id of an event and not its source.
create index inbox_key_event_id on inbox_key using hash (event_id);

-- The intake's place in each partition of Kafka, and the database server to which it was written (docs/decisions/0067).
create table partition_place (
  topic        text not null,
  partition    integer not null,
  next_offset  bigint not null,
  server       text not null,
  constraint partition_place_pkey primary key (topic, partition)
);

create table rejection (
  id              uuid primary key,
  event           uuid not null,
  -- As its event has it; null: it could not be read.
  service_id      text,
  -- [{pointer, code, text}], all of them.
  reasons         jsonb not null,
  rejected_at     timestamptz not null,
  state           text not null default 'open' check (state in ('open', 'replayed', 'discarded')),
  -- The event that was taken in its place; who settled it, when, and why it was discarded.
  replay          uuid,
  settled_at      timestamptz,
  settled_by      text,
  settled_reason  text,
  topic           text,
  partition       integer,
  "offset"        bigint,
  body_hash       bytea not null,
  -- A Kafka record that is read again after a crash is not a second rejection.
  constraint rejection_record unique (topic, partition, "offset", body_hash)
);
create index rejection_event on rejection (event);
-- For lists in the API, newest first: by service, of open ones, by code.
create index rejection_service on rejection (service_id, id);
create index rejection_open on rejection (id) where state = 'open';
create index rejection_reasons on rejection using gin (reasons jsonb_path_ops);

create table duplicate (
  event     uuid primary key,
  of_event  uuid not null
);

create table command (
  id          uuid primary key,
  -- null for a command given by hand over the API.
  event       uuid,
  campaign    uuid not null,
  act         text not null check (act in ${sqlList(HAND_ACTS)}),
  occurrence  text,
  reason      text,
  given_at    timestamptz not null,
  given_by    text not null
);
create index command_campaign on command (campaign, id);
create index command_event on command (event) where event is not null;

-- A command that came before its campaign and waits for it until ends_at. It is deleted when its command or its rejection is inserted.
create table parked_command (
  event        uuid not null,
  service_id   text not null,
  -- The publisher's.
  campaign_id  text not null,
  -- The key of its event, and the members of the command.
  source       text not null,
  event_id     text not null,
  event_time   timestamptz not null,
  act          text not null check (act in ${sqlList(ACT_NAMES)}),
  occurrence   text,
  reason       text,
  ends_at      timestamptz not null,
  -- Why its campaign did not take it when that came; null: no campaign has come.
  reasons      jsonb,
  constraint parked_command_pkey primary key (event)
);
create index parked_command_campaign on parked_command (service_id, campaign_id, event);
create index parked_command_end on parked_command (ends_at);

-- Dead letters, their copies, and outcomes of commands on their way to Kafka: written in the transaction of what they report, published
-- afterwards, then deleted. A row is a whole message.
create table outbox (
  id            uuid not null,
  -- The order of publishing within a topic.
  position      bigint generated always as identity not null,
  created_at    timestamptz not null,
  published_at  timestamptz,
  -- Put aside, because Kafka refuses it; fault: Kafka's code.
  refused_at    timestamptz,
  fault         text,
  topic         text not null,
  -- Never null: a compacted topic refuses a message without a key.
  key           text not null,
  headers       jsonb not null,
  value         bytea not null,
  constraint outbox_pkey primary key (id)
-- Every row is updated once and deleted after a day: vacuumed by the number of changes, however many rows wait.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- For the publisher, topic by topic; and for deletes of old rows.
create index outbox_unpublished on outbox (topic, "position") where published_at is null and refused_at is null;
create index outbox_done on outbox (coalesce(published_at, refused_at)) where coalesce(published_at, refused_at) is not null;
`;
