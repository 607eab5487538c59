-- The schema of scheduler, written from the catalogue by `npm run schema`: to be read, not run. Why a column is there
-- stands in the migrations. Partitions are left out but for the default ones: they come and go with time.

CREATE TABLE api_token (
  id            uuid NOT NULL,
  name          text NOT NULL,
  hash          bytea NOT NULL,
  roles         text[] NOT NULL,
  service_ids   text[] NOT NULL,
  created_at    timestamp with time zone NOT NULL,
  expires_at    timestamp with time zone NOT NULL,
  revoked_at    timestamp with time zone,
  last_used_at  timestamp with time zone,
  CONSTRAINT api_token_pkey PRIMARY KEY (id),
  CONSTRAINT api_token_hash UNIQUE (hash),
  CONSTRAINT api_token_roles_check CHECK (roles <@ ARRAY['publisher'::text, 'analyst'::text, 'operator'::text, 'admin'::text] AND cardinality(roles) > 0),
  CONSTRAINT api_token_service_ids_check CHECK (cardinality(service_ids) > 0)
);

CREATE TABLE attempt (
  send          uuid NOT NULL,
  attempt       integer NOT NULL,
  kind          text NOT NULL,
  started_at    timestamp with time zone NOT NULL,
  ended_at      timestamp with time zone,
  request_sent  boolean,
  http_status   integer,
  error_code    text,
  answer        text,
  outcome       text,
  CONSTRAINT attempt_pkey PRIMARY KEY (send, attempt),
  CONSTRAINT attempt_kind_check CHECK (kind = ANY (ARRAY['send'::text, 'cancel'::text]))
) PARTITION BY RANGE (send);

CREATE TABLE attempt_default PARTITION OF attempt DEFAULT;

CREATE TABLE audience_lookup (
  campaign     uuid NOT NULL,
  service_id   text NOT NULL,
  opened_at    timestamp with time zone NOT NULL,
  give_up_at   timestamp with time zone NOT NULL,
  next_at      timestamp with time zone NOT NULL,
  lease_until  timestamp with time zone,
  asked        integer DEFAULT 0 NOT NULL,
  failures     integer DEFAULT 0 NOT NULL,
  done_at      timestamp with time zone,
  CONSTRAINT audience_lookup_pkey PRIMARY KEY (campaign),
  CONSTRAINT audience_lookup_campaign_fkey FOREIGN KEY (campaign) REFERENCES campaign(id) ON DELETE CASCADE
);
CREATE INDEX audience_lookup_open ON audience_lookup USING btree (next_at, campaign) WHERE done_at IS NULL;

CREATE TABLE audit (
  id          uuid NOT NULL,
  at          timestamp with time zone NOT NULL,
  who         text NOT NULL,
  action      text NOT NULL,
  target      text NOT NULL,
  service_id  text,
  before      jsonb,
  after       jsonb,
  CONSTRAINT audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_target ON audit USING btree (target, id);

CREATE TABLE campaign (
  id           uuid NOT NULL,
  service_id   text NOT NULL,
  campaign_id  text NOT NULL,
  event        uuid NOT NULL,
  name         text,
  state        text NOT NULL,
  paused       boolean DEFAULT false NOT NULL,
  revision     integer DEFAULT 1 NOT NULL,
  newest_time  timestamp with time zone NOT NULL,
  plan_at      timestamp with time zone DEFAULT '-infinity'::timestamp with time zone,
  plan_tries   integer DEFAULT 0 NOT NULL,
  code         text,
  detail       text,
  history      integer DEFAULT 1 NOT NULL,
  state_at     timestamp with time zone NOT NULL,
  state_by     text NOT NULL,
  outcomes     integer DEFAULT 0 NOT NULL,
  created_at   timestamp with time zone NOT NULL,
  CONSTRAINT campaign_pkey PRIMARY KEY (id),
  CONSTRAINT campaign_campaign_id UNIQUE (service_id, campaign_id),
  CONSTRAINT campaign_event UNIQUE (event),
  CONSTRAINT campaign_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id),
  CONSTRAINT campaign_state CHECK (state = ANY (ARRAY['accepted'::text, 'planning'::text, 'awaiting-approval'::text, 'planned'::text, 'running'::text, 'canceling'::text, 'completed'::text, 'expired'::text, 'canceled'::text, 'rejected'::text]))
);
CREATE INDEX campaign_open ON campaign USING btree (id) WHERE state = ANY (ARRAY['planned'::text, 'running'::text, 'canceling'::text, 'awaiting-approval'::text]);
CREATE INDEX campaign_service ON campaign USING btree (service_id, id);
CREATE INDEX campaign_to_plan ON campaign USING btree (plan_at, id) WHERE plan_at IS NOT NULL;
CREATE TRIGGER campaign_born AFTER INSERT ON campaign FOR EACH ROW EXECUTE FUNCTION campaign_write_history();
CREATE TRIGGER campaign_check_state BEFORE INSERT OR UPDATE ON campaign FOR EACH ROW EXECUTE FUNCTION campaign_keep_history();
CREATE TRIGGER campaign_moved AFTER UPDATE ON campaign FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION campaign_write_history();
CREATE CONSTRAINT TRIGGER campaign_tell_birth AFTER INSERT ON campaign DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION campaign_tell();
CREATE CONSTRAINT TRIGGER campaign_tell_move AFTER UPDATE ON campaign DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION campaign_tell();

CREATE TABLE campaign_cancel (
  campaign          uuid NOT NULL,
  occurrence        text,
  code              text NOT NULL,
  detail            text,
  asked_at          timestamp with time zone NOT NULL,
  asked_by          text NOT NULL,
  after_occurrence  text,
  after_cell        text,
  after_chunk       integer,
  pass              integer DEFAULT 1 NOT NULL,
  pass_moved        integer DEFAULT 0 NOT NULL,
  looked            integer DEFAULT 0 NOT NULL,
  moved             integer DEFAULT 0 NOT NULL,
  paged_at          timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  done_at           timestamp with time zone,
  CONSTRAINT campaign_cancel_key UNIQUE NULLS NOT DISTINCT (campaign, occurrence),
  CONSTRAINT campaign_cancel_campaign_fkey FOREIGN KEY (campaign) REFERENCES campaign(id)
);
CREATE INDEX campaign_cancel_open ON campaign_cancel USING btree (paged_at) WHERE done_at IS NULL;

CREATE TABLE campaign_history (
  campaign    uuid NOT NULL,
  sequence    integer NOT NULL,
  from_state  text,
  to_state    text NOT NULL,
  code        text,
  detail      text,
  at          timestamp with time zone NOT NULL,
  by          text NOT NULL,
  CONSTRAINT campaign_history_pkey PRIMARY KEY (campaign, sequence),
  CONSTRAINT campaign_history_campaign_fkey FOREIGN KEY (campaign) REFERENCES campaign(id)
);

CREATE TABLE campaign_touched (
  id          bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  campaign    uuid NOT NULL,
  occurrence  text,
  told        boolean DEFAULT false NOT NULL,
  began       boolean DEFAULT false NOT NULL,
  CONSTRAINT campaign_touched_pkey PRIMARY KEY (id)
);

CREATE TABLE campaign_transition (
  from_state  text NOT NULL,
  to_state    text NOT NULL,
  CONSTRAINT campaign_transition_pkey PRIMARY KEY (from_state, to_state)
);

