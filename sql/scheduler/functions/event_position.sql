-- The next position of a shard's events: from its own sequence, so that 16 publishers have 16 orders without a gap between
-- them. One expression: the planner puts it in place instead of calling.
create or replace function event_position(shard smallint) returns bigint language sql volatile as $$
  select nextval(('{send_event_position_0,send_event_position_1,send_event_position_2,send_event_position_3,
    send_event_position_4,send_event_position_5,send_event_position_6,send_event_position_7,send_event_position_8,
    send_event_position_9,send_event_position_10,send_event_position_11,send_event_position_12,send_event_position_13,
    send_event_position_14,send_event_position_15}'::regclass[])[shard + 1])
$$;
