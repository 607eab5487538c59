-- The schema of push-service, written from the catalogue by `npm run schema`: to be read, not run. Why a column is there
-- stands in the migrations. Partitions are left out: they come and go with the days.

CREATE SEQUENCE fan_out_chunk_split AS integer START 1000000000 INCREMENT 1 MINVALUE 1000000000 MAXVALUE 2147483647 CACHE 1 CYCLE;

CREATE SEQUENCE firing_number AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 1099511627775 CACHE 1 CYCLE;

CREATE TABLE access_key (
  access_key     text NOT NULL,
  account_id     text NOT NULL,
  "position"     smallint NOT NULL,
  secret_sealed  text NOT NULL,
  enabled        boolean DEFAULT true NOT NULL,
  created_at     timestamp with time zone NOT NULL,
  CONSTRAINT access_key_pkey PRIMARY KEY (access_key),
  CONSTRAINT access_key_position UNIQUE (account_id, "position"),
  CONSTRAINT access_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT access_key_access_key_check CHECK (length(access_key) >= 1 AND length(access_key) <= 128),
  CONSTRAINT access_key_position_check CHECK ("position" = ANY (ARRAY[1, 2]))
);

CREATE TABLE account (
  id          text NOT NULL,
  created_at  timestamp with time zone NOT NULL,
  CONSTRAINT account_pkey PRIMARY KEY (id),
  CONSTRAINT account_id_check CHECK (length(id) >= 1 AND length(id) <= 64)
);

CREATE TABLE api_key (
  service_id  text NOT NULL,
  slot        text NOT NULL,
  hash        bytea NOT NULL,
  active      boolean DEFAULT true NOT NULL,
  created_at  timestamp with time zone NOT NULL,
  CONSTRAINT api_key_pkey PRIMARY KEY (service_id, slot),
  CONSTRAINT api_key_service_id_fkey FOREIGN KEY (service_id) REFERENCES service(id) ON DELETE CASCADE,
  CONSTRAINT api_key_slot_check CHECK (slot = ANY (ARRAY['primary'::text, 'secondary'::text]))
);

CREATE TABLE channel (
  id            bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  service_id    text NOT NULL,
  channel_name  text COLLATE "C" NOT NULL,
  channel_desc  text,
  created_at    timestamp with time zone NOT NULL,
  updated_at    timestamp with time zone,
  CONSTRAINT channel_pkey PRIMARY KEY (id),
  CONSTRAINT channel_name UNIQUE (service_id, channel_name),
  CONSTRAINT channel_service_id_fkey FOREIGN KEY (service_id) REFERENCES service(id) ON DELETE CASCADE
);

CREATE TABLE channel_member (
  channel_id  bigint NOT NULL,
  user_key    bigint NOT NULL,
  joined      bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  CONSTRAINT channel_member_pkey PRIMARY KEY (channel_id, user_key),
  CONSTRAINT channel_member_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(id) ON DELETE CASCADE,
  CONSTRAINT channel_member_user_key_fkey FOREIGN KEY (user_key) REFERENCES push_user(key) ON DELETE CASCADE
);
CREATE INDEX channel_member_user ON channel_member USING btree (user_key, joined);

CREATE TABLE database_epoch (
  single      boolean DEFAULT true NOT NULL,
  identity    text NOT NULL,
  written_by  xid NOT NULL,
  began_at    timestamp with time zone NOT NULL,
  CONSTRAINT database_epoch_pkey PRIMARY KEY (single),
  CONSTRAINT database_epoch_single_check CHECK (single)
);

CREATE TABLE delivery (
  firing_id    bigint NOT NULL,
  device_id    bigint NOT NULL,
  user_key     bigint NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  language     text NOT NULL,
  timezone     integer NOT NULL,
  outcome      text NOT NULL,
  reason       text,
  handed_at    timestamp with time zone NOT NULL,
  CONSTRAINT delivery_pkey PRIMARY KEY (firing_id, device_id),
  CONSTRAINT delivery_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'failed'::text, 'unknown'::text]))
) PARTITION BY RANGE (firing_id);