CREATE TABLE cell (
  campaign       uuid NOT NULL,
  occurrence     text NOT NULL,
  cell           text NOT NULL,
  revision       integer NOT NULL,
  zone           text NOT NULL,
  zone_source    text NOT NULL,
  segment        integer DEFAULT 0 NOT NULL,
  device_type    text DEFAULT 'all'::text NOT NULL,
  country        text DEFAULT 'all'::text NOT NULL,
  target         jsonb NOT NULL,
  local_reading  jsonb,
  intended_at    timestamp with time zone,
  due_at         timestamp with time zone,
  hand_off_at    timestamp with time zone,
  mode           text,
  mode_rule      text,
  verdicts       jsonb DEFAULT '{}'::jsonb NOT NULL,
  skipped_code   text,
  chunks         integer NOT NULL,
  recipients     integer,
  CONSTRAINT cell_pkey PRIMARY KEY (campaign, occurrence, cell),
  CONSTRAINT cell_chunks_check CHECK (chunks >= 0)
);

CREATE TABLE command (
  id          uuid NOT NULL,
  event       uuid,
  campaign    uuid NOT NULL,
  kind        text NOT NULL,
  occurrence  text,
  reason      text,
  given_at    timestamp with time zone NOT NULL,
  given_by    text NOT NULL,
  CONSTRAINT command_pkey PRIMARY KEY (id),
  CONSTRAINT command_kind_check CHECK (kind = ANY (ARRAY['cancel'::text, 'pause'::text, 'resume'::text]))
);
CREATE INDEX command_campaign ON command USING btree (campaign, id);
CREATE INDEX command_event ON command USING btree (event) WHERE event IS NOT NULL;

CREATE TABLE duplicate (
  event     uuid NOT NULL,
  of_event  uuid NOT NULL,
  CONSTRAINT duplicate_pkey PRIMARY KEY (event)
);

CREATE TABLE event (
  id           uuid NOT NULL,
  verdict      text NOT NULL,
  source       text,
  event_id     text,
  type         text,
  subject      text,
  service_id   text,
  event_time   timestamp with time zone,
  received_at  timestamp with time zone NOT NULL,
  via          text NOT NULL,
  topic        text,
  partition    integer,
  "offset"     bigint,
  token_id     uuid,
  headers      jsonb DEFAULT '{}'::jsonb NOT NULL,
  body         bytea NOT NULL,
  CONSTRAINT event_pkey PRIMARY KEY (id),
  CONSTRAINT event_verdict_check CHECK (verdict = ANY (ARRAY['campaign'::text, 'revision'::text, 'command'::text, 'rejected'::text, 'duplicate'::text])),
  CONSTRAINT event_via_check CHECK (via = ANY (ARRAY['kafka'::text, 'http'::text]))
) PARTITION BY RANGE (id);
CREATE INDEX event_record ON event USING btree (topic, partition, "offset") WHERE topic IS NOT NULL;
CREATE INDEX event_service ON event USING btree (service_id, id);

CREATE TABLE event_default PARTITION OF event DEFAULT;

CREATE TABLE idempotent_answer (
  token_id      uuid NOT NULL,
  key           text NOT NULL,
  request_hash  bytea NOT NULL,
  status        integer,
  body          jsonb,
  created_at    timestamp with time zone NOT NULL,
  CONSTRAINT idempotent_answer_pkey PRIMARY KEY (token_id, key)
);

CREATE TABLE inbox_key (
  source        text NOT NULL,
  event_id      text NOT NULL,
  content_hash  bytea NOT NULL,
  event         uuid NOT NULL,
  taken_at      timestamp with time zone NOT NULL,
  CONSTRAINT inbox_key_pkey PRIMARY KEY (source, event_id)
);
CREATE INDEX inbox_key_taken_at ON inbox_key USING btree (taken_at);

CREATE TABLE live_send (
  campaign    uuid NOT NULL,
  occurrence  text NOT NULL,
  cell        text NOT NULL,
  chunk       integer NOT NULL,
  send        uuid NOT NULL,
  CONSTRAINT live_send_pkey PRIMARY KEY (campaign, occurrence, cell, chunk),
  CONSTRAINT live_send_send UNIQUE (send)
);

CREATE UNLOGGED TABLE look_claim (
  send         uuid NOT NULL,
  lease_until  timestamp with time zone NOT NULL,
  CONSTRAINT look_claim_pkey PRIMARY KEY (send)
);

CREATE TABLE occurrence (
  campaign      uuid NOT NULL,
  occurrence    text NOT NULL,
  revision      integer NOT NULL,
  state         text NOT NULL,
  code          text,
  first_due     timestamp with time zone,
  last_due      timestamp with time zone,
  state_at      timestamp with time zone NOT NULL,
  target_count  bigint,
  sent_count    bigint,
  CONSTRAINT occurrence_pkey PRIMARY KEY (campaign, occurrence),
  CONSTRAINT occurrence_campaign_fkey FOREIGN KEY (campaign) REFERENCES campaign(id),
  CONSTRAINT occurrence_state_check CHECK (state = ANY (ARRAY['planned'::text, 'running'::text, 'completed'::text, 'expired'::text, 'canceling'::text, 'canceled'::text, 'skipped'::text]))
);
CREATE TRIGGER occurrence_tell_end AFTER UPDATE ON occurrence FOR EACH ROW WHEN (old.state <> 'completed'::text AND new.state = 'completed'::text) EXECUTE FUNCTION occurrence_tell();

CREATE TABLE offset_census (
  service_id    text NOT NULL,
  channel_name  text,
  offsets       jsonb NOT NULL,
  looked_up_at  timestamp with time zone NOT NULL,
  CONSTRAINT offset_census_place UNIQUE NULLS NOT DISTINCT (service_id, channel_name),
  CONSTRAINT offset_census_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE
);

CREATE TABLE outbox (
  id            uuid NOT NULL,
  "position"    bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  shard         smallint DEFAULT 0 NOT NULL,
  created_at    timestamp with time zone NOT NULL,
  published_at  timestamp with time zone,
  topic         text,
  key           text,
  headers       jsonb,
  value         bytea,
  kind          text,
  campaign      uuid,
  sequence      integer,
  revision      integer,
  occurrence    text,
  send          uuid,
  cell          text,
  chunk         integer,
  retry_of      uuid,
  from_state    text,
  to_state      text,
  code          text,
  detail        text,
  problems      jsonb,
  due_at        timestamp with time zone,
  request_id    text,
  target_count  bigint,
  sent_count    bigint,
  CONSTRAINT outbox_pkey PRIMARY KEY (id),
  CONSTRAINT outbox_one_kind CHECK (num_nonnulls(value, send, kind) = 1)
);
CREATE INDEX outbox_published ON outbox USING btree (published_at) WHERE published_at IS NOT NULL;
CREATE INDEX outbox_unpublished ON outbox USING btree (shard, "position") WHERE published_at IS NULL;

CREATE TABLE plan_preview (
  service_id  text NOT NULL,
  hash        text NOT NULL,
  plan        jsonb NOT NULL,
  made_at     timestamp with time zone NOT NULL,
  expires_at  timestamp with time zone NOT NULL,
  CONSTRAINT plan_preview_pkey PRIMARY KEY (service_id, hash),
  CONSTRAINT plan_preview_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id)
);
CREATE INDEX plan_preview_expires_at ON plan_preview USING btree (expires_at);
CREATE INDEX plan_preview_hash ON plan_preview USING btree (hash);

