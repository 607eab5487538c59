/** Retries of many sends: each set is frozen at its preview and worked off in pages. */
export const RETRIES = `
-- A preview of retries and what became of it; its id is the token that confirms it.
create table retry_batch (
  id            uuid not null constraint retry_batch_pkey primary key,
  state         text not null constraint retry_batch_state
                check (state in ('gathering', 'asking', 'ready', 'retrying', 'done')),
  filter        jsonb not null,
  -- What the caller held: null for everything. Whoever reads or confirms it holds as much.
  held          text[],
  -- The services still to be gathered, and the last send of the first of them.
  services      text[] not null,
  after_send    uuid,
  counts        jsonb not null,
  created_at    timestamptz not null,
  created_by    text not null,
  expires_at    timestamptz,
  confirmed_at  timestamptz,
  confirmed_by  text,
  done_at       timestamptz,
  -- Whose page it is, and when the next may be done: real time, by the database's clock.
  token         uuid,
  next_at       timestamptz not null
);
create index retry_batch_open on retry_batch (next_at) where state in ('gathering', 'asking', 'retrying');
create index retry_batch_age on retry_batch (created_at);

create table retry_item (
  batch       uuid not null references retry_batch on delete cascade,
  send        uuid not null,
  service_id  text not null,
  request_id  text,
  -- ask: its result is asked for once more; retry: it will be retried; then retried, or left out with a code.
  state       text not null constraint retry_item_state check (state in ('ask', 'retry', 'retried', 'left-out')),
  code        text,
  sent_count  integer,
  tries       integer not null default 0,
  retry       uuid,
  constraint retry_item_pkey primary key (batch, send)
);
create index retry_item_open on retry_item (batch, state, send) where state in ('ask', 'retry');
`;