CREATE TABLE device (
  id            bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  service_id    text NOT NULL,
  user_key      bigint NOT NULL,
  device_type   text NOT NULL,
  device_token  text NOT NULL,
  token_hash    bytea NOT NULL,
  active        boolean DEFAULT true NOT NULL,
  created_at    timestamp with time zone NOT NULL,
  updated_at    timestamp with time zone NOT NULL,
  CONSTRAINT device_pkey PRIMARY KEY (id),
  CONSTRAINT device_token UNIQUE (service_id, token_hash),
  CONSTRAINT device_owner FOREIGN KEY (service_id, user_key) REFERENCES push_user(service_id, key) ON DELETE CASCADE,
  CONSTRAINT device_device_type_check CHECK (device_type = ANY (ARRAY['GCM'::text, 'APNS'::text])),
  CONSTRAINT device_token_case CHECK (device_type = 'GCM'::text OR device_token !~ '[A-F]'::text OR device_token !~ '^[0-9A-Fa-f]+$'::text)
);
CREATE INDEX device_gone ON device USING btree (updated_at) WHERE NOT active;
CREATE INDEX device_user ON device USING btree (service_id, user_key);

CREATE TABLE fan_out_chunk (
  firing_id         bigint NOT NULL,
  chunk_no          integer NOT NULL,
  service_id        text NOT NULL,
  device_type       text NOT NULL,
  state             text DEFAULT 'READY'::text NOT NULL,
  claimed_by        uuid,
  lease_until       timestamp with time zone,
  not_before        timestamp with time zone,
  claims            integer DEFAULT 0 NOT NULL,
  passes            integer DEFAULT 0 NOT NULL,
  refusals          integer DEFAULT 0 NOT NULL,
  handed            integer DEFAULT 0 NOT NULL,
  recorded          integer DEFAULT 0 NOT NULL,
  not_after         timestamp with time zone,
  not_after_reason  text,
  device_ids        bigint[] STORAGE EXTERNAL NOT NULL,
  user_keys         bigint[] STORAGE EXTERNAL NOT NULL,
  countries         text[] STORAGE EXTERNAL NOT NULL,
  languages         text[] STORAGE EXTERNAL NOT NULL,
  timezones         integer[] STORAGE EXTERNAL NOT NULL,
  targets           integer DEFAULT 1000 NOT NULL,
  CONSTRAINT fan_out_chunk_pkey PRIMARY KEY (firing_id, chunk_no),
  CONSTRAINT fan_out_chunk_firing_id_fkey FOREIGN KEY (firing_id) REFERENCES firing(id) ON DELETE CASCADE,
  CONSTRAINT fan_out_chunk_device_type_check CHECK (device_type = ANY (ARRAY['GCM'::text, 'APNS'::text])),
  CONSTRAINT fan_out_chunk_state_check CHECK (state = ANY (ARRAY['READY'::text, 'CLAIMED'::text, 'LATER'::text]))
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX fan_out_chunk_claimed ON fan_out_chunk USING btree (lease_until) WHERE state = 'CLAIMED'::text;
CREATE INDEX fan_out_chunk_due ON fan_out_chunk USING btree (service_id, device_type, firing_id, chunk_no) WHERE state = 'READY'::text AND refusals > 0;
CREATE INDEX fan_out_chunk_later ON fan_out_chunk USING btree (not_before) WHERE state = 'LATER'::text;
CREATE INDEX fan_out_chunk_oldest ON fan_out_chunk USING btree (service_id, device_type, firing_id, chunk_no) WHERE state = 'READY'::text;
CREATE INDEX fan_out_chunk_small ON fan_out_chunk USING btree (service_id, device_type, firing_id, chunk_no) WHERE state = 'READY'::text AND targets <= 20;
CREATE INDEX fan_out_chunk_spread ON fan_out_chunk USING btree (service_id, device_type, chunk_no, firing_id) WHERE state = 'READY'::text;

CREATE TABLE firing (
  id              bigint NOT NULL,
  message_id      uuid NOT NULL,
  service_id      text NOT NULL,
  occurrence      text NOT NULL,
  timezone        integer,
  due_at          timestamp with time zone NOT NULL,
  state           text DEFAULT 'READY'::text NOT NULL,
  attempts        integer DEFAULT 0 NOT NULL,
  fired_at        timestamp with time zone,
  complete_at     timestamp with time zone,
  target_count    bigint DEFAULT 0 NOT NULL,
  sent_count      bigint DEFAULT 0 NOT NULL,
  failed_count    bigint DEFAULT 0 NOT NULL,
  unknown_count   bigint DEFAULT 0 NOT NULL,
  repeated_count  bigint DEFAULT 0 NOT NULL,
  chunks_left     integer DEFAULT 0 NOT NULL,
  small           boolean DEFAULT false NOT NULL,
  summed          boolean DEFAULT false NOT NULL,
  summed_to       bigint DEFAULT 0 NOT NULL,
  CONSTRAINT firing_pkey PRIMARY KEY (id),
  CONSTRAINT firing_occurrence UNIQUE (message_id, occurrence),
  CONSTRAINT firing_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE,
  CONSTRAINT firing_state_check CHECK (state = ANY (ARRAY['READY'::text, 'SENDING'::text, 'FINISHED'::text, 'FAIL'::text, 'STALE'::text, 'CANCELED'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.01);
CREATE INDEX firing_ready ON firing USING btree (id) WHERE state = 'READY'::text;
CREATE INDEX firing_ready_small ON firing USING btree (id) WHERE state = 'READY'::text AND small;
CREATE INDEX firing_unsummed ON firing USING btree (id) WHERE (state = ANY (ARRAY['SENDING'::text, 'FINISHED'::text])) AND NOT summed;

CREATE TABLE forgotten_user (
  service_id  text NOT NULL,
  user_id     text NOT NULL,
  pseudonym   uuid DEFAULT gen_random_uuid() NOT NULL,
  deleted_at  timestamp with time zone NOT NULL,
  due_at      timestamp with time zone NOT NULL,
  CONSTRAINT forgotten_user_pkey PRIMARY KEY (service_id, user_id)
);
CREATE INDEX forgotten_user_due ON forgotten_user USING btree (due_at);

CREATE TABLE message (
  id                 uuid NOT NULL,
  service_id         text NOT NULL,
  kind               text NOT NULL,
  state              text NOT NULL,
  message_type       text NOT NULL,
  request            text NOT NULL,
  dedupe_hash        bytea NOT NULL,
  idempotency_key    text,
  access_key         text,
  body_hash          bytea NOT NULL,
  requested_at       timestamp with time zone NOT NULL,
  reserve_time       text,
  reserve_time_zone  text,
  schedule_id        uuid,
  fire_at            timestamp with time zone,
  complete_at        timestamp with time zone,
  target_count       bigint DEFAULT 0 NOT NULL,
  sent_count         bigint DEFAULT 0 NOT NULL,
  small              boolean DEFAULT false NOT NULL,
  CONSTRAINT message_pkey PRIMARY KEY (id),
  CONSTRAINT message_dedupe UNIQUE (dedupe_hash),
  CONSTRAINT message_kind_check CHECK (kind = ANY (ARRAY['immediate'::text, 'reserved'::text, 'scheduled'::text, 'closed'::text])),
  CONSTRAINT message_message_type_check CHECK (message_type = ANY (ARRAY['NOTIF'::text, 'AD'::text])),
  CONSTRAINT message_state_check CHECK (state = ANY (ARRAY['READY'::text, 'ATTACHED'::text, 'PROCESSING'::text, 'FIRED'::text, 'FINISHED'::text, 'CANCELED'::text, 'FAIL'::text, 'STALE'::text]))
) WITH (fillfactor=80, autovacuum_vacuum_scale_factor=0.01);
CREATE INDEX message_attached ON message USING btree (schedule_id) WHERE kind = 'scheduled'::text AND state = 'ATTACHED'::text;
CREATE INDEX message_due ON message USING btree (fire_at) WHERE state = 'READY'::text;
CREATE INDEX message_service ON message USING btree (service_id, id);

CREATE TABLE outcome_count (
  firing_id    bigint NOT NULL,
  outcome      text NOT NULL,
  reason       text NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  language     text NOT NULL,
  timezone     integer NOT NULL,
  count        bigint NOT NULL,
  CONSTRAINT outcome_count_pkey PRIMARY KEY (firing_id, outcome, reason, device_type, country, language, timezone),
  CONSTRAINT outcome_count_firing_id_fkey FOREIGN KEY (firing_id) REFERENCES firing(id) ON DELETE CASCADE,
  CONSTRAINT outcome_count_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'failed'::text, 'unknown'::text]))
);

CREATE TABLE payload (
  firing_id    bigint NOT NULL,
  device_type  text NOT NULL,
  language     text NOT NULL,
  headers      json NOT NULL,
  body         text NOT NULL,
  CONSTRAINT payload_pkey PRIMARY KEY (firing_id, device_type, language)
) PARTITION BY RANGE (firing_id);

CREATE TABLE provider_credential (
  id             uuid NOT NULL,
  service_id     text NOT NULL,
  kind           text NOT NULL,
  version        integer DEFAULT 1 NOT NULL,
  settings       jsonb NOT NULL,
  secret_sealed  text NOT NULL,
  fault          text,
  fault_since    timestamp with time zone,
  warning        text,
  warned_at      timestamp with time zone,
  proven_at      timestamp with time zone,
  checked_at     timestamp with time zone,
  check_good     boolean,
  check_says     text,
  created_at     timestamp with time zone NOT NULL,
  updated_at     timestamp with time zone NOT NULL,
  CONSTRAINT provider_credential_pkey PRIMARY KEY (id),
  CONSTRAINT provider_credential_kind UNIQUE (service_id, kind),
  CONSTRAINT provider_credential_service_id_fkey FOREIGN KEY (service_id) REFERENCES service(id) ON DELETE CASCADE,
  CONSTRAINT provider_credential_fault CHECK ((fault IS NULL) = (fault_since IS NULL)),
  CONSTRAINT provider_credential_kind_check CHECK (kind = ANY (ARRAY['fcm'::text, 'apns'::text]))
);

CREATE TABLE push_user (
  key                          bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  service_id                   text NOT NULL,
  user_id                      text NOT NULL,
  country                      text NOT NULL,
  language                     text NOT NULL,
  timezone                     integer NOT NULL,
  notification_agreement       boolean NOT NULL,
  ad_agreement                 boolean NOT NULL,
  night_ad_agreement           boolean NOT NULL,
  notification_agreement_time  timestamp with time zone,
  ad_agreement_time            timestamp with time zone,
  night_ad_agreement_time      timestamp with time zone,
  created_at                   timestamp with time zone NOT NULL,
  updated_at                   timestamp with time zone NOT NULL,
  CONSTRAINT push_user_pkey PRIMARY KEY (key),
  CONSTRAINT push_user_user_id UNIQUE (service_id, user_id),
  CONSTRAINT push_user_walk UNIQUE (service_id, key)
);
CREATE INDEX push_user_timezone ON push_user USING btree (service_id, timezone);

CREATE TABLE quota_use (
  service_id  text NOT NULL,
  day         date NOT NULL,
  used        bigint NOT NULL,
  taken       bigint NOT NULL,
  CONSTRAINT quota_use_pkey PRIMARY KEY (service_id, day),
  CONSTRAINT quota_use_service_id_fkey FOREIGN KEY (service_id) REFERENCES service(id) ON DELETE CASCADE
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

CREATE TABLE schedule (
  id             uuid NOT NULL,
  service_id     text NOT NULL,
  schedule_code  text COLLATE "C" NOT NULL,
  schedule_desc  text,
  time_zone      text NOT NULL,
  minute         smallint NOT NULL,
  start_date     date NOT NULL,
  end_date       date,
  days_of_week   text[] NOT NULL,
  created_at     timestamp with time zone NOT NULL,
  updated_at     timestamp with time zone,
  fired_until    timestamp with time zone NOT NULL,
  next_fire_at   timestamp with time zone,
  finished_at    timestamp with time zone,
  CONSTRAINT schedule_pkey PRIMARY KEY (id),
  CONSTRAINT schedule_code UNIQUE (service_id, schedule_code),
  CONSTRAINT schedule_service_id_fkey FOREIGN KEY (service_id) REFERENCES service(id) ON DELETE CASCADE,
  CONSTRAINT schedule_minute_check CHECK (minute >= 0 AND minute <= 1439)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000);
CREATE INDEX schedule_ending ON schedule USING btree (id) WHERE next_fire_at IS NULL AND finished_at IS NULL;
CREATE INDEX schedule_next_fire_at ON schedule USING btree (next_fire_at) WHERE next_fire_at IS NOT NULL;

CREATE TABLE service (
  id                text NOT NULL,
  account_id        text NOT NULL,
  description       text,
  zone              text DEFAULT 'Asia/Seoul'::text NOT NULL,
  answer_times      text DEFAULT 'local'::text NOT NULL,
  api_key_required  boolean DEFAULT false NOT NULL,
  strict_options    boolean DEFAULT false NOT NULL,
  suspended         boolean DEFAULT false NOT NULL,
  rate_per_second   integer,
  rate_burst        integer,
  quota_per_day     bigint,
  created_at        timestamp with time zone NOT NULL,
  updated_at        timestamp with time zone NOT NULL,
  removed_at        timestamp with time zone,
  CONSTRAINT service_pkey PRIMARY KEY (id),
  CONSTRAINT service_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id),
  CONSTRAINT service_answer_times_check CHECK (answer_times = ANY (ARRAY['local'::text, 'offset'::text])),
  CONSTRAINT service_id_check CHECK (length(id) >= 1 AND length(id) <= 128),
  CONSTRAINT service_quota_per_day_check CHECK (quota_per_day >= 0),
  CONSTRAINT service_rate_burst_check CHECK (rate_burst >= 1 AND rate_burst <= 1000000),
  CONSTRAINT service_rate_per_second_check CHECK (rate_per_second >= 1 AND rate_per_second <= 1000000)
);
CREATE INDEX service_account ON service USING btree (account_id);

CREATE TABLE signed_request (
  hash        bytea NOT NULL,
  message_id  uuid NOT NULL,
  seen_at     timestamp with time zone NOT NULL,
  CONSTRAINT signed_request_pkey PRIMARY KEY (hash)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);

CREATE TABLE suppression (
  firing_id    bigint NOT NULL,
  reason       text NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  language     text NOT NULL,
  timezone     integer NOT NULL,
  count        bigint NOT NULL,
  CONSTRAINT suppression_pkey PRIMARY KEY (firing_id, reason, device_type, country, language, timezone),
  CONSTRAINT suppression_firing_id_fkey FOREIGN KEY (firing_id) REFERENCES firing(id) ON DELETE CASCADE
);

CREATE VIEW day_partition AS
 SELECT p.relname::text AS parent,
    c.relname::text AS name,
    i.inhdetachpending AS is_going,
    bound_at(bounds.bounds[1]) AS low,
    bound_at(bounds.bounds[2]) AS high
   FROM pg_partitioned_table t
     JOIN pg_class p ON p.oid = t.partrelid
     JOIN pg_inherits i ON i.inhparent = p.oid
     JOIN pg_class c ON c.oid = i.inhrelid
     CROSS JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM [(]''?(.*?)''?[)] TO [(]''?(.*?)''?[)]$'::text) bounds(bounds)
  WHERE p.relnamespace = "current_schema"()::regnamespace::oid;

CREATE OR REPLACE FUNCTION push.add_day_partition(parent text, day timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '500ms'
AS $function$
declare
  low    timestamptz := date_trunc('day', day, 'UTC');
  high   timestamptz := low + interval '24 hours';
  name   text := parent || to_char(low at time zone 'UTC', '_YYYY_MM_DD');
  oldest timestamptz;
  going  text;
begin
  -- One process at a time, of all replicas. Who drops what was detached takes this lock as well.
  perform pg_advisory_xact_lock(hashtext('add_day_partition'));
  oldest := (select min(p.low) from day_partition p where p.parent = add_day_partition.parent and isfinite(p.low));
  if day < oldest then
    execute format('lock table only %I in access exclusive mode', parent);
  end if;
  if exists (select from day_partition p where p.parent = add_day_partition.parent and p.low <= day and day < p.high and not p.is_going) then
    return false;
  end if;
  going := (select min(p.name) from day_partition p
             where p.parent = add_day_partition.parent and p.is_going and p.low <= day and (day < p.high or day < oldest));
  if going is not null then
    raise exception '% is being detached', going using errcode = 'lock_not_available';
  end if;
  if day < oldest then
    if exists (select from day_partition p where p.name = add_day_partition.parent || '_old') then
      execute format('alter table %I detach partition %I', parent, parent || '_old');
    else
      -- Left over of DETACH CONCURRENTLY, which left a check of the days that it held; finishDrops() would drop it as well.
      execute format('drop table if exists %I', parent || '_old');
    end if;
    perform attach_days(parent, parent || '_old', '-infinity', oldest);
    return false;
  end if;
  if oldest is null then
    perform attach_days(parent, parent || '_old', '-infinity', low);
  end if;
  perform attach_days(parent, name, low, high);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION push.attach_days(parent text, name text, low timestamp with time zone, high timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  key regtype := (
    select a.atttypid from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
     where p.partrelid = to_regclass(format('%I', parent)));
  -- Where each part has a primary key of its own, it is that of the part of what is open.
  key_columns text := (
    select string_agg(quote_ident(a.attname), ', ' order by k.place)
      from pg_constraint c cross join unnest(c.conkey) with ordinality as k(column_number, place)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.column_number
     where c.conrelid = to_regclass(format('%I', parent || '_open')) and c.contype = 'p' and c.coninhcount = 0);
  floor_at text := low::text;
  ceiling_at text := high::text;
begin
  if not exists (select from pg_class c where c.relname = name and c.relnamespace = current_schema()::regnamespace) then
    execute format('create table %I (like %I including all)', name, parent);
    if key_columns is not null then execute format('alter table %I add primary key (%s)', name, key_columns); end if;
  end if;
  -- By the first id of a day: each service has the function for its own kind of id.
  if low > '-infinity' and key = 'uuid'::regtype then floor_at := uuid_floor(low)::text; end if;
  if low > '-infinity' and key = 'bigint'::regtype then floor_at := firing_floor(low)::text; end if;
  if key = 'uuid'::regtype then ceiling_at := uuid_floor(high)::text; end if;
  if key = 'bigint'::regtype then ceiling_at := firing_floor(high)::text; end if;
  execute format('alter table %I attach partition %I for values from (%s) to (%L)', parent, name,
                 case when low = '-infinity' then 'minvalue' else quote_literal(floor_at) end, ceiling_at);
end $function$;

CREATE OR REPLACE FUNCTION push.bound_at(bound text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select case when bound = 'MINVALUE' then '-infinity'
              when bound = 'MAXVALUE' then 'infinity'
              when bound ~ '^[0-9a-f]{8}-' then to_timestamp(('x' || translate(left(bound, 13), '-', ''))::bit(48)::bigint / 1000.0)
              when bound ~ '^[0-9]+$' then to_timestamp((bound::bigint >> 40) * 86400)
              else bound::timestamptz end
$function$;

CREATE OR REPLACE FUNCTION push.delete_outcomes(firings bigint[], most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
AS $function$
declare
  firing bigint;
  gone integer := 0;
  of_one integer;
begin
  foreach firing in array firings loop
    delete from delivery d where d.firing_id = firing and d.device_id = any(array(
      select o.device_id from delivery o where o.firing_id = firing order by o.device_id limit most - gone));
    get diagnostics of_one = row_count;
    gone := gone + of_one;
    exit when gone >= most;
    delete from payload p where p.firing_id = firing;
  end loop;
  return gone;
end $function$;

CREATE OR REPLACE FUNCTION push.devices_with_outcome(firing bigint, devices bigint[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
AS $function$ begin
  return query select d.device_id from delivery d where d.firing_id = firing and d.device_id = any(devices);
end $function$;

CREATE OR REPLACE FUNCTION push.firing_floor(at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select floor(extract(epoch from at) / 86400)::bigint << 40
$function$;

CREATE OR REPLACE FUNCTION push.handed_of(firing bigint, most bigint)
 RETURNS TABLE(device_id bigint, user_key bigint, device_type text, country text, language text, timezone integer, outcome text, reason text, handed_at timestamp with time zone, headers json, body text)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
AS $function$
#variable_conflict use_column
begin
  return query select d.device_id, d.user_key, d.device_type, d.country, d.language, d.timezone, d.outcome, d.reason, d.handed_at,
                      p.headers, p.body
    from (select * from delivery where firing_id = firing order by handed_at, device_id limit most) d
    left join (select * from payload where firing_id = firing) p using (device_type, language);
end $function$;

CREATE OR REPLACE FUNCTION push.next_firing(at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STRICT
AS $function$
  select firing_floor(at) + nextval('firing_number')
$function$;

CREATE OR REPLACE FUNCTION push.outcomes_of(firing bigint)
 RETURNS TABLE(outcome text, reason text, device_type text, country text, language text, timezone integer, count bigint)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
AS $function$
#variable_conflict use_column
begin
  return query select d.outcome, d.reason, d.device_type, d.country, d.language, d.timezone, count(*)
    from delivery d where d.firing_id = firing group by 1, 2, 3, 4, 5, 6;
end $function$;

CREATE OR REPLACE FUNCTION push.seconds_known(at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION push.store_identity()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select concat_ws('/', c.system_identifier,
           case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
           (select d.oid from pg_database d where d.datname = current_database()), 'database_epoch'::regclass::oid)
    from pg_control_system() c
$function$;

CREATE OR REPLACE FUNCTION push.sum_outcomes(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  whole bigint[];
  paged bigint;
  behind bigint;
  rows integer;
  low bigint;
  high bigint;
begin
  with held as materialized (
    select f.id, f.summed_to, f.sent_count + f.failed_count + f.unknown_count as rows from firing f
     where f.state = 'FINISHED' and not f.summed order by f.id limit 500 for no key update skip locked
  ), counted as (
    select h.id, h.summed_to, h.id >> 40 as day, sum(h.rows) over (order by h.id) as until, row_number() over (order by h.id) as place,
           first_value(h.id >> 40) over (order by h.id) as first_day
      from held h
  )
  select array_agg(c.id) filter (where c.until <= most and c.summed_to = 0 and c.day = c.first_day), max(c.id) filter (where c.place = 1),
         max(c.summed_to) filter (where c.place = 1)
    into whole, paged, behind from counted c;
  if paged is null then return 0; end if;
  low := (paged >> 40) << 40;
  high := ((paged >> 40) + 1) << 40;

  if not coalesce(paged = any(whole), false) then
    with page as materialized (
      select * from delivery d where d.firing_id = paged and d.device_id > behind order by d.device_id limit most
    ), kept as (
      insert into outcome_count as c (firing_id, outcome, reason, device_type, country, language, timezone, count)
      select p.firing_id, p.outcome, coalesce(p.reason, ''), p.device_type, p.country, p.language, p.timezone, count(*)
        from page p group by 1, 2, 3, 4, 5, 6, 7
      on conflict (firing_id, outcome, reason, device_type, country, language, timezone)
        do update set count = c.count + excluded.count
    ), seen as (
      select count(*)::int as rows, max(p.device_id) as last from page p
    )
    update firing f set summed_to = coalesce(s.last, behind), summed = s.rows < most from seen s where f.id = paged
    returning s.rows + 1 into rows;
    return rows;
  end if;

  insert into outcome_count (firing_id, outcome, reason, device_type, country, language, timezone, count)
  select d.firing_id, d.outcome, coalesce(d.reason, ''), d.device_type, d.country, d.language, d.timezone, count(*)
    from unnest(whole) w(id) cross join lateral (
      select * from delivery o where o.firing_id = w.id and o.firing_id >= low and o.firing_id < high offset 0) d
   group by 1, 2, 3, 4, 5, 6, 7;
  get diagnostics rows = row_count;
  update firing set summed = true where id = any(whole);
  return rows + cardinality(whole);
end $function$;