CREATE TABLE plan_preview_cell (
  service_id  text NOT NULL,
  hash        text NOT NULL,
  "position"  integer NOT NULL,
  cell        jsonb NOT NULL,
  CONSTRAINT plan_preview_cell_pkey PRIMARY KEY (service_id, hash, "position"),
  CONSTRAINT plan_preview_cell_preview FOREIGN KEY (service_id, hash) REFERENCES plan_preview(service_id, hash) ON DELETE CASCADE
);

CREATE TABLE project (
  service_id           text NOT NULL,
  base_url             text NOT NULL,
  sources              text[] DEFAULT '{}'::text[] NOT NULL,
  default_zone         text DEFAULT 'Asia/Seoul'::text NOT NULL,
  gateway_zone         text DEFAULT 'Asia/Seoul'::text NOT NULL,
  principal_zones      jsonb DEFAULT '{}'::jsonb NOT NULL,
  policy_defaults      jsonb DEFAULT '{}'::jsonb NOT NULL,
  reservations         boolean DEFAULT true NOT NULL,
  min_reserve_lead_ms  bigint DEFAULT 180000 NOT NULL,
  reserve_horizon_ms   bigint DEFAULT '2592000000'::bigint NOT NULL,
  max_to               integer DEFAULT 1000 NOT NULL,
  lookup_max           integer DEFAULT 10000 NOT NULL,
  rate_per_second      integer DEFAULT 50 NOT NULL,
  in_flight            integer DEFAULT 64 NOT NULL,
  weight               integer DEFAULT 1 NOT NULL,
  max_retries          integer DEFAULT 5 NOT NULL,
  extensions           text[] DEFAULT '{}'::text[] NOT NULL,
  on_uncertain         text DEFAULT 'wait'::text NOT NULL,
  api_key_sealed       text,
  resting_until        timestamp with time zone,
  resting_code         text,
  resting_detail       text,
  created_at           timestamp with time zone NOT NULL,
  updated_at           timestamp with time zone NOT NULL,
  CONSTRAINT project_pkey PRIMARY KEY (service_id),
  CONSTRAINT project_in_flight_check CHECK (in_flight >= 1 AND in_flight <= 10000),
  CONSTRAINT project_lookup_max_check CHECK (lookup_max >= 0),
  CONSTRAINT project_max_retries_check CHECK (max_retries >= 0),
  CONSTRAINT project_max_to_check CHECK (max_to >= 1 AND max_to <= 10000),
  CONSTRAINT project_min_reserve_lead_ms_check CHECK (min_reserve_lead_ms >= 0),
  CONSTRAINT project_on_uncertain_check CHECK (on_uncertain = ANY (ARRAY['wait'::text, 'resend'::text])),
  CONSTRAINT project_rate_per_second_check CHECK (rate_per_second >= 1 AND rate_per_second <= 100000),
  CONSTRAINT project_reserve_horizon_ms_check CHECK (reserve_horizon_ms >= 0),
  CONSTRAINT project_service_id_check CHECK (length(service_id) >= 1 AND length(service_id) <= 128),
  CONSTRAINT project_weight CHECK (weight >= 1 AND weight <= 100)
);

CREATE TABLE project_key (
  id             uuid NOT NULL,
  service_id     text NOT NULL,
  access_key     text NOT NULL,
  secret_sealed  text NOT NULL,
  "position"     smallint NOT NULL,
  created_at     timestamp with time zone NOT NULL,
  CONSTRAINT project_key_pkey PRIMARY KEY (id),
  CONSTRAINT project_key_access_key UNIQUE (service_id, access_key),
  CONSTRAINT project_key_position UNIQUE (service_id, "position"),
  CONSTRAINT project_key_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id),
  CONSTRAINT project_key_position_check CHECK ("position" = ANY (ARRAY[1, 2]))
);

CREATE TABLE project_pace (
  service_id     text NOT NULL,
  rate           double precision NOT NULL,
  tokens         double precision NOT NULL,
  at             timestamp with time zone NOT NULL,
  slowed_at      timestamp with time zone,
  pressed_until  timestamp with time zone,
  looked_at      timestamp with time zone,
  CONSTRAINT project_pace_pkey PRIMARY KEY (service_id),
  CONSTRAINT project_pace_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE,
  CONSTRAINT project_pace_rate_check CHECK (rate > 0::double precision)
) WITH (fillfactor=50);

CREATE TABLE project_trouble (
  service_id  text NOT NULL,
  process     uuid NOT NULL,
  code        text NOT NULL,
  detail      text,
  since       timestamp with time zone NOT NULL,
  seen_at     timestamp with time zone NOT NULL,
  CONSTRAINT project_trouble_pkey PRIMARY KEY (service_id, code, process),
  CONSTRAINT project_trouble_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE
);

CREATE TABLE registered_offset (
  service_id      text NOT NULL,
  user_id         text NOT NULL,
  offset_seconds  integer,
  looked_up_at    timestamp with time zone NOT NULL,
  CONSTRAINT registered_offset_pkey PRIMARY KEY (service_id, user_id),
  CONSTRAINT registered_offset_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE,
  CONSTRAINT registered_offset_offset_seconds_check CHECK (offset_seconds >= '-64800'::integer AND offset_seconds <= 64800)
);
CREATE INDEX registered_offset_age ON registered_offset USING btree (looked_up_at);

CREATE TABLE rejection (
  id           uuid NOT NULL,
  event        uuid NOT NULL,
  reasons      jsonb NOT NULL,
  rejected_at  timestamp with time zone NOT NULL,
  state        text DEFAULT 'open'::text NOT NULL,
  topic        text,
  partition    integer,
  "offset"     bigint,
  body_hash    bytea NOT NULL,
  CONSTRAINT rejection_pkey PRIMARY KEY (id),
  CONSTRAINT rejection_record UNIQUE (topic, partition, "offset", body_hash),
  CONSTRAINT rejection_state_check CHECK (state = ANY (ARRAY['open'::text, 'replayed'::text, 'discarded'::text]))
);
CREATE INDEX rejection_event ON rejection USING btree (event);

CREATE TABLE retry_batch (
  id            uuid NOT NULL,
  state         text NOT NULL,
  filter        jsonb NOT NULL,
  held          text[],
  services      text[] NOT NULL,
  after_send    uuid,
  counts        jsonb NOT NULL,
  created_at    timestamp with time zone NOT NULL,
  created_by    text NOT NULL,
  expires_at    timestamp with time zone,
  confirmed_at  timestamp with time zone,
  confirmed_by  text,
  done_at       timestamp with time zone,
  token         uuid,
  next_at       timestamp with time zone NOT NULL,
  CONSTRAINT retry_batch_pkey PRIMARY KEY (id),
  CONSTRAINT retry_batch_state CHECK (state = ANY (ARRAY['gathering'::text, 'asking'::text, 'ready'::text, 'retrying'::text, 'done'::text]))
);
CREATE INDEX retry_batch_age ON retry_batch USING btree (created_at);
CREATE INDEX retry_batch_open ON retry_batch USING btree (next_at) WHERE state = ANY (ARRAY['gathering'::text, 'asking'::text, 'retrying'::text]);

