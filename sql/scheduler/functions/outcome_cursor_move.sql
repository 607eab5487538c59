-- Writes each change of a cursor as a new row of outcome_cursor_turn and deletes the row before it. If the row were updated in place,
-- each read would walk all versions of the row that a held snapshot keeps. Primary key. Nobody waits, because only the process that
-- holds the shard's lock changes its cursor.
create or replace function outcome_cursor_move() returns trigger language plpgsql as $$
begin
  delete from outcome_cursor_turn t where t.consumer = old.consumer and t.shard = old.shard and t.turn = old.turn;
  insert into outcome_cursor_turn (consumer, shard, turn, done, hole_top, hole_xmax)
  values (old.consumer, old.shard, old.turn + 1, new.done, new.hole_top, new.hole_xmax);
  return new;
end $$;

create or replace trigger outcome_cursor_moved instead of update on outcome_cursor
  for each row execute function outcome_cursor_move();
