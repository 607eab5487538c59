-- Lets the role of analysts and BI tools, if it exists, read the views of reports and nothing else. Called by the migration that
-- makes the views, and by deploy/sql/report-role.sql, which makes the role. The role also needs two of the functions, which run with
-- the caller's own rights. Locks nothing for longer than a grant does.
create or replace function grant_reports() returns void language plpgsql as $$
begin
  if to_regrole('carillon_report') is null then
    return;
  end if;
  execute format('grant usage on schema %I to carillon_report', current_schema());
  grant select on report_breakdown, report_campaign, report_cell, report_lateness, report_send to carillon_report;
  grant execute on function uuid_floor, bound_at to carillon_report;
end $$;
revoke execute on function grant_reports() from public;
