/** Erasures of users (docs/use/lists.md, "Erase a user"). */
export const ERASURES = `
create table erasure (
  id          uuid primary key,
  service_id  text not null,
  -- The id to delete; null: it is deleted everywhere.
  user_id     text,
  -- A keyed hash of it, by which the audit log and the certificate name the user.
  user_hash   text not null,
  asked_at    timestamptz not null,
  asked_by    text not null,
  -- Where the next page begins: the number of the place, the partition of its table, and the block in that.
  place       integer not null default 0,
  partition   text,
  block       bigint not null default 0,
  -- A pass goes through all places; the pass that finds nothing, and nothing to wait for, is the last.
  pass        integer not null default 1,
  pass_found  bigint not null default 0,
  pass_waits  bigint not null default 0,
  -- How many rows wait, as of the pass before.
  waits       bigint not null default 0,
  -- {table: rows from which it was deleted}
  found       jsonb not null default '{}',
  -- When its next page is due, by the database's clock.
  page_at     timestamptz not null default clock_timestamp(),
  done_at     timestamptz,
  constraint erasure_done check ((done_at is null) = (user_id is not null))
);
create index erasure_open on erasure (page_at) where done_at is null;
-- One at a time for a user.
create unique index erasure_user on erasure (service_id, user_id) where done_at is null;
`;
