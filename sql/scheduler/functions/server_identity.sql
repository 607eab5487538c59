-- Identifies the running server and its copy of the data. The text changes with each restart, failover and restore, which are the
-- events that may lose commits (docs/decisions/0067). It has the cluster, its timeline, the start of the server, and the table's
-- number, which is new after a dump is restored. Every role may call the functions that it calls; locks nothing.
create or replace function server_identity() returns text language sql stable as $$
  select concat_ws('/', c.system_identifier,
           case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
           extract(epoch from pg_postmaster_start_time()), 'replica'::regclass::oid)
    from pg_control_system() c
$$;
