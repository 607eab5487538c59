/**
 * What came in: every event with its raw bytes, and what became of it where that is no campaign or revision: a command, one that waits for its
 * campaign, a rejection or a duplicate. Each event has one row for it, here or in campaigns.ts (life-of-a-send.md, "Guarantee 3").
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
  -- The rejection whose event this is once more.
  replay_of    uuid,
  headers      jsonb not null default '{}',
  body         bytea not null,
  constraint event_pkey primary key (id)
) partition by range (id);
create index event_service on event (service_id, id);
-- A Kafka record read again after a crash is known by its place and its bytes, and leaves nothing behind.
create index event_record on event (topic, partition, "offset") where topic is not null;

-- Plain, never partitioned: (source, id) of a service is unique for 30 days, then the row is deleted. Every event that is taken
-- names a service that its token or topic may publish for, so no service takes another's key (docs/decisions/0065). Who looks up
-- an event knows its source and id, and not always its service.
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

-- Where the intake stands in a partition of Kafka, and the server that was told so (docs/decisions/0067).
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
  -- As its event has it: null for what could not be read.
  service_id      text,
  -- [{pointer, code, text}], every one found.
  reasons         jsonb not null,
  rejected_at     timestamptz not null,
  state           text not null default 'open' check (state in ('open', 'replayed', 'discarded')),
  -- The event that was taken in its place; who settled it, when and, discarding it, why.
  replay          uuid,
  settled_at      timestamptz,
  settled_by      text,
  settled_reason  text,
  topic           text,
  partition       integer,
  "offset"        bigint,
  body_hash       bytea not null,
  -- The same Kafka record read again after a crash is not a second rejection.
  constraint rejection_record unique (topic, partition, "offset", body_hash)
);
create index rejection_event on rejection (event);
-- The lists of people, newest first: of a service, of what is open, of a code.
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
  kind        text not null check (kind in ('cancel', 'pause', 'resume')),
  occurrence  text,
  reason      text,
  given_at    timestamptz not null,
  given_by    text not null
);
create index command_campaign on command (campaign, id);
create index command_event on command (event) where event is not null;

-- A command that came before its campaign, and waits for it until ends_at. It is deleted with the row that takes its place:
-- the command, or the rejection.
create table parked_command (
  event        uuid not null,
  service_id   text not null,
  -- The publisher's.
  campaign_id  text not null,
  -- What the command says, and the key of its event.
  source       text not null,
  event_id     text not null,
  event_time   timestamptz not null,
  occurrence   text,
  reason       text,
  ends_at      timestamptz not null,
  -- Why its campaign, which came, did not take it; null while none has come.
  reasons      jsonb,
  constraint parked_command_pkey primary key (event)
);
create index parked_command_campaign on parked_command (service_id, campaign_id, event);
create index parked_command_end on parked_command (ends_at);

-- Dead letters, their copies, and outcomes of commands on their way to Kafka: written with what they tell of, published
-- afterwards, then deleted. A row is a message as it is.
create table outbox (
  id            uuid not null,
  -- The order of publishing within a topic.
  position      bigint generated always as identity not null,
  created_at    timestamptz not null,
  published_at  timestamptz,
  -- Put aside, for Kafka refuses it; fault: Kafka's code.
  refused_at    timestamptz,
  fault         text,
  topic         text not null,
  -- Never null: a compacted topic refuses a message without a key.
  key           text not null,
  headers       jsonb not null,
  value         bytea not null,
  constraint outbox_pkey primary key (id)
-- Every row is updated once and deleted after a day: vacuumed by their number, whatever waits.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- What the publisher reads, topic by topic; what is deleted once it is old.
create index outbox_unpublished on outbox (topic, "position") where published_at is null and refused_at is null;
create index outbox_done on outbox (coalesce(published_at, refused_at)) where coalesce(published_at, refused_at) is not null;
`;
