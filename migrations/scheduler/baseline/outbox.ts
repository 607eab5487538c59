/** What must reach Kafka: written in the transaction that it tells of, published afterwards, then deleted. */
export const OUTBOX = `
-- A row is a message as it is (topic, key, headers, value), or what became of a send (send), or of a campaign or an
-- occurrence (kind), told by the columns from kind on; created_at is when.
create table outbox (
  id            uuid not null,
  -- The order of publishing: taken while the rows it is about are locked, so it follows cause and effect between
  -- processes whose clocks differ, which the time in an id does not.
  position      bigint generated always as identity not null,
  -- One publisher at a time has a shard; all of a key, or of a campaign, is in one.
  shard         smallint not null default 0,
  created_at    timestamptz not null,
  published_at  timestamptz,
  topic         text,
  key           text,
  headers       jsonb,
  value         bytea,
  -- campaign.<state>, campaign.corrected, occurrence.completed, occurrence.skipped; null: a send's.
  kind          text,
  campaign      uuid,
  -- The change number of its send, or the number of the outcome among its campaign's.
  sequence      integer,
  revision      integer,
  occurrence    text,
  send          uuid,
  cell          text,
  chunk         integer,
  retry_of      uuid,
  from_state    text,
  to_state      text,
  code          text,
  detail        text,
  -- Every problem found, of a rejected campaign.
  problems      jsonb,
  due_at        timestamptz,
  request_id    text,
  -- A campaign's are the sums of its sends'.
  target_count  bigint,
  sent_count    bigint,
  constraint outbox_pkey primary key (id),
  constraint outbox_one_kind check (num_nonnulls(value, send, kind) = 1)
);
-- What the publisher reads, shard by shard; what is deleted once it is old.
create index outbox_unpublished on outbox (shard, "position") where published_at is null;
create index outbox_published on outbox (published_at) where published_at is not null;
`;