CREATE TABLE retry_item (
  batch       uuid NOT NULL,
  send        uuid NOT NULL,
  service_id  text NOT NULL,
  request_id  text,
  state       text NOT NULL,
  code        text,
  sent_count  integer,
  tries       integer DEFAULT 0 NOT NULL,
  retry       uuid,
  CONSTRAINT retry_item_pkey PRIMARY KEY (batch, send),
  CONSTRAINT retry_item_batch_fkey FOREIGN KEY (batch) REFERENCES retry_batch(id) ON DELETE CASCADE,
  CONSTRAINT retry_item_state CHECK (state = ANY (ARRAY['ask'::text, 'retry'::text, 'retried'::text, 'left-out'::text]))
);
CREATE INDEX retry_item_open ON retry_item USING btree (batch, state, send) WHERE state = ANY (ARRAY['ask'::text, 'retry'::text]);

CREATE TABLE revision (
  campaign  uuid NOT NULL,
  revision  integer NOT NULL,
  event     uuid NOT NULL,
  state     text NOT NULL,
  data      jsonb NOT NULL,
  request   jsonb NOT NULL,
  reasons   jsonb,
  plan      jsonb,
  taken_at  timestamp with time zone NOT NULL,
  CONSTRAINT revision_pkey PRIMARY KEY (campaign, revision),
  CONSTRAINT revision_event UNIQUE (event),
  CONSTRAINT revision_campaign_fkey FOREIGN KEY (campaign) REFERENCES campaign(id),
  CONSTRAINT revision_state_check CHECK (state = ANY (ARRAY['planning'::text, 'awaiting-approval'::text, 'in-force'::text, 'rejected'::text, 'superseded'::text]))
);

CREATE TABLE send (
  id              uuid NOT NULL,
  service_id      text NOT NULL,
  campaign        uuid NOT NULL,
  revision        integer NOT NULL,
  occurrence      text NOT NULL,
  cell            text NOT NULL,
  chunk           integer DEFAULT 0 NOT NULL,
  retry_of        uuid,
  retries         integer DEFAULT 0 NOT NULL,
  state           text NOT NULL,
  code            text,
  detail          text,
  goal            text,
  history         integer DEFAULT 1 NOT NULL,
  state_at        timestamp with time zone NOT NULL,
  state_by        text NOT NULL,
  mode            text NOT NULL,
  mode_rule       text NOT NULL,
  schedule_code   text,
  intended_at     timestamp with time zone,
  due_at          timestamp with time zone,
  hand_off_at     timestamp with time zone NOT NULL,
  recipients      text[],
  claim_token     uuid,
  lease_until     timestamp with time zone,
  attempts        integer DEFAULT 0 NOT NULL,
  request_id      text,
  handed_off_at   timestamp with time zone,
  answered_at     timestamp with time zone,
  gateway_status  text,
  next_look_at    timestamp with time zone,
  looks           integer DEFAULT 0 NOT NULL,
  target_count    integer,
  sent_count      integer,
  complete_time   timestamp with time zone,
  created_at      timestamp with time zone NOT NULL,
  CONSTRAINT send_pkey PRIMARY KEY (id),
  CONSTRAINT send_goal_check CHECK (goal = ANY (ARRAY['held'::text, 'superseded'::text, 'canceled'::text])),
  CONSTRAINT send_mode_check CHECK (mode = ANY (ARRAY['immediate'::text, 'reserved'::text, 'scheduled'::text]))
) PARTITION BY RANGE (id);
CREATE INDEX send_attention ON send USING btree (service_id, id) WHERE state = ANY (ARRAY['failed'::text, 'stale'::text, 'rejected'::text, 'uncertain'::text, 'expired'::text]);
CREATE INDEX send_campaign ON send USING btree (campaign, occurrence, cell, chunk);
CREATE INDEX send_cancel ON send USING btree (service_id, next_look_at, id) WHERE state = 'canceling'::text;
CREATE INDEX send_due ON send USING btree (service_id, hand_off_at, chunk, id) WHERE state = 'planned'::text;
CREATE INDEX send_known ON send USING btree (service_id, next_look_at, id) WHERE state = 'uncertain'::text AND request_id IS NOT NULL;
CREATE INDEX send_lease ON send USING btree (lease_until) WHERE state = ANY (ARRAY['claimed'::text, 'sending'::text]);
CREATE INDEX send_look ON send USING btree (service_id, next_look_at, id) WHERE state = ANY (ARRAY['accepted'::text, 'reserved'::text, 'scheduled'::text]);
CREATE INDEX send_repeat ON send USING btree (service_id, id) WHERE state = 'uncertain'::text AND request_id IS NULL;
CREATE TRIGGER send_born AFTER INSERT ON send REFERENCING NEW TABLE AS new_send FOR EACH STATEMENT EXECUTE FUNCTION send_write_birth();
CREATE TRIGGER send_moved AFTER UPDATE ON send REFERENCING OLD TABLE AS old_send NEW TABLE AS new_send FOR EACH STATEMENT EXECUTE FUNCTION send_write_history();

CREATE TABLE send_default PARTITION OF send DEFAULT;

CREATE TABLE send_history (
  send        uuid NOT NULL,
  sequence    integer NOT NULL,
  from_state  text,
  to_state    text NOT NULL,
  code        text,
  detail      text,
  at          timestamp with time zone NOT NULL,
  by          text NOT NULL,
  CONSTRAINT send_history_pkey PRIMARY KEY (send, sequence)
) PARTITION BY RANGE (send);

CREATE TABLE send_history_default PARTITION OF send_history DEFAULT;

CREATE TABLE send_transition (
  from_state  text NOT NULL,
  to_state    text NOT NULL,
  CONSTRAINT send_transition_pkey PRIMARY KEY (from_state, to_state)
);

CREATE TABLE standing_count (
  send          uuid NOT NULL,
  day           date NOT NULL,
  target_count  integer,
  sent_count    integer,
  at            timestamp with time zone NOT NULL,
  CONSTRAINT standing_count_pkey PRIMARY KEY (send, day)
);

CREATE TABLE unwritten_answer (
  send     uuid NOT NULL,
  attempt  integer NOT NULL,
  code     text,
  error    text NOT NULL,
  facts    jsonb NOT NULL,
  at       timestamp with time zone NOT NULL,
  by       text NOT NULL,
  CONSTRAINT unwritten_answer_pkey PRIMARY KEY (send, attempt)
);

CREATE TABLE zone_rules_in_force (
  singleton  boolean DEFAULT true NOT NULL,
  version    text NOT NULL,
  since      timestamp with time zone NOT NULL,
  CONSTRAINT zone_rules_in_force_pkey PRIMARY KEY (singleton),
  CONSTRAINT zone_rules_in_force_singleton_check CHECK (singleton)
);

