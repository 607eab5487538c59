/** Retries and resolves of many sends: each set is frozen at its preview and worked off in pages. */
export const RETRIES = `
-- A preview of retries and what became of it, project by project, so that none waits for another; its id is the token that
-- confirms it.
create table retry_batch (
  id            uuid not null,
  -- '': no project has anything to retry.
  service_id    text not null,
  filter        jsonb not null,
  -- What the caller held: null for everything. Whoever reads or confirms it holds as much.
  held          text[],
  -- What its pages have counted; of what is left out, by code.
  counts        jsonb not null default '{}',
  left_out      jsonb not null default '{}',
  created_at    timestamptz not null,
  created_by    text not null,
  expires_at    timestamptz,
  confirmed_at  timestamptz,
  confirmed_by  text,
  done_at       timestamptz,
  -- Where its next page begins: behind this send of this step. 0: sends are found; 1, 2, 3: results are asked for, what was
  -- not told once more; 4: retries are made, once that is confirmed; 5: done.
  step          integer not null default 0,
  after_send    uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Whose page it is, and when the next may be done: real time, by the database's clock. next_at: null where nothing is to be
  -- done.
  lease         uuid,
  next_at       timestamptz default clock_timestamp(),
  -- When the filter is searched next; null once its sends are found.
  find_at       timestamptz,
  constraint retry_batch_pkey primary key (id, service_id)
);
create index retry_batch_open on retry_batch (next_at) where next_at is not null;
create index retry_batch_turn on retry_batch ((coalesce(find_at, next_at))) where coalesce(find_at, next_at) is not null;
create index retry_batch_age on retry_batch (created_at);

-- A send that will be retried, and the step it waits for; what is left out or retried has none.
create table retry_item (
  batch       uuid not null,
  service_id  text not null,
  step        integer not null,
  send        uuid not null,
  constraint retry_item_pkey primary key (batch, service_id, step, send),
  constraint retry_item_batch foreign key (batch, service_id) references retry_batch on delete cascade
);

-- Sets of resolves, alike.
create table resolve_batch (
  id            uuid not null,
  service_id    text not null,
  filter        jsonb not null,
  resolution    text not null,
  reason        text,
  held          text[],
  counts        jsonb not null default '{}',
  left_out      jsonb not null default '{}',
  created_at    timestamptz not null,
  created_by    text not null,
  expires_at    timestamptz,
  confirmed_at  timestamptz,
  confirmed_by  text,
  done_at       timestamptz,
  step          integer not null default 0,
  after_send    uuid not null default '00000000-0000-0000-0000-000000000000',
  lease         uuid,
  next_at       timestamptz,
  find_at       timestamptz,
  constraint resolve_batch_pkey primary key (id, service_id),
  constraint resolve_batch_resolution check (resolution in ('confirmed-sent', 'confirmed-not-sent'))
);
create index resolve_batch_turn on resolve_batch ((coalesce(find_at, next_at))) where coalesce(find_at, next_at) is not null;
create index resolve_batch_age on resolve_batch (created_at);

create table resolve_item (
  batch       uuid not null,
  service_id  text not null,
  step        integer not null,
  send        uuid not null,
  constraint resolve_item_pkey primary key (batch, service_id, step, send),
  constraint resolve_item_batch foreign key (batch, service_id) references resolve_batch on delete cascade
);
`;
