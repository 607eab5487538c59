/** Dead letters and rejections on their way to Kafka: written with what they tell of, published afterwards, then deleted. */
export const OUTBOX = `
-- A row is a message as it is.
create table outbox (
  id            uuid not null,
  -- The order of publishing within a shard.
  position      bigint generated always as identity not null,
  -- One publisher at a time has a shard; all of a key is in one.
  shard         smallint not null default 0,
  created_at    timestamptz not null,
  published_at  timestamptz,
  topic         text not null,
  key           text,
  headers       jsonb not null,
  value         bytea not null,
  constraint outbox_pkey primary key (id)
);
-- What the publisher reads, shard by shard; what is deleted once it is old.
create index outbox_unpublished on outbox (shard, "position") where published_at is null;
create index outbox_published on outbox (published_at) where published_at is not null;
`;