CREATE OR REPLACE FUNCTION scheduler.add_month_partition(parent text, month_of timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '500ms'
AS $function$
declare
  low  timestamptz := date_trunc('month', month_of, 'UTC');
  name text := parent || to_char(low at time zone 'UTC', '_YYYY_MM');
begin
  perform pg_advisory_xact_lock(hashtext('add_month_partition'));
  -- Not by to_regclass: its cache need not know yet what another has made while this one waited.
  if exists (select from pg_class c where c.relname = name and c.relnamespace = current_schema()::regnamespace) then
    return false;
  end if;
  execute format('create table %I partition of %I for values from (%L) to (%L)',
    name, parent, uuid_floor(low), uuid_floor(low + interval '1 month'));
  return true;
exception when check_violation then
  return false;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.campaign_keep_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and new.state = old.state then return new; end if;
  if tg_op = 'UPDATE' then
    if not exists (select from campaign_transition t where t.from_state = old.state and t.to_state = new.state) then
      raise exception 'campaign % may not go from % to %', new.id, old.state, new.state
        using errcode = 'check_violation', constraint = 'campaign_transition';
    end if;
    new.history := old.history + 1;
  elsif new.state <> 'accepted' then
    raise exception 'a campaign begins as accepted, not as %', new.state
      using errcode = 'check_violation', constraint = 'campaign_transition';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.campaign_shard(campaign uuid)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (get_byte(uuid_send(campaign), 15) & 15)::smallint
$function$;

CREATE OR REPLACE FUNCTION scheduler.campaign_tell()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_campaign(new.id, 'campaign.' || new.state, new.state, null, new.state_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.campaign_write_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into campaign_history (campaign, sequence, from_state, to_state, code, detail, at, by)
  values (new.id, new.history, case when tg_op = 'UPDATE' then old.state end, new.state, new.code, new.detail,
          new.state_at, new.state_by);
  -- A campaign without one send ends too.
  if new.state in ('planned', 'canceling') then insert into campaign_touched (campaign) values (new.id); end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.claim_looks(at timestamp with time zone, the_states text[], lease interval, most integer, room_of_others integer, the_services text[], the_rooms integer[], round bigint)
 RETURNS TABLE(id uuid, service_id text, state text, goal text, history integer, mode text, schedule_code text, request_id text, due_ms double precision, handed_off_ms double precision, state_ms double precision, looks integer, until_ms double precision)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  if 'canceling' = any(the_states) then
  return query
  with room as materialized (
    select p.service_id, coalesce(r.room, room_of_others) as room
      from project p left join unnest(the_services, the_rooms) as r(service_id, room) on r.service_id = p.service_id
     where coalesce(r.room, room_of_others) > 0
       and (p.resting_until is null or p.resting_until <= at or p.resting_code = 'STOPPED')
     order by hashtextextended(p.service_id, round)),
  due as materialized (
    select d.* from room cross join lateral (
      select s.id, s.service_id, s.state, s.goal, s.history, s.mode, s.schedule_code, s.request_id, s.due_at, s.handed_off_at,
             s.created_at, s.state_at, s.looks, s.next_look_at, s.campaign, s.revision
        from send s
       where s.state = 'canceling'
         and s.service_id = room.service_id and s.next_look_at <= at
         and not exists (select from look_claim k where k.send = s.id and k.lease_until >= clock_timestamp())
       order by s.next_look_at, s.id limit room.room) d
     limit most),
  claimed as (
    insert into look_claim as k (send, lease_until)
    select d.id, clock_timestamp() + lease from due d order by d.id
    on conflict (send) do update set lease_until = excluded.lease_until where k.lease_until < clock_timestamp()
    returning send)
  select d.id, d.service_id, d.state, d.goal, d.history, d.mode, d.schedule_code, d.request_id,
         (extract(epoch from d.due_at) * 1000)::float8,
         (extract(epoch from coalesce(d.handed_off_at, d.created_at)) * 1000)::float8,
         (extract(epoch from d.state_at) * 1000)::float8, d.looks,
         case when d.mode = 'scheduled' then
           (select (r.data->'delivery'->>'until')::float8 from revision r where r.campaign = d.campaign and r.revision = d.revision) end
    from claimed k join due d on d.id = k.send
   order by d.next_look_at, d.id;
  end if;
  if the_states && array['accepted', 'reserved', 'scheduled'] then
  return query
  with room as materialized (
    select p.service_id, coalesce(r.room, room_of_others) as room
      from project p left join unnest(the_services, the_rooms) as r(service_id, room) on r.service_id = p.service_id
     where coalesce(r.room, room_of_others) > 0
       and (p.resting_until is null or p.resting_until <= at or p.resting_code = 'STOPPED')
     order by hashtextextended(p.service_id, round)),
  due as materialized (
    select d.* from room cross join lateral (
      select s.id, s.service_id, s.state, s.goal, s.history, s.mode, s.schedule_code, s.request_id, s.due_at, s.handed_off_at,
             s.created_at, s.state_at, s.looks, s.next_look_at, s.campaign, s.revision
        from send s
       where s.state = any(the_states) and s.state in ('accepted', 'reserved', 'scheduled')
         and s.service_id = room.service_id and s.next_look_at <= at
         and not exists (select from look_claim k where k.send = s.id and k.lease_until >= clock_timestamp())
       order by s.next_look_at, s.id limit room.room) d
     limit most),
  claimed as (
    insert into look_claim as k (send, lease_until)
    select d.id, clock_timestamp() + lease from due d order by d.id
    on conflict (send) do update set lease_until = excluded.lease_until where k.lease_until < clock_timestamp()
    returning send)
  select d.id, d.service_id, d.state, d.goal, d.history, d.mode, d.schedule_code, d.request_id,
         (extract(epoch from d.due_at) * 1000)::float8,
         (extract(epoch from coalesce(d.handed_off_at, d.created_at)) * 1000)::float8,
         (extract(epoch from d.state_at) * 1000)::float8, d.looks,
         case when d.mode = 'scheduled' then
           (select (r.data->'delivery'->>'until')::float8 from revision r where r.campaign = d.campaign and r.revision = d.revision) end
    from claimed k join due d on d.id = k.send
   order by d.next_look_at, d.id;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.claim_sends(at timestamp with time zone, up_to timestamp with time zone, late_from timestamp with time zone, by_whom text, token uuid, lease interval, most integer, the_rooms jsonb, room_of_others integer, round bigint)
 RETURNS TABLE(id uuid, service_id text, campaign uuid, revision integer, chunk integer, mode text, mode_rule text, schedule_code text, intended_ms double precision, due_ms double precision, hand_off_ms double precision, attempts integer, by_hand boolean, zone text)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  with room as materialized (
    select p.service_id, coalesce((the_rooms ->> p.service_id)::integer, room_of_others) as room
      from project p
     where (p.resting_until is null or p.resting_until <= at)
       and coalesce((the_rooms ->> p.service_id)::integer, room_of_others) > 0
     -- A draw each round: a project of weight w comes before another of weight 1 in w of w + 1 rounds.
     order by -ln(((hashtextextended(p.service_id, round) & 9007199254740991) + 0.5) / 9007199254740992) / p.weight),
  fresh as materialized (
    select d.id, room.service_id from room cross join lateral (
      select s.id from send s
       where s.state = 'planned' and s.service_id = room.service_id and s.hand_off_at > late_from and s.hand_off_at <= up_to
       order by s.hand_off_at, s.chunk, s.id limit room.room for no key update skip locked) d
     limit most),
  late as materialized (
    select d.id, d.campaign, room.service_id from room cross join lateral (
      select s.id, s.campaign from send s
       where s.state = 'planned' and s.service_id = room.service_id and s.hand_off_at <= late_from
       order by s.hand_off_at, s.chunk, s.id
       limit greatest((room.room + 1) / 2,
                      room.room - (select count(*) from fresh f where f.service_id = room.service_id))
         for no key update skip locked) d
     limit greatest((most + 1) / 2, most - (select count(*) from fresh))),
  -- Of what is late the newest few as well, where they are another campaign's than the oldest. Looked at without a lock:
  -- mostly they are not.
  seen as materialized (
    select d.id from room cross join lateral (
      select s.id, s.campaign from send s
       where s.state = 'planned' and s.service_id = room.service_id and s.hand_off_at <= late_from
       order by s.hand_off_at desc, s.chunk desc, s.id desc limit least(64, (room.room + 3) / 4)) d
     where not exists (select from late l where l.service_id = room.service_id and l.campaign = d.campaign)),
  newest as materialized (
    select s.id from seen join send s on s.id = seen.id where s.state || '' = 'planned' for no key update of s skip locked),
  due as materialized (select f.id from fresh f union all select l.id from late l union all select n.id from newest n),
  claimed as (
    update send s set state = 'claimed', history = s.history + 1, code = null, detail = null, state_at = at,
           state_by = by_whom, claim_token = token, lease_until = clock_timestamp() + lease
      from due where s.id = due.id and s.state || '' = 'planned'
    returning s.*)
  select s.id, s.service_id, s.campaign, s.revision, s.chunk, s.mode, s.mode_rule, s.schedule_code,
         (extract(epoch from s.intended_at) * 1000)::float8, (extract(epoch from s.due_at) * 1000)::float8,
         (extract(epoch from s.hand_off_at) * 1000)::float8, s.attempts, s.retry_of is not null, c.zone
    from claimed s join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.fire_sends(the_ids uuid[], the_tokens uuid[], the_revisions integer[], the_modes text[], the_rules text[], the_dues timestamp with time zone[], the_ats timestamp with time zone[], at timestamp with time zone, by_whom text, lease interval)
 RETURNS TABLE(id uuid, attempt integer, recipients text[], target jsonb, token uuid)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare fired_count integer;
begin
  return query
  with fired as (
         update send s set state = 'sending', history = s.history + 1, code = null, detail = null, state_at = g.at, state_by = by_whom,
           mode = g.mode, mode_rule = g.mode_rule, due_at = coalesce(g.due_at, s.due_at),
           attempts = s.attempts + 1, handed_off_at = g.at, lease_until = clock_timestamp() + lease
      from unnest(the_ids, the_tokens, the_revisions, the_modes, the_rules, the_dues, the_ats)
        as g(id, token, revision, mode, mode_rule, due_at, at)
     where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token and s.revision = g.revision
       and exists (select from project p
                    where p.service_id = s.service_id and (p.resting_until is null or p.resting_until <= fire_sends.at))
       and not exists (
             select from campaign_cancel k
              where k.campaign = s.campaign and (k.occurrence is null or k.occurrence = s.occurrence))
    returning s.id, s.attempts, s.recipients, s.campaign, s.occurrence, s.cell, s.handed_off_at, g.token),
  noted as (
    insert into attempt (send, attempt, kind, started_at) select f.id, f.attempts, 'send', f.handed_off_at from fired f)
  select f.id, f.attempts, f.recipients, c.target, f.token
    from fired f join cell c on c.campaign = f.campaign and c.occurrence = f.occurrence and c.cell = f.cell;
  get diagnostics fired_count = row_count;
  if fired_count < cardinality(the_ids) then
    update send s set state = 'canceled', history = s.history + 1, code = k.code, detail = k.detail, state_at = fire_sends.at,
           state_by = k.asked_by, claim_token = null, lease_until = null, next_look_at = null
      from unnest(the_ids, the_tokens) as g(id, token)
      cross join lateral (
        select k.code, k.detail, k.asked_by from send o join campaign_cancel k
            on k.campaign = o.campaign and (k.occurrence is null or k.occurrence = o.occurrence)
         where o.id = g.id order by k.occurrence nulls first limit 1) k
     where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.look_through(the_campaigns uuid[], the_occurrences text[], the_cells text[], the_chunks integer[], most integer, open_states text[])
 RETURNS TABLE(place integer, seen integer, open uuid, expired boolean, nothing boolean, begun boolean, target double precision, sent double precision, cell text, chunk integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  select w.place::integer, p.seen, p.open, p.expired, p.nothing, p.begun, p.target, p.sent, p.cell, p.chunk
    from unnest(the_campaigns, the_occurrences, the_cells, the_chunks) with ordinality as w(campaign, occurrence, cell, chunk, place)
    cross join lateral (
      select count(*)::integer as seen, (array_agg(n.send) filter (where n.state = any(open_states)))[1] as open,
             coalesce(bool_or(n.state = 'expired'), false) as expired,
             coalesce(bool_and(n.state in ('expired', 'skipped', 'canceled')), true) as nothing,
             coalesce(bool_or(n.handed_off_at is not null), false) as begun,
             coalesce(sum(n.target_count), 0)::float8 as target, coalesce(sum(n.sent_count), 0)::float8 as sent,
             (array_agg(n.cell))[count(*)] as cell, (array_agg(n.chunk))[count(*)] as chunk
        from (select k.cell, k.chunk, s.state, s.handed_off_at, s.target_count, s.sent_count, s.id as send
                from ((select l.send, l.cell, l.chunk from live_send l
                        where w.cell is null and l.campaign = w.campaign and l.occurrence = w.occurrence
                        order by l.cell desc, l.chunk desc limit most)
                      union all
                      (select l.send, l.cell, l.chunk from live_send l
                        where l.campaign = w.campaign and l.occurrence = w.occurrence and (l.cell, l.chunk) < (w.cell, w.chunk)
                        order by l.cell desc, l.chunk desc limit most)) k
                join send s on s.id = k.send) n) p;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.occurrence_tell()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_campaign(new.campaign, 'occurrence.completed', null, new.occurrence, new.state_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.record_answers(the_ids uuid[], the_tokens uuid[], the_attempts integer[], the_states text[], the_codes text[], the_details text[], the_answered timestamp with time zone[], the_request_ids text[], the_gateway_statuses text[], the_looks timestamp with time zone[], the_hand_offs timestamp with time zone[], the_requests_sent boolean[], the_http_statuses integer[], the_error_codes text[], the_answers text[], the_outcomes text[], by_whom text, at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  written integer;
  wanted uuid[];
  those uuid[];
begin
  with moved as (
  update send s set
         state = case when s.state = 'sending' and g.state = 'planned' then coalesce(s.goal, 'planned')
                      when s.state = 'uncertain' and g.state = 'rejected' then 'planned' else g.state end,
         history = s.history + 1, code = g.code, detail = g.detail, state_at = g.answered_at, state_by = by_whom,
         answered_at = case when g.http_status is null then s.answered_at else g.answered_at end,
         request_id = coalesce(g.request_id, s.request_id), gateway_status = coalesce(g.gateway_status, s.gateway_status),
         next_look_at = g.next_look_at, looks = 0, hand_off_at = coalesce(g.hand_off_at, s.hand_off_at),
         claim_token = null, lease_until = null
    from unnest(the_ids, the_tokens, the_states, the_codes, the_details, the_answered, the_request_ids, the_gateway_statuses, the_looks, the_hand_offs, the_http_statuses)
      as g(id, token, state, code, detail, answered_at, request_id, gateway_status, next_look_at, hand_off_at, http_status)
   where s.id = g.id and s.claim_token = g.token
     and (s.state || '' = 'sending' or s.state || '' = 'uncertain' and g.state <> 'uncertain')
  returning s.id, s.state, s.goal)
  select count(*), array_agg(m.id) filter (where m.goal is not null and m.state in ('planned', 'reserved', 'scheduled')),
         array_agg(m.id)
    into written, wanted, those from moved m;

  update attempt a set ended_at = g.ended_at, request_sent = g.request_sent, http_status = g.http_status,
         error_code = g.error_code, answer = g.answer, outcome = g.outcome
    from unnest(the_ids, the_attempts, the_answered, the_requests_sent, the_http_statuses, the_error_codes, the_answers, the_outcomes)
      as g(id, attempt, ended_at, request_sent, http_status, error_code, answer, outcome)
   where a.send = g.id and a.attempt = g.attempt and a.ended_at is null
     -- A fire unheard of that never was: its number may be another claim's by now, whose request is on the wire.
     and (g.error_code is distinct from 'FIRE_NOT_CONFIRMED' or a.send = any(those));
  if wanted is not null then
    -- What the push service holds now is taken back from it, and what was not sent goes where the goal says.
    update send s set
           state = case s.state when 'planned' then s.goal else 'canceling' end, history = s.history + 1,
           state_at = at, state_by = by_whom, next_look_at = case s.state when 'planned' then null else at end
     where s.id = any(wanted);
    perform pg_notify('carillon_cancel', '');
  end if;
  return written;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.record_looks(the_ids uuid[], the_histories integer[], the_looks_before integer[], the_froms text[], the_tos text[], the_codes text[], the_details text[], the_times timestamp with time zone[], the_next_looks timestamp with time zone[], the_looks integer[], the_gateway_statuses text[], the_targets integer[], the_sents integer[], the_completes timestamp with time zone[], the_drops boolean[], the_goals text[], the_calls jsonb, keeps_counts boolean, by_whom text)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare written uuid[];
begin
  with moved as (
    update send s set
           state = case g.to_state when 'goal' then coalesce(s.goal, 'canceled') else coalesce(g.to_state, s.state) end,
           history = s.history + case when g.to_state is null then 0 else 1 end,
           -- Why it is being canceled stays its reason, whatever the push service said on the way.
           code = case when coalesce(g.to_state, 'goal') = 'goal' then s.code else g.code end,
           detail = case when s.state = 'canceling' and coalesce(g.to_state, 'goal') = 'goal' then coalesce(g.detail, s.detail)
                         else g.detail end,
           state_at = case when g.to_state is null then s.state_at else g.at end,
           state_by = case when g.to_state is null then s.state_by else by_whom end,
           next_look_at = g.next_look_at, looks = g.looks,
           gateway_status = coalesce(g.gateway_status, s.gateway_status),
           target_count = coalesce(g.target_count, s.target_count), sent_count = coalesce(g.sent_count, s.sent_count),
           complete_time = coalesce(g.complete_time, s.complete_time),
           goal = case when g.drops_goal then null else coalesce(g.goal, s.goal) end
      from unnest(the_ids, the_histories, the_looks_before, the_froms, the_tos, the_codes, the_details, the_times, the_next_looks, the_looks,
                  the_gateway_statuses, the_targets, the_sents, the_completes, the_drops, the_goals)
        as g(id, history, looks_before, from_state, to_state, code, detail, at, next_look_at, looks, gateway_status, target_count, sent_count,
             complete_time, drops_goal, goal)
     where s.id = g.id and s.history = g.history and s.state || '' = g.from_state
       and (g.to_state is not null or s.looks = g.looks_before)
    returning s.id)
  select coalesce(array_agg(m.id), '{}') into written from moved m;

  delete from look_claim k where k.send = any(the_ids);

  if keeps_counts then
    insert into standing_count (send, day, target_count, sent_count, at)
    select s.id, (g.at at time zone 'UTC')::date, s.target_count, s.sent_count, g.at
      from unnest(the_ids, the_times, the_targets, the_sents) as g(id, at, target_count, sent_count) join send s on s.id = g.id
     where g.id = any(written) and s.mode = 'scheduled' and (g.target_count is not null or g.sent_count is not null)
    on conflict (send, day) do update
       set target_count = excluded.target_count, sent_count = excluded.sent_count, at = excluded.at;
  end if;

  if the_calls is not null then
    with noted as (
      update send s set attempts = s.attempts + 1
        from jsonb_to_recordset(the_calls) as c(id uuid) where s.id = c.id and c.id = any(written)
      returning s.id, s.attempts)
    insert into attempt (send, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome)
    select n.id, n.attempts, 'cancel', c.started_at, c.ended_at, c.request_sent, c.http_status, c.error_code, c.answer, c.outcome
      from jsonb_to_recordset(the_calls)
        as c(id uuid, started_at timestamptz, ended_at timestamptz, request_sent boolean, http_status integer,
             error_code text, answer text, outcome text)
      join noted n on n.id = c.id;
  end if;
  return cardinality(written);
end $function$;

CREATE OR REPLACE FUNCTION scheduler.send_refuse_arrow(send uuid, from_state text, to_state text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'send % may not go from % to %', send, from_state, to_state
    using errcode = 'check_violation', constraint = 'send_transition';
end $function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_told(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('accepted', 'reserved', 'scheduled', 'uncertain', 'sent', 'failed', 'empty', 'stale', 'rejected',
                   'canceled', 'expired', 'skipped', 'superseded')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_write_birth()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from new_send where state not in ('planned', 'expired', 'skipped')) then
    raise exception 'a send begins as planned, expired or skipped'
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select id, history, null, state, code, detail, state_at, state_by from new_send;
  -- A retry opens its occurrence again for whoever is just closing it.
  insert into campaign_touched (campaign, occurrence) select distinct campaign, occurrence from new_send where retry_of is not null;
  if not exists (select from new_send where send_state_is_told(state)) then return null; end if;
  insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                      from_state, to_state, code, detail, due_at)
  select uuid_at(state_at), campaign_shard(campaign), state_at, campaign, id, history, revision, occurrence, cell, chunk,
         retry_of, null, state, code, detail, due_at
    from new_send where send_state_is_told(state);
  insert into campaign_touched (campaign, occurrence, told)
  select distinct campaign, occurrence, true from new_send where send_state_is_told(state);
  perform pg_notify('carillon_publish', '');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.send_write_history()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'on'
AS $function$
begin
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select n.id, n.history, o.state,
         case when t.to_state is null or n.history <> o.history + 1
              then send_refuse_arrow(n.id, o.state, n.state) else n.state end,
         n.code, n.detail, n.state_at, n.state_by
    from old_send o join new_send n on n.id = o.id
    left join send_transition t on t.from_state = o.state and t.to_state = n.state
   where o.state <> n.state;
  if not found then return null; end if;
  -- Nothing tells of it, but it opens its occurrence again for whoever is just closing it.
  if exists (select from old_send where state = 'uncertain') then
    insert into campaign_touched (campaign, occurrence)
    select distinct n.campaign, n.occurrence from new_send n join old_send o on o.id = n.id
     where o.state = 'uncertain' and n.state <> o.state and not send_state_is_told(n.state);
  end if;
  -- Told, and a reason to look whether the campaign has begun or ended: handed off, ended or uncertain.
  with told as (
    insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                        from_state, to_state, code, detail, due_at, request_id, target_count, sent_count)
    select uuid_at(n.state_at), campaign_shard(n.campaign), n.state_at, n.campaign, n.id, n.history, n.revision,
           n.occurrence, n.cell, n.chunk, n.retry_of, o.state, n.state, n.code, n.detail, n.due_at, n.request_id,
           n.target_count, n.sent_count
      from new_send n join old_send o on o.id = n.id
     where n.state <> o.state and send_state_is_told(n.state)
    returning campaign, occurrence, to_state)
  insert into campaign_touched (campaign, occurrence, told, began)
  select t.campaign, t.occurrence, true, bool_or(t.to_state not in ('canceled', 'expired', 'skipped', 'superseded'))
    from told t group by t.campaign, t.occurrence;
  if found then perform pg_notify('carillon_publish', ''); end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.take_back_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer, at timestamp with time zone, by_whom text, why text, more text)
 RETURNS TABLE(seen integer, moved integer, last_occurrence text, last_cell text, last_chunk integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  with page as materialized (
    select l.occurrence, l.cell, l.chunk, l.send from live_send l
     where l.campaign = of_campaign and (of_occurrence is null or l.occurrence = of_occurrence)
       and (after_occurrence is null or (l.occurrence, l.cell, l.chunk) > (after_occurrence, after_cell, after_chunk))
     order by l.occurrence, l.cell, l.chunk limit most),
  open_send as materialized (
    select s.id from page p join send s on s.id = p.send
     where s.state || '' in ('planned', 'claimed', 'held', 'reserved', 'scheduled')
        or s.state || '' in ('sending', 'canceling', 'uncertain') and s.goal is distinct from 'canceled'
     order by s.id for no key update of s),
  taken as (
    update send s set
      state = case when s.state in ('planned', 'claimed', 'held') then 'canceled'
                   when s.state in ('reserved', 'scheduled') then 'canceling' else s.state end,
      goal = case when s.state in ('planned', 'claimed', 'held') then s.goal else 'canceled' end,
      history = s.history + case when s.state in ('sending', 'canceling', 'uncertain') then 0 else 1 end,
      code = case when s.state in ('sending', 'canceling', 'uncertain') then s.code else why end,
      detail = case when s.state in ('sending', 'canceling', 'uncertain') then s.detail else more end,
      state_at = case when s.state in ('sending', 'canceling', 'uncertain') then s.state_at else at end,
      state_by = case when s.state in ('sending', 'canceling', 'uncertain') then s.state_by else by_whom end,
      claim_token = case when s.state in ('sending', 'canceling', 'uncertain') then s.claim_token end,
      lease_until = case when s.state in ('sending', 'canceling', 'uncertain') then s.lease_until end,
      looks = case when s.state in ('reserved', 'scheduled') then 0 else s.looks end,
      next_look_at = case when s.state in ('reserved', 'scheduled') then at
                          when s.state in ('planned', 'claimed', 'held') then null else s.next_look_at end
      from open_send o where s.id = o.id returning s.id)
  select count(*)::integer, (select count(*)::integer from taken), (array_agg(p.occurrence))[count(*)], (array_agg(p.cell))[count(*)],
         (array_agg(p.chunk))[count(*)] from page p;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.tell_campaign(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  c campaign%rowtype;
  targets bigint;
  sents bigint;
  problems jsonb;
begin
  update campaign set outcomes = outcomes + 1 where id = of_campaign returning * into c;
  if kind in ('campaign.completed', 'campaign.expired', 'campaign.canceled', 'campaign.corrected', 'occurrence.completed') then
    select coalesce(sum(o.target_count), 0), coalesce(sum(o.sent_count), 0) into targets, sents
      from occurrence o
     where o.campaign = of_campaign and (of_occurrence is null or o.occurrence = of_occurrence);
  end if;
  if kind = 'occurrence.skipped' then
    select o.code into c.code from occurrence o where o.campaign = of_campaign and o.occurrence = of_occurrence;
  end if;
  if kind = 'campaign.rejected' then
    select r.reasons into problems from revision r where r.campaign = of_campaign and r.revision = c.revision;
  end if;
  insert into outbox (id, shard, created_at, campaign, kind, sequence, revision, occurrence, to_state, code, detail, problems,
                      target_count, sent_count)
  values (uuid_at(at), campaign_shard(c.id), at, c.id, kind, c.outcomes, c.revision, of_occurrence, coalesce(new_state, c.state),
          c.code, c.detail, problems, targets, sents);
  perform pg_notify('carillon_publish', '');
end $function$;

CREATE OR REPLACE FUNCTION scheduler.uuid_at(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select encode(set_byte(overlay(uuid_send(gen_random_uuid())
                           placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
                         6, 112 | (get_byte(uuid_send(gen_random_uuid()), 0) & 15)), 'hex')::uuid
$function$;

CREATE OR REPLACE FUNCTION scheduler.uuid_floor(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$function$;

CREATE OR REPLACE FUNCTION scheduler.work_due(at timestamp with time zone, up_to timestamp with time zone, the_loops text[])
 RETURNS text[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  due text[] := '{}';
  -- Leases end by it. As a function's call it would be no bound of an index.
  real_now timestamptz := clock_timestamp();
begin
  if 'plan' = any(the_loops) and exists (
       select from campaign c where c.plan_at <= at and c.state in ('accepted', 'planning', 'planned', 'running')) then
    due := due || 'plan'::text;
  end if;
  if 'lookup' = any(the_loops) and exists (
       select from audience_lookup l
        where l.done_at is null and l.next_at <= at and (l.lease_until is null or l.lease_until < real_now)) then
    due := due || 'lookup'::text;
  end if;
  if 'dispatch' = any(the_loops) and exists (
       select from project p cross join lateral (
         select from send s where s.state = 'planned' and s.service_id = p.service_id and s.hand_off_at <= up_to limit 1) s
        where p.resting_until is null or p.resting_until <= at) then
    due := due || 'dispatch'::text;
  end if;
  if 'dispatch-recover' = any(the_loops) and (
       exists (select from project p where p.resting_until <= at)
       or exists (select from send s where s.state in ('claimed', 'sending') and s.lease_until < real_now)) then
    due := due || 'dispatch-recover'::text;
  end if;
  if 'dispatch-repeat' = any(the_loops) and exists (
       select from send s where s.state = 'uncertain' and s.request_id is null) then
    due := due || 'dispatch-repeat'::text;
  end if;
  -- Those of a stopped project are followed all the same.
  if 'follow' = any(the_loops) and exists (
       select from project p cross join lateral (
         select from send s
          where s.state in ('accepted', 'reserved', 'scheduled') and s.service_id = p.service_id and s.next_look_at <= at limit 1) s
        where p.resting_until is null or p.resting_until <= at or p.resting_code = 'STOPPED') then
    due := due || 'follow'::text;
  end if;
  if 'cancel' = any(the_loops) and exists (
       select from project p cross join lateral (
         select from send s
          where s.state = 'canceling' and s.service_id = p.service_id and s.next_look_at <= at limit 1) s
        where p.resting_until is null or p.resting_until <= at or p.resting_code = 'STOPPED') then
    due := due || 'cancel'::text;
  end if;
  if 'close' = any(the_loops) and exists (select from campaign_touched) then
    due := due || 'close'::text;
  end if;
  if 'publish' = any(the_loops) and exists (select from outbox o where o.published_at is null) then
    due := due || 'publish'::text;
  end if;
  return due;
end $function$;
