-- Each change of a shard's cursor is a new row of publish_cursor_turn that replaces the row before. Updated in place, the row
-- would grow a chain of versions under a held snapshot, which each read would walk. Primary key. Nobody waits, because only the
-- holder of the shard's lock changes its cursor.
create or replace function publish_cursor_move() returns trigger language plpgsql as $$
begin
  delete from publish_cursor_turn t where t.shard = old.shard and t.turn = old.turn;
  insert into publish_cursor_turn (shard, turn, published, hole_top, hole_xmax)
  values (old.shard, old.turn + 1, new.published, new.hole_top, new.hole_xmax);
  return new;
end $$;

create or replace trigger publish_cursor_moved instead of update on publish_cursor
  for each row execute function publish_cursor_move();
