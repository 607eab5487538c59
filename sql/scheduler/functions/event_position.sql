-- The next position of a shard's events. Each shard has its own sequence, so its positions have no gaps that belong to other shards.
-- One expression, which the planner inlines.
create or replace function event_position(shard smallint) returns bigint language sql volatile as $$
  select nextval(('{send_event_position_0,send_event_position_1,send_event_position_2,send_event_position_3,
    send_event_position_4,send_event_position_5,send_event_position_6,send_event_position_7,send_event_position_8,
    send_event_position_9,send_event_position_10,send_event_position_11,send_event_position_12,send_event_position_13,
    send_event_position_14,send_event_position_15}'::regclass[])[shard + 1])
$$;
