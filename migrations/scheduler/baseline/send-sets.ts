/** Sets: retries and resolves of many sends. The sends of a set are listed at its preview and worked on in pages. */
export const SEND_SETS = `
-- A set and what became of it, one row for each project, so that no project waits for another; its id is the token that confirms it.
create table send_set (
  id            uuid not null,
  -- '': no project has a send that needs attention.
  service_id    text not null,
  kind          text not null,
  filter        jsonb not null,
  resolution    text,
  reason        text,
  -- The services that the caller holds; null: all. Whoever reads or confirms it must hold them too.
  held          text[],
  -- The counts of its pages; and sends that are left out, by code.
  counts        jsonb not null default '{}',
  left_out      jsonb not null default '{}',
  -- What a preview of retries says about them: devices, the oldest due, campaigns, and what would fail again.
  facts         jsonb not null default '{}',
  created_at    timestamptz not null,
  created_by    text not null,
  expires_at    timestamptz,
  confirmed_at  timestamptz,
  confirmed_by  text,
  done_at       timestamptz,
  -- The next page begins behind this send of this step. 0: sends are found; 1, 2, 3: results are asked for, each time those that could
  -- not be read before; 4: the sends are retried or resolved, once the set is confirmed; 5: done.
  step          integer not null default 0,
  after_send    uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Who works on its page, and when the next may be taken, by the database's clock. Null: there is nothing to do.
  lease         uuid,
  next_at       timestamptz,
  constraint send_set_pkey primary key (id, service_id),
  constraint send_set_kind check (kind = 'retry' and resolution is null
    or kind = 'resolve' and resolution in ('confirmed-sent', 'confirmed-not-sent'))
);
create index send_set_turn on send_set (next_at) where next_at is not null;
create index send_set_age on send_set (created_at);

-- A send of a set and the step for which it waits; a send that is left out or done has no row.
create table send_set_item (
  set_id      uuid not null,
  service_id  text not null,
  step        integer not null,
  send        uuid not null,
  constraint send_set_item_pkey primary key (set_id, service_id, step, send),
  constraint send_set_item_set foreign key (set_id, service_id) references send_set on delete cascade
);
`;
