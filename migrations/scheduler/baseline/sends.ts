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

/** The row types of arguments of functions in sql/scheduler/functions/. */
const GIVEN = [FIRE_ORDERS, ANSWERS, ATTEMPT_ENDS, PUT_BACKS, MOVES, LOST_FIRES, POLLS, PAGE_PLACES] as const;

/**
 * Sends, their recipients, notes and attempts. Those of open sends lie in one partition of each table, those of ended ones in
 * partitions by the day of the end (docs/decisions/0077). "Never twice" (planning.md §7) is ensured by the primary key of cell for
 * first sends, and by next_send for later ones. The triggers run once for each statement, however many rows it changes. They refuse
 * every arrow that life-of-a-send.md, "Send: arrows", does not list, note the change before if no column has it, and write the events.
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
  -- How many changes of state it has had, the insert included: the sequence of its outcomes.
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
  -- The replica that made the newest attempt: if it is dead, the send becomes uncertain while it is 'sending'.
  fired_by        uuid,
  -- The push service's side.
  request_id      text,
  -- How often a resume or an approval planned it again after the push service had given it back; null: never. It is a part of the
  -- Idempotency-Key, because the same key would be answered with the reservation that is cancelled.
  released        integer,
  handed_off_at   timestamptz,
  answered_at     timestamptz,
  -- The newest attempt; the table attempt has those before it. Without outcome it has not ended. Its instants are set only where the two
  -- columns above do not have them: a repeat is no hand-off, and an attempt may end without an answer.
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
  -- It is in the operators' list of sends that need attention.
  needs_attention boolean generated always as (state in ${sqlList(ATTENTION_STATES)}) stored,
  created_at      timestamptz not null,
  constraint send_ended check ((ended_at < 'infinity') = (state in ${sqlList(ENDED_STATES)}))
) partition by range (ended_at);
-- Open sends. Pages keep free room, so that a send that is fired has its new version on the same page and needs no new index entries.
-- Each send leaves about four dead versions; with 0.02 vacuum comes often, even if many sends are planned ahead. Vacuum does not
-- shorten the file, so that the planner never sees a table without pages.
create table send_open partition of send for values from ('infinity') to (maxvalue)
  with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, vacuum_truncate = off);
-- Each partition has its own primary key, without ended_at: with it PostgreSQL might choose this index to read a whole partition.
alter table send_open add primary key (id);
-- Due work by project: dispatch and follow read nothing else.
create index send_work on send_open (service_id, work, next_at, chunk, id) where work is not null;
-- For pages of a campaign's sends.
create index send_cell on send (campaign, occurrence, cell, chunk);
-- For the list of failures and sets of retries. Like all of these indexes it has only columns that firing does not change.
create index send_attention on send (service_id, id) where needs_attention;
-- For people who have the request id of a push service. By hash: it is 20 bytes for each send, a B-tree 60.
create index send_request on send using hash (request_id);

-- USER ids of a send's chunk; none for CHANNEL and ALL. A table of their own, so that a change of a send does not copy them. Never
-- shown. Kept while the send is open, and after its end while it may be retried (move_with_ended).
create table send_recipients (
  send           uuid not null,
  send_ended_at  timestamptz not null default 'infinity',
  recipients     text[] not null
) partition by range (send_ended_at);
create table send_recipients_open partition of send_recipients for values from ('infinity') to (maxvalue) with (vacuum_truncate = off);
alter table send_recipients_open add primary key (send);

-- Changes that the send's columns no longer have: written when the next change overwrites them (send_write_history).
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

-- Every change of a send, each once: the newest is the send's row itself; others are in send_note; and the first three, if they are
-- not there, are in the row's columns: planned, handed off, and answered.
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

-- HTTP calls for a send: its cancels, and each hand-off but the newest, which is in the send's row (fire copies it here before it
-- overwrites it). Polls (GET) have no row. Read the view send_attempt, which has all of them.
create table attempt (
  send          uuid not null,
  send_ended_at timestamptz not null default 'infinity',
  attempt       integer not null,
  kind          text not null check (kind in ('send', 'cancel')),
  started_at    timestamptz not null,
  -- null while it runs, and always if its process died during the call.
  ended_at      timestamptz,
  -- Whether the request began to be written (hand-off.md, "What an answer means"), when it did not end in an answer.
  request_sent  boolean,
  http_status   integer,
  error_code    text,
  -- The text of the answer, at most 2 000 characters; never a secret.
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

-- Open sends, with whether they are still wanted (no cancel or pause), and until when their request may be repeated (null: always).
create view send_repeat as
select s.*,
       s.goal is null and c.state not in ('canceling', 'canceled') and not c.paused
         and not exists (select from campaign_act k where k.goal is not null
                          and k.campaign = s.campaign
                          and k.mark <> 'revision'
                          and case when k.occurrence is not null then k.occurrence = s.occurrence
                                   else k.mark <> 'approval' or s.occurrence not like 'test-%' end) as wanted,
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

-- Answers that the database refused to write. The table has no foreign key, no check and no trigger, which may be the reason of the
-- refusal. Written by store/send/unwritten-answer.store.ts. facts: the row that was to be written, its texts cut short. code: why the
-- database refused it (SQLSTATE); null: the client refused it before it asked the database.
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

-- The counts of a standing message at its last poll of each UTC day, since its beginning, as the push service answered. They are kept
-- longer than the send, and the campaign's reports still show them then.
create table standing_count (
  send          uuid not null,
  campaign      uuid not null,
  occurrence    text not null,
  day           date not null,
  target_count  integer,
  sent_count    integer,
  at            timestamptz not null,
  -- The send is gone, and another one took its place.
  replaced      boolean not null default false,
  constraint standing_count_pkey primary key (send, day)
);
create index standing_count_campaign on standing_count (campaign, send);

${GIVEN.map(({ createType }) => createType).join('\n')}
create type ended_send as (id uuid, ended_at timestamptz, retryable boolean);
`;
