-- Makes the role carillon_report, which reads the scheduler's report views and nothing else, with tools for analysts in mind
-- (docs/reports.md). Run it as a superuser in the scheduler's database, before the migrations or after them, and as often as
-- you like:
--
--   psql "$DATABASE_URL" --file deploy/sql/report-role.sql
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

alter role carillon_report set search_path = scheduler;
-- A report that takes longer, or is left open, would keep dead rows and days that are to go.
alter role carillon_report set statement_timeout = '60s';
alter role carillon_report set idle_in_transaction_session_timeout = '60s';
alter role carillon_report set default_transaction_read_only = on;
alter role carillon_report set timezone = 'UTC';

do $$
begin
  execute format('grant connect on database %I to carillon_report', current_database());
  -- Where the migrations have not run yet they will do it themselves.
  if to_regproc('scheduler.grant_reports') is not null then
    set local search_path = scheduler;
    perform grant_reports();
  end if;
end $$;
