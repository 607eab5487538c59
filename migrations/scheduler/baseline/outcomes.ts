import { sqlRows } from '../../../src/platform/database/sql-list.js';
import { CONSUMERS } from '../../../src/scheduler/outcomes/log/consumers.js';

/** A campaign's shard is the last digit of its id: campaign_shard. */
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);

/** Each consumer `c` and each shard `s`. */
const EACH = `(values ${sqlRows(CONSUMERS.map((consumer) => [consumer]))}) as c(consumer)
 cross join (select n::smallint from generate_series(0, ${SHARDS.length - 1}) n) as s(shard)`;

/** What became of sends, occurrences and campaigns, and how far each consumer has read it (docs/decisions/0030). */
export const OUTCOMES = `
-- Append-only, with as few columns as possible: values of a send that never change, or not after a state that is published, are read
-- from the send's row when the event is published.
create table send_event (
  -- Drawn from the shard's own sequence while the row of the change is locked, and after the transaction has written. So the next change
  -- of that row has a higher position, and a transaction that drew a position already had its transaction id.
  position      bigint not null,
  at            timestamptz not null,
  -- Set for an event of a send; for one of a campaign or occurrence, campaign and kind are set.
  send          uuid,
  campaign      uuid,
  -- The change number of its send, or the number among the outcomes of its campaign.
  sequence      integer not null,
  revision      integer,
  shard         smallint not null,
  from_state    text,
  to_state      text not null,
  code          text,
  detail        text,
  -- Set for a send in a state in which they may still change (uncertain, reserved, scheduled): as they were then.
  due_at        timestamptz,
  request_id    text,
  -- campaign.<state>, campaign.corrected, occurrence.completed, occurrence.skipped; null: a send's.
  kind          text,
  occurrence    text,
  -- For a campaign: the sums of its sends.
  target_count  bigint,
  sent_count    bigint,
  constraint send_event_of_one check (num_nonnulls(send, kind) = 1 and num_nonnulls(kind, campaign) <> 1)
) partition by range (at);
-- For the consumers, and to find out whether they have read all of a day.
create index send_event_position on send_event (shard, "position");
${SHARDS.map((shard) => `create sequence send_event_position_${shard} owned by send_event.position;`).join('\n')}

-- The positions that each consumer has read, by shard (done). A hole is a position that is missing below one that was read: its
-- transaction has not committed yet, or was rolled back.
create table outcome_cursor_turn (
  consumer   text not null,
  shard      smallint not null,
  -- The row with the highest turn counts; each change is a new row (outcome_cursor_move).
  turn       bigint not null default 0,
  done       int8multirange not null default '{(,0]}',
  -- Every transaction that drew a position up to hole_top has an id below hole_xmax; null: there is no hole.
  hole_top   bigint,
  hole_xmax  xid8,
  constraint outcome_cursor_turn_pkey primary key (consumer, shard, turn),
  constraint outcome_cursor_hole check ((hole_top is null) = (hole_xmax is null))
-- A row is deleted with each page that is read: vacuumed by the number of changes.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
insert into outcome_cursor_turn (consumer, shard) select c.consumer, s.shard from ${EACH};
-- Reads from the newest turn down and stops at the first: so it never reads older turns, even if a snapshot still keeps them.
create view outcome_cursor as
select c.consumer, s.shard, t.turn, t.done, t.hole_top, t.hole_xmax from ${EACH} cross join lateral (
  select t.* from outcome_cursor_turn t where t.consumer = c.consumer and t.shard = s.shard order by t.turn desc limit 1) t;
`;
