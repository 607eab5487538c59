import { sqlRows } from '../../../src/platform/database/sql-list.js';
import { CONSUMERS } from '../../../src/scheduler/outcomes/log/consumers.js';

/** A campaign's shard is the last digit of its id: campaign_shard. */
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);

/** Each consumer `c` and each shard `s`. */
const EACH = `(values ${sqlRows(CONSUMERS.map((consumer) => [consumer]))}) as c(consumer)
 cross join (select n::smallint from generate_series(0, ${SHARDS.length - 1}) n) as s(shard)`;

/** What became of sends, occurrences and campaigns, and how far each consumer has read it (docs/decisions/0030). */
export const OUTCOMES = `
-- Append-only; as narrow as what is told allows. What of a send changes no more, or no more once it came to a state that is
-- told, is read from its row when the event is made.
create table send_event (
  -- Drawn from the shard's own sequence while the row that it tells of is locked, and after the transaction has written: so
  -- the change after it is drawn later, and whoever drew it had its transaction id.
  position      bigint not null,
  at            timestamptz not null,
  -- Of a send; of its campaign and occurrences, campaign and kind are set.
  send          uuid,
  campaign      uuid,
  -- The change number of its send, or the number of the outcome among its campaign's.
  sequence      integer not null,
  revision      integer,
  shard         smallint not null,
  from_state    text,
  to_state      text not null,
  code          text,
  detail        text,
  -- Of a send in a state from which it may be fired again (uncertain, reserved, scheduled): as they were then.
  due_at        timestamptz,
  request_id    text,
  -- campaign.<state>, campaign.corrected, occurrence.completed, occurrence.skipped; null: a send's.
  kind          text,
  occurrence    text,
  -- A campaign's: the sums of its sends'.
  target_count  bigint,
  sent_count    bigint,
  constraint send_event_of_one check (num_nonnulls(send, kind) = 1 and num_nonnulls(kind, campaign) <> 1)
) partition by range (at);
-- What the consumers read, and whether they have read all of a day.
create index send_event_position on send_event (shard, "position");
${SHARDS.map((shard) => `create sequence send_event_position_${shard} owned by send_event.position;`).join('\n')}

-- What each consumer has read of each shard. A position that is not in it, below one that is, is a hole: its transaction has not
-- committed yet, or was rolled back.
create table outcome_cursor_turn (
  consumer   text not null,
  shard      smallint not null,
  -- The highest counts; each change is a row of its own (outcome_cursor_move).
  turn       bigint not null default 0,
  done       int8multirange not null default '{(,0]}',
  -- Whoever drew a position up to hole_top has a transaction id below hole_xmax; null where there is no hole.
  hole_top   bigint,
  hole_xmax  xid8,
  constraint outcome_cursor_turn_pkey primary key (consumer, shard, turn),
  constraint outcome_cursor_hole check ((hole_top is null) = (hole_xmax is null))
-- A row that is deleted with each page read: vacuumed by their number.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
insert into outcome_cursor_turn (consumer, shard) select c.consumer, s.shard from ${EACH};
-- From the newest turn down, of which the first is the one: those that went before are not read, whoever sees them still.
create view outcome_cursor as
select c.consumer, s.shard, t.turn, t.done, t.hole_top, t.hole_xmax from ${EACH} cross join lateral (
  select t.* from outcome_cursor_turn t where t.consumer = c.consumer and t.shard = s.shard order by t.turn desc limit 1) t;
`;
