-- Questions for Metabase, to paste as native SQL one by one; {{from}} and {{to}} are variables of the type Date (docs/use/reports-sql.md,
-- "Metabase"). The database is added with the user carillon_report.

-- Sends by day and what became of them. Chart: stacked bars, x: day.
select due_at::date as day, sum(sends_sent) as sent, sum(sends_empty) as empty, sum(sends_failed) as failed,
       sum(sends_stale + sends_rejected + sends_expired) as not_gone, sum(sends_canceled) as canceled,
       sum(sends_skipped) as skipped, sum(sends_uncertain) as uncertain, sum(sends_open + sends_standing) as open
  from report_cell
 where due_at >= {{from}} and due_at < {{to}}
 group by day
 order by day;

-- Devices by zone. Chart: table, with a bar in percent_sent.
select zone, sum(devices_target) as devices, sum(devices_sent) as devices_sent, sum(devices_failed) as devices_failed,
       round(100 * sum(devices_sent) / nullif(sum(devices_target), 0), 1) as percent_sent
  from report_cell
 where due_at >= {{from}} and due_at < {{to}}
 group by zone
 order by devices desc;

-- Hours of the recipients' clocks. Chart: heat map or pivot, rows: weekday, columns: local_hour.
select to_char(due_local, 'ID Dy') as weekday, extract(hour from due_local)::int as local_hour, sum(devices_sent) as devices_sent
  from report_cell
 where due_at >= {{from}} and due_at < {{to}}
 group by weekday, local_hour
 order by weekday, local_hour;

-- Late cells. Chart: table.
select kind, service_id, campaign_id, zone, due_at, count, p95_ms, max_ms
  from report_lateness
 where due_at >= {{from}} and due_at < {{to}} and kind in ('immediate', 'reserved')
 order by max_ms desc
 limit 100;
