-- Identifies this copy of the data: the cluster, its timeline, the database and the table. Each is new after another kind of restore,
-- copy or failover. A restart of the server changes none. Every role may call the functions that it calls; locks nothing.
create or replace function store_identity() returns text language sql stable as $$
  select concat_ws('/', c.system_identifier,
           case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
           (select d.oid from pg_database d where d.datname = current_database()), 'database_epoch'::regclass::oid)
    from pg_control_system() c
$$;
