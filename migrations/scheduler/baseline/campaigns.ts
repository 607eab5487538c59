import { sqlList, sqlRows } from '../../../src/platform/database/sql-list.js';
import { MARKED_ACTS, MARKS } from '../../../src/scheduler/decide/lifecycle/campaign-act.js';
import {
  campaignArrows,
  CAMPAIGN_STATES,
  OCCURRENCE_STATES,
} from '../../../src/scheduler/decide/lifecycle/campaign-state.js';
import { REVISION_STATES } from '../../../src/scheduler/decide/lifecycle/revision.js';
import { SEND_GOALS } from '../../../src/scheduler/decide/lifecycle/send-state.js';

/** Campaigns with their history, and their revisions, occurrences and cells (planning.md §1); acts on them; plans previewed. */
export const CAMPAIGNS = `
create table campaign (
  id           uuid primary key,
  -- No foreign key: no project is ever deleted, and each look-up of the parent locked its row (docs/decisions/0059).
  service_id   text not null,
  campaign_id  text not null,
  -- The event that created it.
  event        uuid not null constraint campaign_event unique,
  name         text,
  -- Of its first revision: lists find campaigns by them.
  tags         text[] not null default '{}',
  state        text not null,
  -- A pause of all of it is in force.
  paused       boolean not null default false,
  -- When the newest pause of all of it ended: occurrences of a recurrence that passed before it are skipped.
  resumed_at   timestamptz,
  -- The revision in force (or being planned first).
  revision     integer not null default 1,
  -- The revision that is planned, awaits approval or takes the place of the one in force; null: there is none.
  revises      integer,
  -- plan_at is when that revision is planned; rest_plan_at is then what plan_at was for the one in force.
  replans      boolean not null default false,
  rest_plan_at timestamptz,
  -- The zone rules moved some of its cells: it is to be planned again in its own place, as revision = revises.
  rules_moved  boolean not null default false,
  -- CloudEvents time of the newest event taken: older ones are SUPERSEDED.
  newest_time  timestamptz not null,
  -- When it is planned next: at once after it is inserted; after a back-off if planning failed; when its look-up has ended or is given
  -- up; or PLAN_AHEAD_HOURS before the next occurrences of a recurrence. infinity: a recurrence is paused. null: there is nothing more
  -- to plan.
  plan_at      timestamptz default '-infinity',
  -- Plannings in a row that began and did not succeed: the back-off grows with them.
  plan_tries   integer not null default 0,
  code         text,
  detail       text,
  history      integer not null default 1,
  state_at     timestamptz not null,
  state_by     text not null,
  -- How many events of the campaign and its occurrences were written: their sequence.
  outcomes     integer not null default 0,
  created_at   timestamptz not null,
  constraint campaign_campaign_id unique (service_id, campaign_id),
  constraint campaign_state check (state in ${sqlList(CAMPAIGN_STATES)})
-- Each campaign leaves several dead entries at the beginning of campaign_to_plan, where the planner reads. With the default, vacuum
-- would remove them only when a fifth of all campaigns have changed.
) with (autovacuum_vacuum_scale_factor = 0.01);
create index campaign_service on campaign (service_id, id);
-- The planner's claim.
create index campaign_to_plan on campaign (plan_at, id) where plan_at is not null;
create index campaign_rules_moved on campaign (id) where rules_moved;

-- A row for each change that may begin or end a campaign: the closer reads these, so that it need not look at every open campaign.
-- Triggers write them, so no change is without one. Rows are only inserted, so writers never wait for each other.
create table campaign_touched (
  id          bigint generated always as identity primary key,
  campaign    uuid not null,
  -- null: all of them.
  occurrence  text,
  -- A send of it came to a state that is published.
  published   boolean not null default false,
  -- A send of it came to a state that follows a hand-off.
  began       boolean not null default false
-- Every row is deleted soon: vacuumed by the number of changes, because a share of a table that is mostly empty means nothing.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- For all touches of a campaign that is about to end, in whatever order they were committed.
create index campaign_touched_campaign on campaign_touched (campaign);

-- Written by the campaign's own triggers, so it needs no foreign key.
create table campaign_history (
  campaign    uuid not null,
  sequence    integer not null,
  from_state  text,
  to_state    text not null,
  code        text,
  detail      text,
  at          timestamptz not null,
  by          text not null,
  constraint campaign_history_pkey primary key (campaign, sequence)
);

create table campaign_transition (
  from_state  text not null,
  to_state    text not null,
  constraint campaign_transition_pkey primary key (from_state, to_state)
);
insert into campaign_transition values
  ${sqlRows(campaignArrows())};

-- Written by the transaction that has inserted or locked the campaign, so it needs no foreign key.
create table revision (
  campaign  uuid not null,
  revision  integer not null,
  event     uuid not null constraint revision_event unique,
  state     text not null check (state in ${sqlList(REVISION_STATES)}),
  -- The token that published it; null: it came over Kafka. Events are deleted before long campaigns end.
  token_id  uuid,
  -- The event's data as it was taken.
  data      jsonb not null,
  -- The part that all requests of this revision share: {messageType, message}. Dispatch reads it, so it is kept small.
  request   jsonb not null,
  -- Why it was rejected: [{pointer, code, text}].
  reasons   jsonb,
  -- How its plan differs from the one before, and what became of the sends (store/send/revise.store.ts); null for the first.
  difference jsonb,
  -- The zone rules that moved cells of it after it was planned; difference is then that from the plan before; null: none did.
  zone_rules text,
  -- A later revision: when its recurrence is planned on, once it is in force.
  next_plan_at timestamptz,
  -- A later revision that awaited approval: when it was given.
  approved_at timestamptz,
  -- Plan warnings and totals, for display.
  plan      jsonb,
  taken_at  timestamptz not null,
  constraint revision_pkey primary key (campaign, revision)
);

create table occurrence (
  campaign      uuid not null references campaign,
  -- once, test-<revision>, or the rule's local date-time.
  occurrence    text not null,
  revision      integer not null,
  state         text not null check (state in ${sqlList(OCCURRENCE_STATES)}),
  code          text,
  first_due     timestamptz,
  last_due      timestamptz,
  state_at      timestamptz not null,
  -- Devices of its newest sends, kept when it ends and by whatever corrects it later.
  target_count  bigint,
  sent_count    bigint,
  constraint occurrence_pkey primary key (campaign, occurrence)
);

create table cell (
  campaign       uuid not null,
  occurrence     text not null,
  cell           text not null,
  revision       integer not null,
  -- The IANA zone or fixed offset of all wall times of this cell. For an instant: UTC.
  zone           text not null,
  zone_source    text not null,
  segment        integer not null default 0,
  device_type    text not null default 'all',
  country        text not null default 'all',
  -- {type, to (CHANNEL names only), country, deviceType, timezone}: the request's target without USER ids.
  target         jsonb not null,
  local_reading  jsonb,
  intended_at    timestamptz,
  due_at         timestamptz,
  hand_off_at    timestamptz,
  mode           text,
  mode_rule      text,
  -- {dst, passedZone, night, quietHours, …}: every decision with its reason (planning.md §9).
  verdicts       jsonb not null default '{}',
  skipped_code   text,
  -- How many requests it needs; the ledger compares its sends with this.
  chunks         integer not null check (chunks >= 0),
  recipients     integer,
  -- No foreign key to its occurrence: checked row by row it would double the cost of writing a plan of a thousand cells. The ledger
  -- looks for cells without an occurrence.
  constraint cell_pkey primary key (campaign, occurrence, cell)
);

-- Acts on campaigns and occurrences (decide/lifecycle/campaign-act.ts), whose sends follow in pages: no statement is as long as
-- a campaign is large. A row with a goal is a mark: from its commit on nothing of the campaign, or of this occurrence of it,
-- is fired. Its sends are moved page by page in order of the index send_cell; the row says how far that has come. A stricter act
-- takes the place of the one that is there. A resume has no goal, and its row is deleted when it is done. A campaign that awaits
-- approval has such a row as well, of the mark approval, beside that of an act: each holds what the other releases. So has, of the
-- mark stop, a campaign whose sends are asked back because its project was stopped with a recall. A revision that takes the place of
-- the one in force has one, too, which holds nothing back: it works only on the sends that it changes.
create table campaign_act (
  campaign          uuid not null references campaign,
  -- null: all of them.
  occurrence        text,
  mark              text not null default 'act' check (mark in ${sqlList(MARKS)}),
  act               text not null check (act in ${sqlList(MARKED_ACTS)}),
  -- What its sends become; null: those that are held are planned again.
  goal              text check (goal in ${sqlList(SEND_GOALS)}),
  code              text not null,
  detail            text,
  asked_at          timestamptz not null,
  asked_by          text not null,
  -- Where the last page ended; null before the first page of a pass.
  after_occurrence  text,
  after_cell        text,
  after_chunk       integer,
  -- The number of the pass; the pass that finds nothing to move, and nothing to wait for, is the last.
  pass              integer not null default 1,
  pass_moved        integer not null default 0,
  -- How many sends of this pass wait for an answer before they can be planned again.
  pass_waits        integer not null default 0,
  -- How many sends the first pass has looked at so far, and how many were moved in all.
  looked            integer not null default 0,
  moved             integer not null default 0,
  -- How many chunks of a revision were too late to be changed.
  late              integer not null default 0,
  -- When its next page is due, by the database's clock: the acts take their pages in turn. infinity: a revision goes on to its next
  -- phase.
  page_at           timestamptz not null default clock_timestamp(),
  done_at           timestamptz,
  constraint campaign_act_key unique nulls not distinct (campaign, occurrence, mark)
);
create index campaign_act_open on campaign_act (page_at) where done_at is null;
-- For what a stopped project holds, and its start.
create index campaign_act_held on campaign_act (campaign) where goal = 'held';
create index campaign_act_revision on campaign_act (campaign) where mark = 'revision';

-- Plans that were previewed, kept for 24 hours under their hash (planning.md §9): a campaign that names the hash is compared with it.
create table plan_preview (
  service_id  text not null references project,
  hash        text not null,
  -- The digest of each member that the hash covers.
  digests     jsonb not null,
  -- The plan without its cells: warnings, totals, load, a refusal.
  plan        jsonb not null,
  -- The length of the JSON of the plan and its cells: the sum is bounded for each service.
  bytes       bigint not null,
  made_at     timestamptz not null,
  expires_at  timestamptz not null,
  constraint plan_preview_pkey primary key (service_id, hash)
);
create index plan_preview_hash on plan_preview (hash);
create index plan_preview_expires_at on plan_preview (expires_at);

create table plan_preview_cell (
  service_id  text not null,
  hash        text not null,
  position    integer not null,
  cell        jsonb not null,
  -- The members of the cell that the hash covers.
  decided     jsonb not null,
  constraint plan_preview_cell_pkey primary key (service_id, hash, position),
  constraint plan_preview_cell_preview foreign key (service_id, hash) references plan_preview on delete cascade
);
`;
