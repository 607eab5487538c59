-- Makes the role carillon_report, which reads the scheduler's report views and nothing else, with tools for analysts in mind
-- (docs/use/reports-sql.md). Run it as a superuser in the scheduler's database, after the first migrations, and as often as you like:
--
--   psql "$DATABASE_URL" --file deploy/sql/report-role.sql
--
-- It takes from everybody in this database, and gives back to the roles that make or own schemas in it, what carillon_report must not
-- do and PostgreSQL lets every role do: temporary tables, advisory locks, pg_notify(), large objects. So the database should be Carillon's own. Run it
-- again when another role is to make schemas here.
--
-- The role may log in but has no password: give it one (\password carillon_report), or let pg_hba.conf know it. Its settings hold for
-- whoever logs in as this very role, not for other roles that are made members of it.
do $$
begin
  if to_regrole('carillon_report') is null then
    create role carillon_report login connection limit 10;
  end if;
exception when duplicate_object or unique_violation then
  null; -- Another made it meanwhile.
end $$;

alter role carillon_report nosuperuser nocreatedb nocreaterole noreplication nobypassrls connection limit 10;
alter role carillon_report set search_path = scheduler;
-- A report that takes longer, or is left open, would keep dead rows and days that are to go.
alter role carillon_report set statement_timeout = '60s';
alter role carillon_report set idle_in_transaction_session_timeout = '60s';
alter role carillon_report set default_transaction_read_only = on;
alter role carillon_report set timezone = 'UTC';
-- Only a superuser may change this one: a sort that spills does not fill the disk.
alter role carillon_report set temp_file_limit = '4GB';

do $$
begin
  execute format('grant connect on database %I to carillon_report', current_database());
  -- Where the migrations have not run yet they will do it themselves.
  if to_regproc('scheduler.grant_reports') is not null then
    set local search_path = scheduler;
    perform grant_reports();
  end if;
end $$;

do $$
declare
  everybody_may constant text := format('temporary on database %I', current_database());
  call regprocedure;
  trusted text;
begin
  -- The roles that make schemas here, or own one of Carillon's.
  select string_agg(quote_ident(rolname), ', ') into trusted from pg_roles r
   where not rolsuper and rolname <> 'carillon_report' and rolname !~ '^pg_'
     and (has_database_privilege(oid, current_database(), 'create')
          or exists (select from pg_namespace n where n.nspowner = r.oid and n.nspname in ('scheduler', 'push')));
  execute format('revoke %s from public', everybody_may);
  if trusted is not null then
    execute format('grant %s to %s', everybody_may, trusted);
    -- So that the scheduler may end its connections: nobody else is told of them, or may.
    execute format('grant carillon_report to %s', trusted);
  end if;
  for call in select p.oid from pg_proc p
               where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^(pg_notify$|pg_logical_emit_message$|pg_(try_)?advisory_|lo_|lowrite$)'
  loop
    execute format('revoke execute on function %s from public', call);
    if trusted is not null then
      execute format('grant execute on function %s to %s', call, trusted);
    end if;
  end loop;
end $$;
