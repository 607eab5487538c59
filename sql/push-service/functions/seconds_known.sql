-- For how many seconds, until `at`, every message that the service took is in this database. Begins anew if this copy of the data is
-- another than before. Locks the one row only then. Called by messages/close-key.store.ts and when a process starts.
create or replace function seconds_known(at timestamptz) returns integer language plpgsql as $$
declare
  since timestamptz;
begin
  select e.began_at into since from database_epoch e where e.identity = store_identity() and e.xmin = e.written_by;
  if since is null then
    insert into database_epoch as e (identity, written_by, began_at) values (store_identity(), pg_current_xact_id()::xid, at)
    on conflict (single) do update
      set identity = excluded.identity, written_by = excluded.written_by, began_at = excluded.began_at
      where e.identity <> excluded.identity or e.xmin <> e.written_by
    returning e.began_at into since;
  end if;
  return greatest(0, floor(extract(epoch from at - coalesce(since, at))));
end $$;
