/**
 * Sends, their history and attempts, partitioned by the month in the send's UUIDv7; live_send, the plain table on
 * which "never twice" rests (planning.md §7). The triggers refuse every arrow the table of life-of-a-send.md does not
 * list and write the history, once per statement however many rows it moves.
 */
export const SENDS = `
create table send (
  id              uuid not null,
  service_id      text not null,
  campaign        uuid not null,
  revision        integer not null,
  occurrence      text not null,
  cell            text not null,
  chunk           integer not null default 0,
  -- The send this one is a retry of, and how many retries came before it.
  retry_of        uuid,
  retries         integer not null default 0,
  state           text not null,
  -- Why it stands in its state: a stable code, and the push service's own words or the numbers behind it.
  code            text,
  detail          text,
  -- Asked for while it could not be taken back at once; only rises: held, superseded, canceled.
  goal            text check (goal in ('held', 'superseded', 'canceled')),
  -- Of state, its birth the first: the sequence of what is told of it.
  changes         integer not null default 1,
  state_at        timestamptz not null,
  state_by        text not null,
  -- immediate | reserved | scheduled: chosen at planning, again at hand-off.
  mode            text not null check (mode in ('immediate', 'reserved', 'scheduled')),
  mode_rule       text not null,
  schedule_code   text,
  -- null only for a standing message (scheduled).
  intended_at     timestamptz,
  due_at          timestamptz,
  -- What is to be done with it, and when: f fire (due, due − horizon, or after a back-off), p poll, c cancel, r repeat a
  -- request whose answer was lost, u ask what became of one whose requestId is known. null: nothing. Firing changes neither.
  work            "char" generated always as (
    case when state in ('planned', 'claimed', 'sending') then 'f'::"char"
         when state in ('accepted', 'reserved', 'scheduled') then 'p'::"char"
         when state = 'canceling' then 'c'::"char"
         when state = 'uncertain' and request_id is null then 'r'::"char"
         when state = 'uncertain' then 'u'::"char" end) stored,
  next_at         timestamptz,
  -- USER ids of this chunk; null for CHANNEL and ALL.
  recipients      text[],
  -- Fencing: a worker may act on a send only with the token it claimed it with. The lease ends by the database's own
  -- clock: it measures real time between processes, which no stepped clock may stretch.
  claim_token     uuid,
  lease_until     timestamptz,
  attempts        integer not null default 0,
  -- The replica that made the newest attempt.
  fired_by        uuid,
  -- The push service's side.
  request_id      text,
  handed_off_at   timestamptz,
  answered_at     timestamptz,
  gateway_status  text,
  looks           integer not null default 0,
  target_count    integer,
  sent_count      integer,
  complete_time   timestamptz,
  -- Somebody should look at it: the operators' list.
  needs_attention boolean generated always as (state in ('failed', 'stale', 'rejected', 'uncertain', 'expired')) stored,
  created_at      timestamptz not null,
  constraint send_pkey primary key (id)
) partition by range (id);
create table send_default partition of send default;
-- Whatever is due, by project: all that dispatch and follow read.
create index send_work on send (service_id, work, next_at, chunk, id) where work is not null;
-- The sweep for leases that ended.
create index send_lease on send (lease_until) where state in ('claimed', 'sending');
-- A campaign's page.
create index send_cell on send (campaign, occurrence, cell, chunk);
-- The failures list, and the retries of many. By columns that firing leaves as they are, as all of these indexes.
create index send_attention on send (service_id, id) where needs_attention;

-- The newest send of every chunk: one row per chunk, for ever, so no two can live.
create table live_send (
  campaign    uuid not null,
  occurrence  text not null,
  cell        text not null,
  chunk       integer not null,
  send        uuid not null constraint live_send_send unique,
  constraint live_send_pkey primary key (campaign, occurrence, cell, chunk)
);

create table send_history (
  send        uuid not null,
  sequence    integer not null,
  from_state  text,
  to_state    text not null,
  code        text,
  detail      text,
  at          timestamptz not null,
  by          text not null,
  constraint send_history_pkey primary key (send, sequence)
) partition by range (send);
create table send_history_default partition of send_history default;

-- One HTTP call about a send: the hand-off, or a cancel. Looks (GET) leave no row, they only move the send.
create table attempt (
  send          uuid not null,
  attempt       integer not null,
  kind          text not null check (kind in ('send', 'cancel')),
  started_at    timestamptz not null,
  -- null while it runs, and for ever when the process died under it.
  ended_at      timestamptz,
  -- Whether the request began to be written (stack.md: the started signal), when it did not end in an answer.
  request_sent  boolean,
  http_status   integer,
  error_code    text,
  -- The answer's own words, at most 2 000 characters; never a secret.
  answer        text,
  outcome       text,
  constraint attempt_pkey primary key (send, attempt)
) partition by range (send);
create table attempt_default partition of attempt default;

create table send_transition (
  from_state  text not null,
  to_state    text not null,
  constraint send_transition_pkey primary key (from_state, to_state)
);
insert into send_transition values
  ('planned', 'claimed'), ('planned', 'held'), ('planned', 'superseded'), ('planned', 'canceled'),
  ('planned', 'expired'), ('planned', 'skipped'),
  ('claimed', 'sending'), ('claimed', 'planned'), ('claimed', 'held'), ('claimed', 'superseded'),
  ('claimed', 'canceled'), ('claimed', 'expired'), ('claimed', 'skipped'),
  ('sending', 'accepted'), ('sending', 'reserved'), ('sending', 'scheduled'), ('sending', 'rejected'),
  ('sending', 'planned'), ('sending', 'uncertain'), ('sending', 'held'), ('sending', 'superseded'), ('sending', 'canceled'),
  ('accepted', 'sent'), ('accepted', 'failed'), ('accepted', 'empty'), ('accepted', 'uncertain'),
  ('reserved', 'accepted'), ('reserved', 'failed'), ('reserved', 'stale'), ('reserved', 'canceled'),
  ('reserved', 'canceling'), ('reserved', 'uncertain'),
  ('scheduled', 'sent'), ('scheduled', 'failed'), ('scheduled', 'empty'), ('scheduled', 'canceled'), ('scheduled', 'canceling'),
  ('canceling', 'held'), ('canceling', 'superseded'), ('canceling', 'canceled'), ('canceling', 'reserved'), ('canceling', 'scheduled'),
  ('held', 'planned'), ('held', 'superseded'), ('held', 'canceled'), ('held', 'expired'),
  ('uncertain', 'accepted'), ('uncertain', 'reserved'), ('uncertain', 'scheduled'), ('uncertain', 'planned'),
  ('uncertain', 'sent'), ('uncertain', 'failed'), ('uncertain', 'empty');
`;
