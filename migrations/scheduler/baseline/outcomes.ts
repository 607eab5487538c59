/** A campaign's shard is the last digit of its id: campaign_shard. */
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);

/** What became of sends, occurrences and campaigns, and how far it is published (docs/decisions/0030). */
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
-- What the publisher reads, and whether all of a day is published.
create index send_event_position on send_event (shard, "position");
${SHARDS.map((shard) => `create sequence send_event_position_${shard} owned by send_event.position;`).join('\n')}

-- What is published of each shard. A position that is not in it, below one that is, is a hole: its transaction has not
-- committed yet, or was rolled back.
create table publish_cursor_turn (
  shard      smallint not null,
  -- The highest of its shard counts; each change is a row of its own (publish_cursor_move).
  turn       bigint not null default 0,
  published  int8multirange not null default '{(,0]}',
  -- Whoever drew a position up to hole_top has a transaction id below hole_xmax; null where there is no hole.
  hole_top   bigint,
  hole_xmax  xid8,
  constraint publish_cursor_turn_pkey primary key (shard, turn),
  constraint publish_cursor_hole check ((hole_top is null) = (hole_xmax is null))
-- A row that is deleted with each page published: vacuumed by their number.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
insert into publish_cursor_turn (shard) values ${SHARDS.map((shard) => `(${shard})`).join(', ')};
-- From the newest turn down, of which the first is the one: those that went before are not read, whoever sees them still.
create view publish_cursor as
select c.* from generate_series(0, ${SHARDS.length - 1}) as s(shard) cross join lateral (
  select t.* from publish_cursor_turn t where t.shard = s.shard order by t.turn desc limit 1) c;
`;
