import { sqlList, sqlRows } from '../../../src/platform/database/sql-list.js';
import { ANSWERS, ATTEMPT_ENDS } from '../../../src/scheduler/store/send/answer.store.js';
import { PAGE_PLACES } from '../../../src/scheduler/store/send/close.store.js';
import { FIRE_ORDERS } from '../../../src/scheduler/store/send/fire.store.js';
import { LOST_FIRES } from '../../../src/scheduler/store/send/lost-fire.store.js';
import { MOVES } from '../../../src/scheduler/store/send/move.store.js';
import { POLLS } from '../../../src/scheduler/store/send/poll.store.js';
import { PUT_BACKS } from '../../../src/scheduler/store/send/put-back.store.js';
import {
  allArrows,
  ATTENTION_STATES,
  ENDED_STATES,
  SEND_GOALS,
  statesOfWork,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';

/** The rows that functions of sql/scheduler/functions/ are given, each in one argument. */
const GIVEN = [FIRE_ORDERS, ANSWERS, ATTEMPT_ENDS, PUT_BACKS, MOVES, LOST_FIRES, POLLS, PAGE_PLACES] as const;

/**
 * Sends, their recipients, notes and attempts: what is open in one part each, what has ended in parts by the day of its end
 * (docs/decisions/0077). "Never twice"
 * (planning.md §7) rests on the cell's primary key for first sends, for later ones on next_send. The triggers refuse every
 * arrow the table of life-of-a-send.md, "Send: arrows", does not list, keep what no column tells of the change before, and tell of the new
 * one, once per statement however many rows it moves.
 */
export const SENDS = `
create table send (
  id              uuid not null,
  -- When it came to the state in which it ended, or later where a clock was set back (send_to_day_of_end); infinity: it is open.
  ended_at        timestamptz not null default 'infinity',
  service_id      text not null,
  campaign        uuid not null,
  revision        integer not null,
  occurrence      text not null,
  cell            text not null,
  chunk           integer not null default 0,
  -- How many ids it goes to; null: its audience is not made of ids.
  recipients      integer,
  -- The send this one is a retry of, and how many retries came before it.
  retry_of        uuid,
  retries         integer not null default 0,
  -- The send that took its place in its chunk: set once, with the statement that inserts that one. null: it is the newest
  -- of its chunk, the one that counts.
  next_send       uuid,
  state           text not null,
  -- Why it stands in its state: a stable code, and the push service's own words or the numbers behind it.
  code            text,
  detail          text,
  -- Asked for while it could not be taken back at once; only rises: held, superseded, canceled.
  goal            text check (goal in ${sqlList(SEND_GOALS)}),
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
  -- Of a retry: when the first send of its chunk was due, which may be gone before it.
  first_due       timestamptz,
  -- What is to be done with it, and when: f fire (due, due − horizon, or after a back-off), p poll, c cancel, r repeat a
  -- request whose answer was lost, u ask what became of one whose requestId is known. null: nothing. Firing changes neither.
  work            "char" generated always as (
    case when state in ${sqlList(statesOfWork('fire'))} then 'f'::"char"
         when state in ${sqlList(statesOfWork('poll'))} then 'p'::"char"
         when state in ${sqlList(statesOfWork('cancel'))} then 'c'::"char"
         when state in ${sqlList(statesOfWork('repeat'))} and request_id is null then 'r'::"char"
         when state in ${sqlList(statesOfWork('repeat'))} then 'u'::"char" end) stored,
  next_at         timestamptz,
  attempts        integer not null default 0,
  -- The replica that made the newest attempt: where it is gone, what is 'sending' is uncertain.
  fired_by        uuid,
  -- The push service's side.
  request_id      text,
  handed_off_at   timestamptz,
  answered_at     timestamptz,
  -- The newest attempt, as in the table attempt, which has those before it; without outcome it has not ended. Its instants
  -- only where the two above do not tell them: a repeat is no hand-off, and not everything that ends one is an answer.
  attempt_started_at  timestamptz,
  attempt_ended_at    timestamptz,
  request_sent    boolean,
  http_status     integer,
  error_code      text,
  answer          text,
  outcome         text,
  gateway_status  text,
  polls           integer not null default 0,
  target_count    integer,
  sent_count      integer,
  complete_time   timestamptz,
  -- Somebody should look at it: the operators' list.
  needs_attention boolean generated always as (state in ${sqlList(ATTENTION_STATES)}) stored,
  created_at      timestamptz not null,
  constraint send_ended check ((ended_at < 'infinity') = (state in ${sqlList(ENDED_STATES)}))
) partition by range (ended_at);
-- What is open. Room on each page for sends that are fired, whose new version then needs no entry in an index. Vacuum: each send
-- leaves some four dead versions; at a fiftieth a pass comes often, however much is planned ahead. It does not cut the file, so that
-- a table that is empty for now is never planned as one without pages.
create table send_open partition of send for values from ('infinity') to (maxvalue)
  with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, vacuum_truncate = off);
-- Each part has a primary key of its own, without the end: that would make the index a way to read all of a part.
alter table send_open add primary key (id);
-- Whatever is due, by project: all that dispatch and follow read.
create index send_work on send_open (service_id, work, next_at, chunk, id) where work is not null;
-- A campaign's page.
create index send_cell on send (campaign, occurrence, cell, chunk);
-- The failures list, and the retries of many. By columns that firing leaves as they are, as all of these indexes.
create index send_attention on send (service_id, id) where needs_attention;

-- USER ids of a send's chunk; none for CHANNEL and ALL. Apart, so that no change of a send copies them. Never shown. Kept while the
-- send is open, and of an ended one while it may be retried (lay_with_ended).
create table send_recipients (
  send           uuid not null,
  send_ended_at  timestamptz not null default 'infinity',
  recipients     text[] not null
) partition by range (send_ended_at);
create table send_recipients_open partition of send_recipients for values from ('infinity') to (maxvalue) with (vacuum_truncate = off);
alter table send_recipients_open add primary key (send);

-- Changes that no column of the send tells: written when the next one overwrites them (send_write_history).
create table send_note (
  send           uuid not null,
  send_ended_at  timestamptz not null default 'infinity',
  -- The number of the change.
  sequence       integer not null,
  to_state       text not null,
  code           text,
  detail         text,
  at             timestamptz not null,
  by             text not null
) partition by range (send_ended_at);
create table send_note_open partition of send_note for values from ('infinity') to (maxvalue) with (vacuum_truncate = off);
alter table send_note_open add primary key (send, sequence);

-- Every change of a send, each once: the newest is the row itself, of the others those that send_note has, and of the first
-- three, where it has none, what the row tells: planned, handed off, and what the push service made of it.
create view send_change as
select id as send, changes as sequence, state as to_state, code, detail, state_at as at, state_by as by from send
union all
select send, sequence, to_state, code, detail, at, by from send_note
union all
select s.id, t.sequence, t.to_state, null, null, t.at, t.by
  from send s cross join lateral (
    values (1, 'planned', s.created_at, 'plan'), (2, 'sending', s.handed_off_at, 'dispatch'),
           (3, case s.mode when 'immediate' then 'accepted' else s.mode end, s.answered_at, 'dispatch'))
    as t(sequence, to_state, at, by)
 where t.sequence < s.changes and t.at is not null
   and not exists (select from send_note n where n.send = s.id and n.send_ended_at = s.ended_at and n.sequence = t.sequence);

create view send_history as
select send, sequence, lag(to_state) over (partition by send order by sequence) as from_state, to_state, code, detail, at, by
  from send_change;

-- HTTP calls about a send: each hand-off before the newest, which stands on the send (fire copies it here when it overwrites
-- it), and the cancels. Looks (GET) leave no row, they only move the send. Read send_attempt, which has all of them.
create table attempt (
  send          uuid not null,
  send_ended_at timestamptz not null default 'infinity',
  attempt       integer not null,
  kind          text not null check (kind in ('send', 'cancel')),
  started_at    timestamptz not null,
  -- null while it runs, and for ever when the process died under it.
  ended_at      timestamptz,
  -- Whether the request began to be written (hand-off.md, "What an answer means"), when it did not end in an answer.
  request_sent  boolean,
  http_status   integer,
  error_code    text,
  -- The answer's own words, at most 2 000 characters; never a secret.
  answer        text,
  outcome       text
) partition by range (send_ended_at);
create table attempt_open partition of attempt for values from ('infinity') to (maxvalue) with (vacuum_truncate = off);
alter table attempt_open add primary key (send, attempt);

create view send_attempt as
select send, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome from attempt
union all
select s.id, s.attempts, 'send', coalesce(s.attempt_started_at, s.handed_off_at),
       case when s.outcome is not null then coalesce(s.attempt_ended_at, s.answered_at) end,
       s.request_sent, s.http_status, s.error_code, s.answer, s.outcome
  from send s
 where s.attempts > 0 and coalesce(s.attempt_started_at, s.handed_off_at) is not null
   and not exists (select from attempt a where a.send = s.id and a.send_ended_at = s.ended_at and a.attempt = s.attempts);

-- Open sends, whether anybody still wants them to go, and until when a request of theirs may be repeated (null: always).
create view send_repeat as
select s.*,
       s.goal is null and c.state not in ('canceling', 'canceled') and not c.paused
         and not exists (select from campaign_cancel k
                          where k.campaign = s.campaign and (k.occurrence is null or k.occurrence = s.occurrence)) as wanted,
       s.due_at + coalesce((r.data #>> '{policy,lateness,maxMs}')::float8, 1800000) * interval '1 millisecond' as repeat_until
  from send_open s
 cross join lateral (select c.state, c.paused from campaign c where c.id = s.campaign limit 1) c
 cross join lateral (select r.data from revision r where r.campaign = s.campaign and r.revision = s.revision limit 1) r;

create table send_transition (
  from_state  text not null,
  to_state    text not null,
  constraint send_transition_pkey primary key (from_state, to_state)
);
insert into send_transition values
  ${sqlRows(allArrows())};

-- What a call came to where the database would not have it written down: kept apart from every rule that may have refused
-- it, so without a foreign key, a check or a trigger. Written by store/send/unwritten-answer.store.ts. facts: the row that was to be written, its texts cut short. code: why the
-- database refused it (SQLSTATE); null where the client could not even ask.
create table unwritten_answer (
  send     uuid not null,
  attempt  integer not null,
  code     text,
  error    text not null,
  facts    jsonb not null,
  at       timestamptz not null,
  by       text not null,
  constraint unwritten_answer_pkey primary key (send, attempt)
);

-- What a standing message had come to at its last look of each UTC day; counts are of its whole life, as the push
-- service tells them. They outlive the send, and are told of its campaign then.
create table standing_count (
  send          uuid not null,
  campaign      uuid not null,
  occurrence    text not null,
  day           date not null,
  target_count  integer,
  sent_count    integer,
  at            timestamptz not null,
  -- Of a send that is gone: another one took its place.
  replaced      boolean not null default false,
  constraint standing_count_pkey primary key (send, day)
);
create index standing_count_campaign on standing_count (campaign, send);

${GIVEN.map(({ createType }) => createType).join('\n')}
create type ended_send as (id uuid, ended_at timestamptz, retryable boolean);
`;
