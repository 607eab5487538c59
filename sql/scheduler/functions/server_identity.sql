-- Names the run of the server and the copy of the data that it serves: another text after each restart, failover and restore,
-- and so wherever commits may be lost (docs/decisions/0067). By parts: the cluster, its timeline, when the server was started,
-- and the table's number, which a restored dump draws anew. Every role may call what it calls; it locks nothing.
create or replace function server_identity() returns text language sql stable as $$
  select concat_ws('/', c.system_identifier,
           case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
           extract(epoch from pg_postmaster_start_time()), 'replica'::regclass::oid)
    from pg_control_system() c
$$;
