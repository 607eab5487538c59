-- What each device of a firing was handed, oldest first. Reads one partition of delivery and one of payload.
create or replace function handed_of(firing bigint, most bigint)
  returns table (device_id bigint, user_key bigint, device_type text, country text, language text, timezone integer,
                 outcome text, reason text, handed_at timestamptz, headers json, body text)
  language plpgsql stable set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
as $$
#variable_conflict use_column
begin
  return query select d.device_id, d.user_key, d.device_type, d.country, d.language, d.timezone, d.outcome, d.reason, d.handed_at,
                      p.headers, p.body
    from (select * from delivery where firing_id = firing order by handed_at, device_id limit most) d
    left join (select * from payload where firing_id = firing) p using (device_type, language);
end $$;
