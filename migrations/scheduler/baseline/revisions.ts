/**
 * The plan of a revision that is to take the place of the one in force (planning.md §7): rows as in occurrence, cell and send, which
 * store/send/revise.store.ts compares with these and then moves there, page by page. A campaign has one such plan at a time.
 */
export const REVISIONS = `
create table occurrence_next (
  campaign    uuid not null,
  occurrence  text not null,
  revision    integer not null,
  state       text not null,
  code        text,
  first_due   timestamptz,
  last_due    timestamptz,
  state_at    timestamptz not null,
  constraint occurrence_next_pkey primary key (campaign, occurrence)
);

create table cell_next (
  like cell including defaults,
  constraint cell_next_pkey primary key (campaign, occurrence, cell)
);

create table send_next (
  campaign       uuid not null,
  occurrence     text not null,
  cell           text not null,
  chunk          integer not null,
  -- new: its chunk has no send. changed, same: it has one that has not gone. late: it has one that has. gone: a chunk that the
  -- revision no longer has.
  what           text not null default 'new' check (what in ('new', 'changed', 'same', 'late', 'gone')),
  -- It goes to whom the send in its place goes.
  takes_over     boolean not null default false,
  -- The send that it becomes; of one that is gone it is only the name of this row.
  id             uuid not null,
  -- null, like all below: gone.
  ended_at       timestamptz,
  recipients     integer,
  service_id     text,
  revision       integer,
  state          text,
  code           text,
  detail         text,
  mode           text,
  mode_rule      text,
  schedule_code  text,
  intended_at    timestamptz,
  due_at         timestamptz,
  next_at        timestamptz,
  state_at       timestamptz,
  state_by       text,
  created_at     timestamptz,
  -- Its user ids; null: it has none, or takes those of the send in its place.
  ids            text[],
  constraint send_next_pkey primary key (campaign, occurrence, cell, chunk),
  constraint send_next_id unique (id)
);
`;
