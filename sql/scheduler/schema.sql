-- The schema of scheduler, written from the catalogue by `npm run schema`: to be read, not run. Why a column is there
-- stands in the migrations. Partitions are left out: they come and go with the days.

CREATE SEQUENCE send_event_position_0 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_1 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_10 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_11 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_12 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_13 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_14 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_15 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_2 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_3 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_4 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_5 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_6 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_7 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_8 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE SEQUENCE send_event_position_9 AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE TYPE attempt_end AS (
  id            uuid,
  attempt       integer,
  ended_at      timestamp with time zone,
  request_sent  boolean,
  http_status   integer,
  error_code    text,
  answer        text,
  outcome       text,
  next_at       timestamp with time zone
);

CREATE TYPE ended_send AS (
  id         uuid,
  ended_at   timestamp with time zone,
  retryable  boolean
);

CREATE TYPE fire_order AS (
  id         uuid,
  attempts   integer,
  revision   integer,
  mode       text,
  mode_rule  text,
  due_at     timestamp with time zone,
  at         timestamp with time zone
);

CREATE TYPE lost_fire AS (
  id          uuid,
  attempt     integer,
  request_id  text,
  fired_at    timestamp with time zone,
  next_at     timestamp with time zone
);

CREATE TYPE page_place AS (
  campaign    uuid,
  occurrence  text,
  cell        text,
  chunk       integer
);

CREATE TYPE poll_row AS (
  id              uuid,
  changes         integer,
  polls_before    integer,
  "from"          text,
  "to"            text,
  code            text,
  detail          text,
  at              timestamp with time zone,
  next_at         timestamp with time zone,
  polls           integer,
  gateway_status  text,
  target_count    integer,
  sent_count      integer,
  complete_time   timestamp with time zone,
  drops_goal      boolean,
  goal            text
);

CREATE TYPE put_back AS (
  id           uuid,
  attempts     integer,
  changes      integer,
  state        text,
  code         text,
  detail       text,
  hand_off_at  timestamp with time zone,
  mode         text,
  mode_rule    text,
  due_at       timestamp with time zone
);

CREATE TYPE recorded_answer AS (
  id              uuid,
  attempt         integer,
  state           text,
  code            text,
  detail          text,
  answered_at     timestamp with time zone,
  request_id      text,
  gateway_status  text,
  next_at         timestamp with time zone,
  request_sent    boolean,
  http_status     integer,
  error_code      text,
  answer          text,
  outcome         text
);

CREATE TYPE send_move AS (
  id          uuid,
  attempts    integer,
  from_state  text,
  to_state    text,
  code        text,
  detail      text,
  request_id  text,
  next_at     timestamp with time zone
);

CREATE TABLE alert (
  id               uuid NOT NULL,
  cause            text NOT NULL,
  service_id       text,
  since            timestamp with time zone NOT NULL,
  last_seen_at     timestamp with time zone NOT NULL,
  ended_at         timestamp with time zone,
  figure           double precision,
  worst            double precision,
  detail           text NOT NULL,
  acknowledged_at  timestamp with time zone,
  acknowledged_by  text,
  CONSTRAINT alert_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_ended ON alert USING btree (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX alert_open ON alert USING btree (cause, service_id) NULLS NOT DISTINCT WHERE ended_at IS NULL;
CREATE TRIGGER alert_announced AFTER UPDATE ON alert FOR EACH ROW WHEN (old.ended_at IS DISTINCT FROM new.ended_at OR old.acknowledged_at IS DISTINCT FROM new.acknowledged_at OR old.figure IS DISTINCT FROM new.figure) EXECUTE FUNCTION announce_alert();
CREATE TRIGGER alert_born_announced AFTER INSERT ON alert FOR EACH ROW EXECUTE FUNCTION announce_alert();

CREATE TABLE alert_round (
  name      text NOT NULL,
  begun_at  timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  kept_of   timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  facts     jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT alert_round_pkey PRIMARY KEY (name)
);

CREATE TABLE api_token (
  id            uuid NOT NULL,
  name          text NOT NULL,
  hash          bytea NOT NULL,
  roles         text[] NOT NULL,
  service_ids   text[] NOT NULL,
  sources       text[] DEFAULT '{}'::text[] NOT NULL,
  created_at    timestamp with time zone NOT NULL,
  expires_at    timestamp with time zone NOT NULL,
  revoked_at    timestamp with time zone,
  last_used_at  timestamp with time zone,
  name_freed    boolean DEFAULT false NOT NULL,
  CONSTRAINT api_token_pkey PRIMARY KEY (id),
  CONSTRAINT api_token_hash UNIQUE (hash),
  CONSTRAINT api_token_roles_check CHECK (roles <@ ARRAY['publisher'::text, 'analyst'::text, 'operator'::text, 'admin'::text] AND cardinality(roles) > 0),
  CONSTRAINT api_token_service_ids_check CHECK (cardinality(service_ids) > 0),
  CONSTRAINT api_token_sources CHECK (cardinality(sources) > 0 OR service_ids @> ARRAY['*'::text] OR NOT roles && ARRAY['publisher'::text, 'admin'::text])
);
CREATE UNIQUE INDEX api_token_live_name ON api_token USING btree (name) WHERE revoked_at IS NULL AND NOT name_freed;

CREATE TABLE attempt (
  send           uuid NOT NULL,
  send_ended_at  timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
  attempt        integer NOT NULL,
  kind           text NOT NULL,
  started_at     timestamp with time zone NOT NULL,
  ended_at       timestamp with time zone,
  request_sent   boolean,
  http_status    integer,
  error_code     text,
  answer         text,
  outcome        text,
  CONSTRAINT attempt_kind_check CHECK (kind = ANY (ARRAY['send'::text, 'cancel'::text]))
) PARTITION BY RANGE (send_ended_at);

CREATE UNLOGGED TABLE audience_known (
  campaign  uuid NOT NULL,
  source    text NOT NULL,
  zone      text NOT NULL,
  bucket    smallint NOT NULL,
  part      integer NOT NULL,
  size      integer NOT NULL,
  ids       text[] NOT NULL,
  at        timestamp with time zone NOT NULL,
  CONSTRAINT audience_known_pkey PRIMARY KEY (campaign, source, zone, bucket, part)
);

CREATE TABLE audience_list (
  service_id  text NOT NULL,
  name        text NOT NULL,
  version     uuid NOT NULL,
  CONSTRAINT audience_list_pkey PRIMARY KEY (service_id, name),
  CONSTRAINT audience_list_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id)
);

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

CREATE UNLOGGED TABLE audience_page (
  version  uuid NOT NULL,
  bucket   smallint NOT NULL,
  part     integer NOT NULL,
  size     integer NOT NULL,
  ids      text[] STORAGE EXTERNAL NOT NULL,
  zones    smallint[] STORAGE EXTERNAL NOT NULL,
  CONSTRAINT audience_page_pkey PRIMARY KEY (version, bucket, part)
);

CREATE TABLE audience_part (
  version  uuid NOT NULL,
  zone     text NOT NULL,
  bucket   smallint NOT NULL,
  part     integer NOT NULL,
  size     integer NOT NULL,
  ids      text[] NOT NULL,
  CONSTRAINT audience_part_pkey PRIMARY KEY (version, zone, bucket, part)
);

CREATE TABLE audience_use (
  campaign  uuid NOT NULL,
  version   uuid NOT NULL,
  CONSTRAINT audience_use_pkey PRIMARY KEY (campaign, version),
  CONSTRAINT audience_use_campaign_fkey FOREIGN KEY (campaign) REFERENCES campaign(id) ON DELETE CASCADE
);
CREATE INDEX audience_use_version ON audience_use USING btree (version);

CREATE TABLE audience_version (
  version         uuid NOT NULL,
  service_id      text NOT NULL,
  name            text NOT NULL,
  state           text DEFAULT 'loading'::text NOT NULL,
  rows            bigint DEFAULT 0 NOT NULL,
  bytes           bigint DEFAULT 0 NOT NULL,
  duplicates      bigint DEFAULT 0 NOT NULL,
  by_zone         jsonb DEFAULT '[]'::jsonb NOT NULL,
  invalid_zones   jsonb DEFAULT '[]'::jsonb NOT NULL,
  content_digest  text,
  uploaded_by     text NOT NULL,
  begun_at        timestamp with time zone NOT NULL,
  beat_at         timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  ready_at        timestamp with time zone,
  expires_at      timestamp with time zone,
  replaced_at     timestamp with time zone,
  CONSTRAINT audience_version_pkey PRIMARY KEY (version),
  CONSTRAINT audience_version_state_check CHECK (state = ANY (ARRAY['loading'::text, 'ready'::text, 'going'::text, 'gone'::text]))
);
CREATE INDEX audience_version_list ON audience_version USING btree (service_id, name);
CREATE UNIQUE INDEX audience_version_loading ON audience_version USING btree (service_id, name) WHERE state = 'loading'::text;

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

CREATE TABLE breakdown_rollup (
  minute                timestamp with time zone,
  service_id            text NOT NULL,
  campaign              uuid NOT NULL,
  zone                  text NOT NULL,
  mode                  text NOT NULL,
  device_type           text NOT NULL,
  country               text NOT NULL,
  local_hour            smallint,
  state                 text NOT NULL,
  code                  text,
  reported_device_type  text NOT NULL,
  reported_country      text NOT NULL,
  language              text NOT NULL,
  outcome               text NOT NULL,
  reason                text,
  devices               bigint NOT NULL,
  CONSTRAINT breakdown_rollup_key UNIQUE NULLS NOT DISTINCT (campaign, minute, zone, mode, device_type, country, local_hour, state, code, reported_device_type, reported_country, language, outcome, reason)
);
CREATE INDEX breakdown_rollup_minute ON breakdown_rollup USING btree (minute, service_id);

CREATE TABLE campaign (
  id            uuid NOT NULL,
  service_id    text NOT NULL,
  campaign_id   text NOT NULL,
  event         uuid NOT NULL,
  name          text,
  tags          text[] DEFAULT '{}'::text[] NOT NULL,
  state         text NOT NULL,
  paused        boolean DEFAULT false NOT NULL,
  resumed_at    timestamp with time zone,
  revision      integer DEFAULT 1 NOT NULL,
  revises       integer,
  replans       boolean DEFAULT false NOT NULL,
  rest_plan_at  timestamp with time zone,
  rules_moved   boolean DEFAULT false NOT NULL,
  newest_time   timestamp with time zone NOT NULL,
  plan_at       timestamp with time zone DEFAULT '-infinity'::timestamp with time zone,
  plan_tries    integer DEFAULT 0 NOT NULL,
  code          text,
  detail        text,
  history       integer DEFAULT 1 NOT NULL,
  state_at      timestamp with time zone NOT NULL,
  state_by      text NOT NULL,
  outcomes      integer DEFAULT 0 NOT NULL,
  created_at    timestamp with time zone NOT NULL,
  CONSTRAINT campaign_pkey PRIMARY KEY (id),
  CONSTRAINT campaign_campaign_id UNIQUE (service_id, campaign_id),
  CONSTRAINT campaign_event UNIQUE (event),
  CONSTRAINT campaign_state CHECK (state = ANY (ARRAY['accepted'::text, 'planning'::text, 'awaiting-approval'::text, 'planned'::text, 'running'::text, 'canceling'::text, 'completed'::text, 'expired'::text, 'canceled'::text, 'rejected'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.01);
CREATE INDEX campaign_rules_moved ON campaign USING btree (id) WHERE rules_moved;
CREATE INDEX campaign_service ON campaign USING btree (service_id, id);
CREATE INDEX campaign_to_plan ON campaign USING btree (plan_at, id) WHERE plan_at IS NOT NULL;
CREATE TRIGGER campaign_born AFTER INSERT ON campaign REFERENCING NEW TABLE AS new_campaign FOR EACH STATEMENT EXECUTE FUNCTION campaign_write_birth();
CREATE TRIGGER campaign_check_state BEFORE INSERT OR UPDATE ON campaign FOR EACH ROW EXECUTE FUNCTION campaign_keep_history();
CREATE CONSTRAINT TRIGGER campaign_ended AFTER UPDATE ON campaign DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state AND campaign_ends_with_sums(new.state)) EXECUTE FUNCTION campaign_write_end();
CREATE TRIGGER campaign_moved AFTER UPDATE ON campaign REFERENCING OLD TABLE AS old_campaign NEW TABLE AS new_campaign FOR EACH STATEMENT EXECUTE FUNCTION campaign_write_history();

CREATE TABLE campaign_act (
  campaign          uuid NOT NULL,
  occurrence        text,
  mark              text DEFAULT 'act'::text NOT NULL,
  act               text NOT NULL,
  goal              text,
  code              text NOT NULL,
  detail            text,
  asked_at          timestamp with time zone NOT NULL,
  asked_by          text NOT NULL,
  after_occurrence  text,
  after_cell        text,
  after_chunk       integer,
  pass              integer DEFAULT 1 NOT NULL,
  pass_moved        integer DEFAULT 0 NOT NULL,
  pass_waits        integer DEFAULT 0 NOT NULL,
  looked            integer DEFAULT 0 NOT NULL,
  moved             integer DEFAULT 0 NOT NULL,
  late              integer DEFAULT 0 NOT NULL,
  page_at           timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  done_at           timestamp with time zone,
  CONSTRAINT campaign_act_key UNIQUE NULLS NOT DISTINCT (campaign, occurrence, mark),
  CONSTRAINT campaign_act_campaign_fkey FOREIGN KEY (campaign) REFERENCES campaign(id),
  CONSTRAINT campaign_act_act_check CHECK (act = ANY (ARRAY['cancel'::text, 'pause'::text, 'resume'::text, 'approve'::text, 'revise'::text, 'recall'::text, 'start'::text])),
  CONSTRAINT campaign_act_goal_check CHECK (goal = ANY (ARRAY['held'::text, 'superseded'::text, 'canceled'::text])),
  CONSTRAINT campaign_act_mark_check CHECK (mark = ANY (ARRAY['act'::text, 'approval'::text, 'stop'::text, 'revision'::text]))
);
CREATE INDEX campaign_act_held ON campaign_act USING btree (campaign) WHERE goal = 'held'::text;
CREATE INDEX campaign_act_open ON campaign_act USING btree (page_at) WHERE done_at IS NULL;
CREATE INDEX campaign_act_revision ON campaign_act USING btree (campaign) WHERE mark = 'revision'::text;

CREATE TABLE campaign_history (
  campaign    uuid NOT NULL,
  sequence    integer NOT NULL,
  from_state  text,
  to_state    text NOT NULL,
  code        text,
  detail      text,
  at          timestamp with time zone NOT NULL,
  by          text NOT NULL,
  CONSTRAINT campaign_history_pkey PRIMARY KEY (campaign, sequence)
);

CREATE TABLE campaign_touched (
  id          bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  campaign    uuid NOT NULL,
  occurrence  text,
  published   boolean DEFAULT false NOT NULL,
  began       boolean DEFAULT false NOT NULL,
  CONSTRAINT campaign_touched_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX campaign_touched_campaign ON campaign_touched USING btree (campaign);

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

CREATE TABLE cell_next (
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
  CONSTRAINT cell_next_pkey PRIMARY KEY (campaign, occurrence, cell)
);

CREATE TABLE command (
  id          uuid NOT NULL,
  event       uuid,
  campaign    uuid NOT NULL,
  act         text NOT NULL,
  occurrence  text,
  reason      text,
  given_at    timestamp with time zone NOT NULL,
  given_by    text NOT NULL,
  CONSTRAINT command_pkey PRIMARY KEY (id),
  CONSTRAINT command_act_check CHECK (act = ANY (ARRAY['cancel'::text, 'pause'::text, 'resume'::text, 'approve'::text, 'decline'::text]))
);
CREATE INDEX command_campaign ON command USING btree (campaign, id);
CREATE INDEX command_event ON command USING btree (event) WHERE event IS NOT NULL;

CREATE TABLE day_drop (
  day    date NOT NULL,
  step   text DEFAULT 'earlier-sends'::text NOT NULL,
  after  uuid NOT NULL,
  CONSTRAINT day_drop_pkey PRIMARY KEY (day),
  CONSTRAINT day_drop_step_check CHECK (step = ANY (ARRAY['earlier-sends'::text, 'events'::text, 'tables'::text, 'earlier-events'::text, 'revisions'::text, 'rejections'::text, 'duplicates'::text, 'done'::text]))
);

CREATE TABLE duplicate (
  event     uuid NOT NULL,
  of_event  uuid NOT NULL,
  CONSTRAINT duplicate_pkey PRIMARY KEY (event)
);

CREATE TABLE erasure (
  id          uuid NOT NULL,
  service_id  text NOT NULL,
  user_id     text,
  user_hash   text NOT NULL,
  asked_at    timestamp with time zone NOT NULL,
  asked_by    text NOT NULL,
  place       integer DEFAULT 0 NOT NULL,
  partition   text,
  block       bigint DEFAULT 0 NOT NULL,
  pass        integer DEFAULT 1 NOT NULL,
  pass_found  bigint DEFAULT 0 NOT NULL,
  pass_waits  bigint DEFAULT 0 NOT NULL,
  waits       bigint DEFAULT 0 NOT NULL,
  found       jsonb DEFAULT '{}'::jsonb NOT NULL,
  page_at     timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  done_at     timestamp with time zone,
  CONSTRAINT erasure_pkey PRIMARY KEY (id),
  CONSTRAINT erasure_done CHECK ((done_at IS NULL) = (user_id IS NOT NULL))
);
CREATE INDEX erasure_open ON erasure USING btree (page_at) WHERE done_at IS NULL;
CREATE UNIQUE INDEX erasure_user ON erasure USING btree (service_id, user_id) WHERE done_at IS NULL;

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
  replay_of    uuid,
  headers      jsonb DEFAULT '{}'::jsonb NOT NULL,
  body         bytea NOT NULL,
  CONSTRAINT event_pkey PRIMARY KEY (id),
  CONSTRAINT event_verdict_check CHECK (verdict = ANY (ARRAY['campaign'::text, 'revision'::text, 'command'::text, 'parked'::text, 'rejected'::text, 'duplicate'::text])),
  CONSTRAINT event_via_check CHECK (via = ANY (ARRAY['kafka'::text, 'http'::text]))
) PARTITION BY RANGE (id);
CREATE INDEX event_record ON event USING btree (topic, partition, "offset") WHERE topic IS NOT NULL;
CREATE INDEX event_service ON event USING btree (service_id, id);

CREATE TABLE event_sum (
  day           date NOT NULL,
  service_id    text,
  verdict       text NOT NULL,
  events        bigint NOT NULL,
  counterparts  bigint NOT NULL
);

CREATE TABLE gateway_name (
  service_id    text NOT NULL,
  kind          text NOT NULL,
  name          text NOT NULL,
  known         boolean,
  looked_up_at  timestamp with time zone NOT NULL,
  CONSTRAINT gateway_name_pkey PRIMARY KEY (service_id, kind, name),
  CONSTRAINT gateway_name_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE,
  CONSTRAINT gateway_name_kind_check CHECK (kind = ANY (ARRAY['channel'::text, 'schedule'::text]))
);

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
  service_id    text NOT NULL,
  content_hash  bytea NOT NULL,
  event         uuid NOT NULL,
  taken_at      timestamp with time zone NOT NULL,
  CONSTRAINT inbox_key_pkey PRIMARY KEY (source, event_id, service_id)
);
CREATE INDEX inbox_key_event_id ON inbox_key USING hash (event_id);
CREATE INDEX inbox_key_taken_at ON inbox_key USING btree (taken_at);

CREATE TABLE length_rollup (
  day          date NOT NULL,
  occurrence   text NOT NULL,
  cell         text NOT NULL,
  minute       timestamp with time zone,
  service_id   text NOT NULL,
  campaign     uuid NOT NULL,
  zone         text NOT NULL,
  mode         text NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  local_hour   smallint,
  kind         text NOT NULL,
  bucket       smallint NOT NULL,
  exact_ms     double precision,
  sends        bigint NOT NULL,
  max_ms       double precision NOT NULL,
  CONSTRAINT length_rollup_key UNIQUE NULLS NOT DISTINCT (campaign, occurrence, cell, day, minute, mode, local_hour, kind, bucket, exact_ms)
);
CREATE INDEX length_rollup_minute ON length_rollup USING btree (minute, service_id);

CREATE TABLE length_rollup_hour (
  minute       timestamp with time zone,
  service_id   text NOT NULL,
  zone         text NOT NULL,
  mode         text NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  local_hour   smallint,
  kind         text NOT NULL,
  bucket       smallint NOT NULL,
  exact_ms     double precision,
  sends        bigint NOT NULL,
  max_ms       double precision NOT NULL,
  CONSTRAINT length_rollup_hour_key UNIQUE NULLS NOT DISTINCT (minute, service_id, zone, mode, device_type, country, local_hour, kind, bucket, exact_ms)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

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
CREATE INDEX occurrence_due ON occurrence USING btree (first_due, campaign) WHERE state = ANY (ARRAY['planned'::text, 'running'::text, 'canceling'::text]);
CREATE INDEX occurrence_open ON occurrence USING btree (last_due) WHERE state = ANY (ARRAY['planned'::text, 'running'::text, 'canceling'::text]);
CREATE TRIGGER occurrence_ended AFTER UPDATE ON occurrence FOR EACH ROW WHEN (old.state <> 'completed'::text AND new.state = 'completed'::text) EXECUTE FUNCTION occurrence_write_end();

CREATE TABLE occurrence_next (
  campaign    uuid NOT NULL,
  occurrence  text NOT NULL,
  revision    integer NOT NULL,
  state       text NOT NULL,
  code        text,
  first_due   timestamp with time zone,
  last_due    timestamp with time zone,
  state_at    timestamp with time zone NOT NULL,
  CONSTRAINT occurrence_next_pkey PRIMARY KEY (campaign, occurrence)
);

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
  created_at    timestamp with time zone NOT NULL,
  published_at  timestamp with time zone,
  refused_at    timestamp with time zone,
  fault         text,
  topic         text NOT NULL,
  key           text NOT NULL,
  headers       jsonb NOT NULL,
  value         bytea NOT NULL,
  CONSTRAINT outbox_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX outbox_done ON outbox USING btree (COALESCE(published_at, refused_at)) WHERE COALESCE(published_at, refused_at) IS NOT NULL;
CREATE INDEX outbox_unpublished ON outbox USING btree (topic, "position") WHERE published_at IS NULL AND refused_at IS NULL;

CREATE TABLE outcome_cursor_turn (
  consumer   text NOT NULL,
  shard      smallint NOT NULL,
  turn       bigint DEFAULT 0 NOT NULL,
  done       int8multirange DEFAULT '{(,1)}'::int8multirange NOT NULL,
  hole_top   bigint,
  hole_xmax  xid8,
  CONSTRAINT outcome_cursor_turn_pkey PRIMARY KEY (consumer, shard, turn),
  CONSTRAINT outcome_cursor_hole CHECK ((hole_top IS NULL) = (hole_xmax IS NULL))
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

CREATE TABLE parked_command (
  event        uuid NOT NULL,
  service_id   text NOT NULL,
  campaign_id  text NOT NULL,
  source       text NOT NULL,
  event_id     text NOT NULL,
  event_time   timestamp with time zone NOT NULL,
  act          text NOT NULL,
  occurrence   text,
  reason       text,
  ends_at      timestamp with time zone NOT NULL,
  reasons      jsonb,
  CONSTRAINT parked_command_pkey PRIMARY KEY (event),
  CONSTRAINT parked_command_act_check CHECK (act = ANY (ARRAY['cancel'::text, 'pause'::text, 'resume'::text]))
);
CREATE INDEX parked_command_campaign ON parked_command USING btree (service_id, campaign_id, event);
CREATE INDEX parked_command_end ON parked_command USING btree (ends_at);

CREATE TABLE partition_place (
  topic        text NOT NULL,
  partition    integer NOT NULL,
  next_offset  bigint NOT NULL,
  server       text NOT NULL,
  CONSTRAINT partition_place_pkey PRIMARY KEY (topic, partition)
);

CREATE TABLE plan_preview (
  service_id  text NOT NULL,
  hash        text NOT NULL,
  digests     jsonb NOT NULL,
  plan        jsonb NOT NULL,
  bytes       bigint NOT NULL,
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
  decided     jsonb NOT NULL,
  CONSTRAINT plan_preview_cell_pkey PRIMARY KEY (service_id, hash, "position"),
  CONSTRAINT plan_preview_cell_preview FOREIGN KEY (service_id, hash) REFERENCES plan_preview(service_id, hash) ON DELETE CASCADE
);

CREATE TABLE project (
  service_id             text NOT NULL,
  base_url               text NOT NULL,
  sources                text[] DEFAULT '{}'::text[] NOT NULL,
  rejections_topic       text,
  default_zone           text DEFAULT 'Asia/Seoul'::text NOT NULL,
  gateway_zone           text DEFAULT 'Asia/Seoul'::text NOT NULL,
  principal_zones        jsonb DEFAULT '{}'::jsonb NOT NULL,
  policy_defaults        jsonb DEFAULT '{}'::jsonb NOT NULL,
  reservations           boolean DEFAULT true NOT NULL,
  min_reserve_lead_ms    bigint DEFAULT 180000 NOT NULL,
  reserve_horizon_ms     bigint DEFAULT '2592000000'::bigint NOT NULL,
  max_to                 integer DEFAULT 1000 NOT NULL,
  lookup_max             integer DEFAULT 10000 NOT NULL,
  rate_per_second        integer DEFAULT 50 NOT NULL,
  in_flight              integer DEFAULT 64 NOT NULL,
  weight                 integer DEFAULT 1 NOT NULL,
  max_retries            integer DEFAULT 5 NOT NULL,
  extensions             text[] DEFAULT '{}'::text[] NOT NULL,
  extensions_off         text[] DEFAULT '{}'::text[] NOT NULL,
  keys_since             timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  on_uncertain           text DEFAULT 'wait'::text NOT NULL,
  approval               text DEFAULT 'none'::text NOT NULL,
  bound_weight           integer DEFAULT 1 NOT NULL,
  bound_rate_per_second  integer DEFAULT 50 NOT NULL,
  bound_in_flight        integer DEFAULT 64 NOT NULL,
  bound_sources          text[] DEFAULT '{}'::text[] NOT NULL,
  api_key_sealed         text,
  blocked_until          timestamp with time zone,
  blocked_code           text,
  blocked_detail         text,
  blocked_since          timestamp with time zone,
  blocked_by             text,
  recalled               boolean DEFAULT false NOT NULL,
  created_at             timestamp with time zone NOT NULL,
  updated_at             timestamp with time zone NOT NULL,
  CONSTRAINT project_pkey PRIMARY KEY (service_id),
  CONSTRAINT project_approval_check CHECK (approval = ANY (ARRAY['none'::text, 'required'::text])),
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
CREATE TRIGGER project_announced AFTER INSERT OR UPDATE ON project FOR EACH ROW EXECUTE FUNCTION announce_project();

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
  service_id           text NOT NULL,
  rate                 double precision NOT NULL,
  tokens               double precision NOT NULL,
  at                   timestamp with time zone NOT NULL,
  slowed_at            timestamp with time zone,
  pressed_until        timestamp with time zone,
  polled_at            timestamp with time zone,
  polls_pressed_until  timestamp with time zone,
  CONSTRAINT project_pace_pkey PRIMARY KEY (service_id),
  CONSTRAINT project_pace_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE,
  CONSTRAINT project_pace_rate_check CHECK (rate > 0::double precision)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

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

CREATE TABLE recipient_zone (
  service_id  text NOT NULL,
  user_id     text NOT NULL,
  zone        text,
  said_at     timestamp with time zone NOT NULL,
  CONSTRAINT recipient_zone_pkey PRIMARY KEY (service_id, user_id),
  CONSTRAINT recipient_zone_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE
);
CREATE INDEX recipient_zone_gone ON recipient_zone USING btree (said_at) WHERE zone IS NULL;

CREATE TABLE registered_offset (
  service_id      text NOT NULL,
  user_id         text NOT NULL,
  is_user         boolean DEFAULT true NOT NULL,
  offset_seconds  integer,
  looked_up_at    timestamp with time zone NOT NULL,
  CONSTRAINT registered_offset_pkey PRIMARY KEY (service_id, user_id),
  CONSTRAINT registered_offset_service_id_fkey FOREIGN KEY (service_id) REFERENCES project(service_id) ON DELETE CASCADE,
  CONSTRAINT registered_offset_offset_seconds_check CHECK (offset_seconds >= '-64800'::integer AND offset_seconds <= 64800)
);
CREATE INDEX registered_offset_age ON registered_offset USING btree (looked_up_at);

CREATE TABLE rejection (
  id              uuid NOT NULL,
  event           uuid NOT NULL,
  service_id      text,
  reasons         jsonb NOT NULL,
  rejected_at     timestamp with time zone NOT NULL,
  state           text DEFAULT 'open'::text NOT NULL,
  replay          uuid,
  settled_at      timestamp with time zone,
  settled_by      text,
  settled_reason  text,
  topic           text,
  partition       integer,
  "offset"        bigint,
  body_hash       bytea NOT NULL,
  CONSTRAINT rejection_pkey PRIMARY KEY (id),
  CONSTRAINT rejection_record UNIQUE (topic, partition, "offset", body_hash),
  CONSTRAINT rejection_state_check CHECK (state = ANY (ARRAY['open'::text, 'replayed'::text, 'discarded'::text]))
);
CREATE INDEX rejection_event ON rejection USING btree (event);
CREATE INDEX rejection_open ON rejection USING btree (id) WHERE state = 'open'::text;
CREATE INDEX rejection_reasons ON rejection USING gin (reasons jsonb_path_ops);
CREATE INDEX rejection_service ON rejection USING btree (service_id, id);

CREATE TABLE replica (
  id              uuid NOT NULL,
  beat_at         timestamp with time zone NOT NULL,
  server          text,
  machine         text,
  clock_ahead_ms  double precision,
  CONSTRAINT replica_pkey PRIMARY KEY (id)
);

CREATE TABLE revision (
  campaign      uuid NOT NULL,
  revision      integer NOT NULL,
  event         uuid NOT NULL,
  state         text NOT NULL,
  token_id      uuid,
  data          jsonb NOT NULL,
  request       jsonb NOT NULL,
  reasons       jsonb,
  difference    jsonb,
  zone_rules    text,
  next_plan_at  timestamp with time zone,
  approved_at   timestamp with time zone,
  plan          jsonb,
  taken_at      timestamp with time zone NOT NULL,
  CONSTRAINT revision_pkey PRIMARY KEY (campaign, revision),
  CONSTRAINT revision_event UNIQUE (event),
  CONSTRAINT revision_state_check CHECK (state = ANY (ARRAY['planning'::text, 'awaiting-approval'::text, 'in-force'::text, 'rejected'::text, 'superseded'::text]))
);

CREATE TABLE rollup_open (
  send  uuid NOT NULL,
  CONSTRAINT rollup_open_pkey PRIMARY KEY (send)
);

CREATE TABLE rollup_retry (
  send     uuid NOT NULL,
  send_of  uuid NOT NULL,
  shard    smallint NOT NULL,
  CONSTRAINT rollup_retry_pkey PRIMARY KEY (send)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

CREATE TABLE send (
  id                  uuid NOT NULL,
  ended_at            timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
  service_id          text NOT NULL,
  campaign            uuid NOT NULL,
  revision            integer NOT NULL,
  occurrence          text NOT NULL,
  cell                text NOT NULL,
  chunk               integer DEFAULT 0 NOT NULL,
  recipients          integer,
  retry_of            uuid,
  retries             integer DEFAULT 0 NOT NULL,
  next_send           uuid,
  state               text NOT NULL,
  code                text,
  detail              text,
  goal                text,
  changes             integer DEFAULT 1 NOT NULL,
  state_at            timestamp with time zone NOT NULL,
  state_by            text NOT NULL,
  mode                text NOT NULL,
  mode_rule           text NOT NULL,
  schedule_code       text,
  intended_at         timestamp with time zone,
  due_at              timestamp with time zone,
  first_due           timestamp with time zone,
  work                "char" GENERATED ALWAYS AS (
CASE
    WHEN state = ANY (ARRAY['planned'::text, 'sending'::text]) THEN 'f'::"char"
    WHEN state = ANY (ARRAY['accepted'::text, 'reserved'::text, 'scheduled'::text]) THEN 'p'::"char"
    WHEN state = 'canceling'::text THEN 'c'::"char"
    WHEN state = 'uncertain'::text AND request_id IS NULL THEN 'r'::"char"
    WHEN state = 'uncertain'::text THEN 'u'::"char"
    ELSE NULL::"char"
END) STORED,
  next_at             timestamp with time zone,
  attempts            integer DEFAULT 0 NOT NULL,
  fired_by            uuid,
  request_id          text,
  released            integer,
  handed_off_at       timestamp with time zone,
  answered_at         timestamp with time zone,
  attempt_started_at  timestamp with time zone,
  attempt_ended_at    timestamp with time zone,
  request_sent        boolean,
  http_status         integer,
  error_code          text,
  answer              text,
  outcome             text,
  gateway_status      text,
  polls               integer DEFAULT 0 NOT NULL,
  target_count        integer,
  sent_count          integer,
  complete_time       timestamp with time zone,
  needs_attention     boolean GENERATED ALWAYS AS (state = ANY (ARRAY['uncertain'::text, 'failed'::text, 'stale'::text, 'rejected'::text, 'expired'::text])) STORED,
  created_at          timestamp with time zone NOT NULL,
  CONSTRAINT send_ended CHECK ((ended_at < 'infinity'::timestamp with time zone) = (state = ANY (ARRAY['sent'::text, 'failed'::text, 'empty'::text, 'stale'::text, 'rejected'::text, 'canceled'::text, 'expired'::text, 'skipped'::text, 'superseded'::text]))),
  CONSTRAINT send_goal_check CHECK (goal = ANY (ARRAY['held'::text, 'superseded'::text, 'canceled'::text])),
  CONSTRAINT send_mode_check CHECK (mode = ANY (ARRAY['immediate'::text, 'reserved'::text, 'scheduled'::text]))
) PARTITION BY RANGE (ended_at);
CREATE INDEX send_attention ON send USING btree (service_id, id) WHERE needs_attention;
CREATE INDEX send_cell ON send USING btree (campaign, occurrence, cell, chunk);
CREATE INDEX send_request ON send USING hash (request_id);
CREATE TRIGGER send_born AFTER INSERT ON send REFERENCING NEW TABLE AS new_send FOR EACH STATEMENT EXECUTE FUNCTION send_write_birth();
CREATE TRIGGER send_ends BEFORE UPDATE ON send FOR EACH ROW WHEN (old.ended_at = 'infinity'::timestamp with time zone AND send_state_is_ended(new.state)) EXECUTE FUNCTION send_to_day_of_end();
CREATE TRIGGER send_moved AFTER UPDATE ON send REFERENCING OLD TABLE AS old_send NEW TABLE AS new_send FOR EACH STATEMENT EXECUTE FUNCTION send_write_history();
CREATE TRIGGER send_next_born AFTER INSERT ON send FOR EACH ROW WHEN (new.retry_of IS NOT NULL AND new.changes = 1) EXECUTE FUNCTION send_keep_newest();
CREATE TRIGGER send_next_named AFTER UPDATE OF next_send ON send FOR EACH ROW WHEN (old.next_send IS NOT NULL AND new.next_send IS DISTINCT FROM old.next_send) EXECUTE FUNCTION send_keep_newest();

CREATE TABLE send_breakdown (
  send         uuid NOT NULL,
  minute       timestamp with time zone,
  service_id   text NOT NULL,
  campaign     uuid NOT NULL,
  zone         text NOT NULL,
  mode         text NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  local_hour   smallint,
  state        text NOT NULL,
  code         text,
  request_id   text NOT NULL,
  recipients   integer,
  target       bigint NOT NULL,
  sent         bigint NOT NULL,
  small        boolean NOT NULL,
  since        timestamp with time zone NOT NULL,
  next_at      timestamp with time zone NOT NULL,
  asked        integer DEFAULT 0 NOT NULL,
  last_code    text,
  reported     jsonb,
  CONSTRAINT send_breakdown_pkey PRIMARY KEY (send)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX send_breakdown_due ON send_breakdown USING btree (service_id, small, next_at, send) WHERE reported IS NULL;

CREATE TABLE send_event (
  "position"    bigint NOT NULL,
  at            timestamp with time zone NOT NULL,
  send          uuid,
  campaign      uuid,
  sequence      integer NOT NULL,
  revision      integer,
  shard         smallint NOT NULL,
  from_state    text,
  to_state      text NOT NULL,
  code          text,
  detail        text,
  due_at        timestamp with time zone,
  request_id    text,
  kind          text,
  occurrence    text,
  target_count  bigint,
  sent_count    bigint,
  CONSTRAINT send_event_of_one CHECK (num_nonnulls(send, kind) = 1 AND num_nonnulls(kind, campaign) <> 1)
) PARTITION BY RANGE (at);
CREATE INDEX send_event_position ON send_event USING btree (shard, "position");

CREATE TABLE send_next (
  campaign       uuid NOT NULL,
  occurrence     text NOT NULL,
  cell           text NOT NULL,
  chunk          integer NOT NULL,
  what           text DEFAULT 'new'::text NOT NULL,
  takes_over     boolean DEFAULT false NOT NULL,
  id             uuid NOT NULL,
  ended_at       timestamp with time zone,
  recipients     integer,
  service_id     text,
  revision       integer,
  state          text,
  code           text,
  detail         text,
  mode           text,
  mode_rule      text,
  schedule_code  text,
  intended_at    timestamp with time zone,
  due_at         timestamp with time zone,
  next_at        timestamp with time zone,
  state_at       timestamp with time zone,
  state_by       text,
  created_at     timestamp with time zone,
  ids            text[],
  CONSTRAINT send_next_pkey PRIMARY KEY (campaign, occurrence, cell, chunk),
  CONSTRAINT send_next_id UNIQUE (id),
  CONSTRAINT send_next_what_check CHECK (what = ANY (ARRAY['new'::text, 'changed'::text, 'same'::text, 'late'::text, 'gone'::text]))
);

CREATE TABLE send_note (
  send           uuid NOT NULL,
  send_ended_at  timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
  sequence       integer NOT NULL,
  to_state       text NOT NULL,
  code           text,
  detail         text,
  at             timestamp with time zone NOT NULL,
  by             text NOT NULL
) PARTITION BY RANGE (send_ended_at);

CREATE TABLE send_recipients (
  send           uuid NOT NULL,
  send_ended_at  timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
  recipients     text[] NOT NULL
) PARTITION BY RANGE (send_ended_at);

CREATE TABLE send_rollup (
  day          date NOT NULL,
  occurrence   text NOT NULL,
  cell         text NOT NULL,
  minute       timestamp with time zone,
  service_id   text NOT NULL,
  campaign     uuid NOT NULL,
  zone         text NOT NULL,
  mode         text NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  local_hour   smallint,
  state        text NOT NULL,
  code         text,
  sends        bigint NOT NULL,
  target       bigint NOT NULL,
  sent         bigint NOT NULL,
  failed       bigint NOT NULL,
  handed_off   boolean NOT NULL,
  CONSTRAINT send_rollup_key UNIQUE NULLS NOT DISTINCT (campaign, occurrence, cell, day, minute, mode, local_hour, state, code, handed_off)
);
CREATE INDEX send_rollup_minute ON send_rollup USING btree (minute, service_id);

CREATE TABLE send_rollup_hour (
  minute       timestamp with time zone,
  service_id   text NOT NULL,
  zone         text NOT NULL,
  mode         text NOT NULL,
  device_type  text NOT NULL,
  country      text NOT NULL,
  local_hour   smallint,
  state        text NOT NULL,
  code         text,
  sends        bigint NOT NULL,
  target       bigint NOT NULL,
  sent         bigint NOT NULL,
  failed       bigint NOT NULL,
  CONSTRAINT send_rollup_hour_key UNIQUE NULLS NOT DISTINCT (minute, service_id, zone, mode, device_type, country, local_hour, state, code)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

CREATE TABLE send_set (
  id            uuid NOT NULL,
  service_id    text NOT NULL,
  kind          text NOT NULL,
  filter        jsonb NOT NULL,
  resolution    text,
  reason        text,
  held          text[],
  counts        jsonb DEFAULT '{}'::jsonb NOT NULL,
  left_out      jsonb DEFAULT '{}'::jsonb NOT NULL,
  facts         jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at    timestamp with time zone NOT NULL,
  created_by    text NOT NULL,
  expires_at    timestamp with time zone,
  confirmed_at  timestamp with time zone,
  confirmed_by  text,
  done_at       timestamp with time zone,
  step          integer DEFAULT 0 NOT NULL,
  after_send    uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
  lease         uuid,
  next_at       timestamp with time zone,
  CONSTRAINT send_set_pkey PRIMARY KEY (id, service_id),
  CONSTRAINT send_set_kind CHECK (kind = 'retry'::text AND resolution IS NULL OR kind = 'resolve'::text AND (resolution = ANY (ARRAY['confirmed-sent'::text, 'confirmed-not-sent'::text])))
);
CREATE INDEX send_set_age ON send_set USING btree (created_at);
CREATE INDEX send_set_turn ON send_set USING btree (next_at) WHERE next_at IS NOT NULL;
CREATE TRIGGER send_set_announced AFTER UPDATE ON send_set FOR EACH ROW WHEN (old.step IS DISTINCT FROM new.step OR old.counts IS DISTINCT FROM new.counts OR old.left_out IS DISTINCT FROM new.left_out OR old.confirmed_at IS DISTINCT FROM new.confirmed_at) EXECUTE FUNCTION announce_set();
CREATE TRIGGER send_set_born_announced AFTER INSERT ON send_set FOR EACH ROW EXECUTE FUNCTION announce_set();

CREATE TABLE send_set_item (
  set_id      uuid NOT NULL,
  service_id  text NOT NULL,
  step        integer NOT NULL,
  send        uuid NOT NULL,
  CONSTRAINT send_set_item_pkey PRIMARY KEY (set_id, service_id, step, send),
  CONSTRAINT send_set_item_set FOREIGN KEY (set_id, service_id) REFERENCES send_set(id, service_id) ON DELETE CASCADE
);

CREATE TABLE send_transition (
  from_state  text NOT NULL,
  to_state    text NOT NULL,
  CONSTRAINT send_transition_pkey PRIMARY KEY (from_state, to_state)
);

CREATE TABLE standing_count (
  send          uuid NOT NULL,
  campaign      uuid NOT NULL,
  occurrence    text NOT NULL,
  day           date NOT NULL,
  target_count  integer,
  sent_count    integer,
  at            timestamp with time zone NOT NULL,
  replaced      boolean DEFAULT false NOT NULL,
  CONSTRAINT standing_count_pkey PRIMARY KEY (send, day)
);
CREATE INDEX standing_count_campaign ON standing_count USING btree (campaign, send);

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

CREATE TABLE webhook (
  id             text NOT NULL,
  url            text NOT NULL,
  secret_sealed  text NOT NULL,
  causes         text[],
  services       text[],
  created_at     timestamp with time zone NOT NULL,
  created_by     text NOT NULL,
  delivered_at   timestamp with time zone,
  failing_since  timestamp with time zone,
  last_error     text,
  CONSTRAINT webhook_pkey PRIMARY KEY (id)
);

CREATE TABLE webhook_change (
  webhook   text NOT NULL,
  alert     uuid NOT NULL,
  what      text NOT NULL,
  noted_at  timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT webhook_change_pkey PRIMARY KEY (webhook, alert, what),
  CONSTRAINT webhook_change_alert_fkey FOREIGN KEY (alert) REFERENCES alert(id) ON DELETE CASCADE,
  CONSTRAINT webhook_change_webhook_fkey FOREIGN KEY (webhook) REFERENCES webhook(id) ON DELETE CASCADE,
  CONSTRAINT webhook_change_what_check CHECK (what = ANY (ARRAY['began'::text, 'ended'::text]))
);

CREATE TABLE webhook_message (
  id        text NOT NULL,
  webhook   text NOT NULL,
  body      text NOT NULL,
  made_at   timestamp with time zone NOT NULL,
  tries     integer DEFAULT 0 NOT NULL,
  next_at   timestamp with time zone,
  taken_at  timestamp with time zone,
  CONSTRAINT webhook_message_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_message_webhook_fkey FOREIGN KEY (webhook) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_message_due ON webhook_message USING btree (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE zone_rules_in_force (
  singleton       boolean DEFAULT true NOT NULL,
  version         text NOT NULL,
  since           timestamp with time zone NOT NULL,
  chosen          boolean DEFAULT false NOT NULL,
  after_campaign  uuid,
  compared_at     timestamp with time zone,
  CONSTRAINT zone_rules_in_force_pkey PRIMARY KEY (singleton),
  CONSTRAINT zone_rules_in_force_singleton_check CHECK (singleton)
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

CREATE VIEW event_gone AS
 SELECT day,
    service_id,
    verdict,
    events,
    counterparts
   FROM event_sum
  WHERE day < (( SELECT (kept_from('event'::text) AT TIME ZONE 'UTC'::text) AS timezone));

CREATE VIEW length_gone AS
 SELECT day,
    occurrence,
    cell,
    minute,
    service_id,
    campaign,
    zone,
    mode,
    device_type,
    country,
    local_hour,
    kind,
    bucket,
    exact_ms,
    sends,
    max_ms
   FROM length_rollup r
  WHERE day <= (( SELECT d.day
           FROM day_drop d)) AND campaign < (( SELECT uuid_floor((d.day + '3 days'::interval)::timestamp with time zone) AS uuid_floor
           FROM day_drop d)) AND (day - (( SELECT (kept_from('send'::text) AT TIME ZONE 'UTC'::text)::date AS timezone))) < 0;

CREATE VIEW outcome_cursor AS
 SELECT c.consumer,
    s.shard,
    t.turn,
    t.done,
    t.hole_top,
    t.hole_xmax
   FROM ( VALUES ('publish'::text), ('rollup'::text), ('stream'::text)) c(consumer)
     CROSS JOIN ( SELECT n.n::smallint AS n
           FROM generate_series(0, 15) n(n)) s(shard)
     CROSS JOIN LATERAL ( SELECT t_1.consumer,
            t_1.shard,
            t_1.turn,
            t_1.done,
            t_1.hole_top,
            t_1.hole_xmax
           FROM outcome_cursor_turn t_1
          WHERE t_1.consumer = c.consumer AND t_1.shard = s.shard
          ORDER BY t_1.turn DESC
         LIMIT 1) t;
CREATE TRIGGER outcome_cursor_moved INSTEAD OF UPDATE ON outcome_cursor FOR EACH ROW EXECUTE FUNCTION outcome_cursor_move();

CREATE VIEW report_breakdown AS
 SELECT b.campaign,
    b.service_id,
    c.campaign_id,
    c.name,
    b.minute AS due_minute,
    b.local_hour,
    b.zone,
    b.mode,
    b.device_type AS asked_device_type,
    b.country AS asked_country,
    b.reported_device_type AS device_type,
    b.reported_country AS country,
    b.language,
    b.outcome,
    b.reason,
    b.devices
   FROM breakdown_rollup b
     LEFT JOIN campaign c ON c.id = b.campaign
  WHERE b.devices <> 0 AND (b.outcome = ANY (ARRAY['sent'::text, 'failed'::text, 'unknown'::text, 'suppressed'::text, 'not-reported'::text]));
COMMENT ON VIEW scheduler.report_breakdown IS 'A row for each kind of device that breakdowns of the push service reported, some seconds after the result: sums, labelled by where they come from. Devices that are not reported are the difference to devices_target of report_cell. Cheap filters: campaign; due_minute, with service_id.';
COMMENT ON COLUMN scheduler.report_breakdown.asked_country IS 'The country that was asked for; all: not split';
COMMENT ON COLUMN scheduler.report_breakdown.asked_device_type IS 'The device type that was asked for; all: not split';
COMMENT ON COLUMN scheduler.report_breakdown.campaign IS 'Our id of the campaign (UUIDv7)';
COMMENT ON COLUMN scheduler.report_breakdown.campaign_id IS 'The publisher''s id of the campaign';
COMMENT ON COLUMN scheduler.report_breakdown.country IS 'The country, as the breakdown says; all: not reported';
COMMENT ON COLUMN scheduler.report_breakdown.device_type IS 'The device type, as the breakdown says; all: not reported';
COMMENT ON COLUMN scheduler.report_breakdown.devices IS 'How many devices; the targets are those sent, failed, unknown and not-reported';
COMMENT ON COLUMN scheduler.report_breakdown.due_minute IS 'When they were due (a retry: the first due of its chunk), the minute; of 90 days ago its hour, of a year ago its day; null: a standing message';
COMMENT ON COLUMN scheduler.report_breakdown.language IS 'The language, as the breakdown says; all: not reported';
COMMENT ON COLUMN scheduler.report_breakdown.local_hour IS 'The hour of it on the clock of the zone';
COMMENT ON COLUMN scheduler.report_breakdown.mode IS 'immediate, reserved or scheduled';
COMMENT ON COLUMN scheduler.report_breakdown.name IS 'The publisher''s name of the campaign';
COMMENT ON COLUMN scheduler.report_breakdown.outcome IS 'sent: a provider took it. failed. unknown: a provider may have taken it; it is among devices_failed of report_cell. suppressed: left out for its consent or the night, no target. not-reported: there is no breakdown';
COMMENT ON COLUMN scheduler.report_breakdown.reason IS 'The push service''s reason; of not-reported the scheduler''s';
COMMENT ON COLUMN scheduler.report_breakdown.service_id IS 'The project that publishes it';
COMMENT ON COLUMN scheduler.report_breakdown.zone IS 'The recipients'' IANA zone, or a fixed offset';

CREATE VIEW report_campaign AS
 SELECT c.id AS campaign,
    c.service_id,
    c.campaign_id,
    c.name,
    c.state,
    c.revision,
    c.created_at,
    o.first_due,
    o.last_due,
    f.planned,
    f.sends_sent::bigint AS sends_sent,
    f.sends_empty::bigint AS sends_empty,
    f.sends_failed::bigint AS sends_failed,
    f.sends_stale::bigint AS sends_stale,
    f.sends_rejected::bigint AS sends_rejected,
    f.sends_canceled::bigint AS sends_canceled,
    f.sends_expired::bigint AS sends_expired,
    f.sends_skipped::bigint AS sends_skipped,
    f.sends_uncertain::bigint AS sends_uncertain,
    f.sends_standing::bigint AS sends_standing,
    f.sends_open::bigint AS sends_open,
    f.devices_target::bigint AS devices_target,
    f.devices_sent::bigint AS devices_sent,
    f.devices_failed::bigint AS devices_failed,
    f.devices_pending::bigint AS devices_pending,
    f.devices_unknown::bigint AS devices_unknown,
    f.mode_immediate::bigint AS mode_immediate,
    f.mode_reserved::bigint AS mode_reserved,
    f.mode_scheduled::bigint AS mode_scheduled,
    f.gone::bigint AS gone,
    f.planned::numeric = (f.sends_sent + f.sends_empty + f.sends_failed + f.sends_stale + f.sends_rejected + f.sends_canceled + f.sends_expired + f.sends_skipped + f.sends_uncertain + f.sends_standing + f.sends_open) AND f.devices_target = (f.devices_sent + f.devices_failed + f.devices_pending + f.devices_unknown) AS balanced,
    (c.state = ANY (ARRAY['completed'::text, 'expired'::text, 'canceled'::text, 'rejected'::text])) AND COALESCE(f.all_ended, f.planned = 0) AS final
   FROM campaign c
     CROSS JOIN LATERAL ( SELECT min(o_1.first_due) AS first_due,
            max(o_1.last_due) AS last_due
           FROM occurrence o_1
          WHERE o_1.campaign = c.id AND o_1.occurrence !~~ 'test-%'::text) o
     CROSS JOIN LATERAL ( SELECT ( SELECT COALESCE(sum(k.chunks), 0::bigint) AS "coalesce"
                   FROM cell k
                  WHERE k.campaign = c.id AND k.occurrence !~~ 'test-%'::text) AS planned,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'sent'::text), 0::numeric) AS sends_sent,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'empty'::text), 0::numeric) AS sends_empty,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'failed'::text), 0::numeric) AS sends_failed,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'stale'::text), 0::numeric) AS sends_stale,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'rejected'::text), 0::numeric) AS sends_rejected,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'canceled'::text), 0::numeric) AS sends_canceled,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'expired'::text), 0::numeric) AS sends_expired,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'skipped'::text), 0::numeric) AS sends_skipped,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'uncertain'::text), 0::numeric) AS sends_uncertain,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'scheduled'::text), 0::numeric) AS sends_standing,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text])), 0::numeric) AS sends_open,
            COALESCE(sum(m.target) FILTER (WHERE true), 0::numeric) AS devices_target,
            COALESCE(sum(m.sent) FILTER (WHERE m.kind = 'settled'::text), 0::numeric) AS devices_sent,
            COALESCE(sum(m.failed) FILTER (WHERE m.kind = 'settled'::text), 0::numeric) AS devices_failed,
            COALESCE(sum(m.target) FILTER (WHERE m.kind = 'pending'::text), 0::numeric) AS devices_pending,
            COALESCE(sum(m.target) FILTER (WHERE m.kind = 'unknown'::text), 0::numeric) AS devices_unknown,
            COALESCE(sum(m.sends) FILTER (WHERE m.handed_off AND m.mode = 'immediate'::text), 0::numeric) AS mode_immediate,
            COALESCE(sum(m.sends) FILTER (WHERE m.handed_off AND m.mode = 'reserved'::text), 0::numeric) AS mode_reserved,
            COALESCE(sum(m.sends) FILTER (WHERE m.handed_off AND m.mode = 'scheduled'::text), 0::numeric) AS mode_scheduled,
            COALESCE(sum(m.sends) FILTER (WHERE m.gone), 0::numeric) AS gone,
            bool_and(m.state = ANY (ARRAY['sent'::text, 'failed'::text, 'empty'::text, 'stale'::text, 'rejected'::text, 'canceled'::text, 'expired'::text, 'skipped'::text, 'superseded'::text])) AS all_ended
           FROM ( SELECT m_1.service_id,
                    m_1.campaign,
                    m_1.occurrence,
                    m_1.cell,
                    m_1.state,
                    m_1.mode,
                    m_1.handed_off,
                    m_1.immediate_late,
                    m_1.reserved_late,
                    m_1.deferred,
                    m_1.recovered,
                    m_1.sends,
                    m_1.target,
                    m_1.sent,
                    m_1.failed,
                    m_1.gone,
                        CASE
                            WHEN m_1.state = 'uncertain'::text THEN 'unknown'::text
                            WHEN m_1.mode = 'scheduled'::text AND (m_1.state = ANY (ARRAY['scheduled'::text, 'canceling'::text])) THEN 'settled'::text
                            WHEN m_1.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'pending'::text
                            ELSE 'settled'::text
                        END AS kind
                   FROM ( SELECT l.service_id,
                            l.campaign,
                            l.occurrence,
                            l.cell,
                            l.state,
                            l.mode,
                            l.handed_off,
                            l.immediate_late,
                            l.reserved_late,
                            l.deferred,
                            l.recovered,
                            l.sends,
                            l.target,
                            l.sent,
                            l.failed,
                            false AS gone
                           FROM ( SELECT s.id,
                                    s.service_id,
                                    s.campaign,
                                    s.occurrence,
                                    s.cell,
                                    s.state,
                                    s.code,
                                    COALESCE(s.first_due, s.due_at) AS due,
                                    s.mode,
                                    s.ended_at,
                                    s.handed_off_at IS NOT NULL AS handed_off,
CASE
 WHEN s.mode = 'immediate'::text AND s.retry_of IS NULL AND s.request_id IS NOT NULL THEN round(EXTRACT(epoch FROM s.answered_at - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS immediate_late,
CASE
 WHEN s.mode = 'reserved'::text AND s.retry_of IS NULL THEN round(EXTRACT(epoch FROM s.complete_time - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS reserved_late,
CASE
 WHEN COALESCE(s.first_due, s.due_at) > s.intended_at THEN round(EXTRACT(epoch FROM COALESCE(s.first_due, s.due_at) - s.intended_at) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS deferred,
CASE
 WHEN s.retry_of IS NOT NULL AND s.state = 'sent'::text THEN round(EXTRACT(epoch FROM
 CASE s.mode
  WHEN 'reserved'::text THEN s.complete_time
  ELSE s.answered_at
 END - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS recovered,
                                    1 AS sends,
                                    COALESCE(s.target_count, 0) AS target,
                                    COALESCE(s.sent_count, 0) AS sent,
                                    GREATEST(COALESCE(s.target_count, 0) - COALESCE(s.sent_count, 0), 0) AS failed
                                   FROM send s
                                  WHERE s.next_send IS NULL AND s.state <> 'superseded'::text) l
                        UNION ALL
                         SELECT g.service_id,
                            g.campaign,
                            g.occurrence,
                            g.cell,
                            g.state,
                            g.mode,
                            g.handed_off,
                            g.immediate_late,
                            g.reserved_late,
                            g.deferred,
                            g.recovered,
                            g.sends,
                            g.target,
                            g.sent,
                            g.failed,
                            true
                           FROM ( SELECT g_1.service_id,
                                    g_1.campaign,
                                    g_1.occurrence,
                                    g_1.cell,
                                    g_1.state,
                                    g_1.mode,
                                    g_1.handed_off,
                                    NULL::double precision AS immediate_late,
                                    NULL::double precision AS reserved_late,
                                    NULL::double precision AS deferred,
                                    NULL::double precision AS recovered,
                                    g_1.sends,
                                    g_1.target,
                                    g_1.sent,
                                    g_1.failed
                                   FROM ( SELECT sum.day,
    sum.occurrence,
    sum.cell,
    sum.minute,
    sum.service_id,
    sum.campaign,
    sum.zone,
    sum.mode,
    sum.device_type,
    sum.country,
    sum.local_hour,
    sum.state,
    sum.code,
    sum.sends,
    sum.target,
    sum.sent,
    sum.failed,
    sum.handed_off
   FROM send_rollup sum
  WHERE sum.day < (( SELECT (min(d.low) AT TIME ZONE 'UTC'::text) AS timezone
     FROM pg_inherits i
       JOIN pg_class c_1 ON c_1.oid = i.inhrelid
       CROSS JOIN LATERAL bound_at((regexp_match(pg_get_expr(c_1.relpartbound, c_1.oid), '^FOR VALUES FROM [(]''?([^'')]*)'::text))[1]) d(low)
    WHERE i.inhparent = 'send'::regclass::oid AND NOT i.inhdetachpending AND isfinite(d.low)))) g_1
                                UNION ALL
                                 SELECT g_1.service_id,
                                    g_1.campaign,
                                    g_1.occurrence,
                                    g_1.cell,
                                    NULL::text,
                                    g_1.mode,
                                    false,
CASE g_1.kind
 WHEN 'immediate'::text THEN l.ms
 ELSE NULL::double precision
END AS immediate_late,
CASE g_1.kind
 WHEN 'reserved'::text THEN l.ms
 ELSE NULL::double precision
END AS reserved_late,
CASE g_1.kind
 WHEN 'deferral'::text THEN l.ms
 ELSE NULL::double precision
END AS deferred,
CASE g_1.kind
 WHEN 'recovered'::text THEN l.ms
 ELSE NULL::double precision
END AS recovered,
                                    0,
                                    0,
                                    0,
                                    0
                                   FROM ( SELECT sum.day,
    sum.occurrence,
    sum.cell,
    sum.minute,
    sum.service_id,
    sum.campaign,
    sum.zone,
    sum.mode,
    sum.device_type,
    sum.country,
    sum.local_hour,
    sum.kind,
    sum.bucket,
    sum.exact_ms,
    sum.sends,
    sum.max_ms
   FROM length_rollup sum
  WHERE sum.day < (( SELECT (min(d.low) AT TIME ZONE 'UTC'::text) AS timezone
     FROM pg_inherits i
       JOIN pg_class c_1 ON c_1.oid = i.inhrelid
       CROSS JOIN LATERAL bound_at((regexp_match(pg_get_expr(c_1.relpartbound, c_1.oid), '^FOR VALUES FROM [(]''?([^'')]*)'::text))[1]) d(low)
    WHERE i.inhparent = 'send'::regclass::oid AND NOT i.inhdetachpending AND isfinite(d.low)))) g_1
                                     CROSS JOIN LATERAL generate_series(1::bigint, g_1.sends) n(n)
                                     CROSS JOIN LATERAL ( SELECT COALESCE(g_1.exact_ms,
  CASE n.n
   WHEN 1 THEN g_1.max_ms
   ELSE LEAST(g_1.max_ms, round(
   CASE
    WHEN g_1.bucket = 0 THEN 0::double precision
    ELSE sign(g_1.bucket::double precision) * power(1.04::double precision, (abs(g_1.bucket)::numeric - 0.5)::double precision)
   END))
  END) AS ms) l) g) m_1
                  WHERE m_1.campaign = c.id AND m_1.occurrence !~~ 'test-%'::text) m) f;
COMMENT ON VIEW scheduler.report_campaign IS 'A row for each campaign, counted over the newest send of every chunk, and over sums once the sends are gone. Cheap filters: campaign, service_id, created_at, first_due, last_due: only the sends of those campaigns are read.';
COMMENT ON COLUMN scheduler.report_campaign.balanced IS 'Whether both sides of sends and of devices agree; where not, the ledger says what is missing';
COMMENT ON COLUMN scheduler.report_campaign.campaign IS 'Our id of the campaign (UUIDv7)';
COMMENT ON COLUMN scheduler.report_campaign.campaign_id IS 'The publisher''s id of the campaign';
COMMENT ON COLUMN scheduler.report_campaign.created_at IS 'When the event that made it was taken';
COMMENT ON COLUMN scheduler.report_campaign.devices_failed IS 'Devices targeted and not taken by a provider, of sends with a final result: target minus sent, never below 0';
COMMENT ON COLUMN scheduler.report_campaign.devices_pending IS 'Devices targeted by sends that have no final result yet';
COMMENT ON COLUMN scheduler.report_campaign.devices_sent IS 'Devices that a provider took';
COMMENT ON COLUMN scheduler.report_campaign.devices_target IS 'Devices targeted, as the push service reports: sent + failed + pending + unknown';
COMMENT ON COLUMN scheduler.report_campaign.devices_unknown IS 'Devices targeted by uncertain sends';
COMMENT ON COLUMN scheduler.report_campaign.final IS 'The campaign has ended, and no figure changes any more by itself';
COMMENT ON COLUMN scheduler.report_campaign.first_due IS 'When its first send that is to leave was or is due; null: none is, or it has no due';
COMMENT ON COLUMN scheduler.report_campaign.gone IS 'How many of the sends are kept as sums alone: they have no row in report_send';
COMMENT ON COLUMN scheduler.report_campaign.last_due IS 'When its last send planned so far is due';
COMMENT ON COLUMN scheduler.report_campaign.mode_immediate IS 'Of the newest sends, those that left us and were handed off as immediate';
COMMENT ON COLUMN scheduler.report_campaign.mode_reserved IS 'Of the newest sends, those that left us and were handed off as reserved';
COMMENT ON COLUMN scheduler.report_campaign.mode_scheduled IS 'Of the newest sends, those that left us and were handed off as scheduled';
COMMENT ON COLUMN scheduler.report_campaign.name IS 'The publisher''s name of the campaign';
COMMENT ON COLUMN scheduler.report_campaign.planned IS 'Requests planned: each counts in one of the columns sends_…, whose sum this is';
COMMENT ON COLUMN scheduler.report_campaign.revision IS 'The revision in force';
COMMENT ON COLUMN scheduler.report_campaign.sends_canceled IS 'Requests whose newest send is canceled: cancelled before it went; a standing message: cancelled, and counted with its firings until then';
COMMENT ON COLUMN scheduler.report_campaign.sends_empty IS 'Requests whose newest send is empty: final, and nobody was there to send to; no failure';
COMMENT ON COLUMN scheduler.report_campaign.sends_expired IS 'Requests whose newest send is expired: given up, because it would have gone later than the policy allows';
COMMENT ON COLUMN scheduler.report_campaign.sends_failed IS 'Requests whose newest send is failed: no device was taken, its reservation failed, or an operator found that it never went';
COMMENT ON COLUMN scheduler.report_campaign.sends_open IS 'Requests whose newest send is open: not ended yet';
COMMENT ON COLUMN scheduler.report_campaign.sends_rejected IS 'Requests whose newest send is rejected: refused by the push service';
COMMENT ON COLUMN scheduler.report_campaign.sends_sent IS 'Requests whose newest send is sent: a provider took a device, or an operator confirmed that it went; nobody knows of delivery';
COMMENT ON COLUMN scheduler.report_campaign.sends_skipped IS 'Requests whose newest send is skipped: left out by planning';
COMMENT ON COLUMN scheduler.report_campaign.sends_stale IS 'Requests whose newest send is stale: reserved, and the push service let it lapse';
COMMENT ON COLUMN scheduler.report_campaign.sends_standing IS 'Requests whose newest send is standing: attached to a schedule code, and still standing';
COMMENT ON COLUMN scheduler.report_campaign.sends_uncertain IS 'Requests whose newest send is uncertain: of unknown fate, for an operator to resolve';
COMMENT ON COLUMN scheduler.report_campaign.service_id IS 'The project that publishes it';
COMMENT ON COLUMN scheduler.report_campaign.state IS 'The state of the campaign';

CREATE VIEW report_cell AS
 SELECT o.campaign,
    c.service_id,
    c.campaign_id,
    c.name,
    o.occurrence,
    f.cell,
    f.zone,
    f.device_type,
    f.country,
    f.due_at,
    (f.due_at AT TIME ZONE 'UTC'::text) + ((f.local_reading #>> '{reading,offset}'::text[])::interval) AS due_local,
    o.first_due,
    o.last_due,
    f.zone_source,
    f.segment,
    f.intended_at,
    f.mode,
    f.mode_rule,
    f.skipped_code,
    f.recipients,
    f.planned,
    f.sends_sent::bigint AS sends_sent,
    f.sends_empty::bigint AS sends_empty,
    f.sends_failed::bigint AS sends_failed,
    f.sends_stale::bigint AS sends_stale,
    f.sends_rejected::bigint AS sends_rejected,
    f.sends_canceled::bigint AS sends_canceled,
    f.sends_expired::bigint AS sends_expired,
    f.sends_skipped::bigint AS sends_skipped,
    f.sends_uncertain::bigint AS sends_uncertain,
    f.sends_standing::bigint AS sends_standing,
    f.sends_open::bigint AS sends_open,
    f.devices_target::bigint AS devices_target,
    f.devices_sent::bigint AS devices_sent,
    f.devices_failed::bigint AS devices_failed,
    f.devices_pending::bigint AS devices_pending,
    f.devices_unknown::bigint AS devices_unknown,
    f.mode_immediate::bigint AS mode_immediate,
    f.mode_reserved::bigint AS mode_reserved,
    f.mode_scheduled::bigint AS mode_scheduled,
    f.gone::bigint AS gone,
    f.planned::numeric = (f.sends_sent + f.sends_empty + f.sends_failed + f.sends_stale + f.sends_rejected + f.sends_canceled + f.sends_expired + f.sends_skipped + f.sends_uncertain + f.sends_standing + f.sends_open) AND f.devices_target = (f.devices_sent + f.devices_failed + f.devices_pending + f.devices_unknown) AS balanced,
    COALESCE(f.all_ended, f.planned = 0) AS final
   FROM occurrence o
     LEFT JOIN campaign c ON c.id = o.campaign
     CROSS JOIN LATERAL ( SELECT k.cell,
            k.zone,
            k.zone_source,
            k.segment,
            k.device_type,
            k.country,
            k.local_reading,
            k.intended_at,
            k.due_at,
            k.mode,
            k.mode_rule,
            k.skipped_code,
            k.recipients,
            k.chunks::bigint AS planned,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'sent'::text), 0::numeric) AS sends_sent,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'empty'::text), 0::numeric) AS sends_empty,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'failed'::text), 0::numeric) AS sends_failed,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'stale'::text), 0::numeric) AS sends_stale,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'rejected'::text), 0::numeric) AS sends_rejected,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'canceled'::text), 0::numeric) AS sends_canceled,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'expired'::text), 0::numeric) AS sends_expired,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'skipped'::text), 0::numeric) AS sends_skipped,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'uncertain'::text), 0::numeric) AS sends_uncertain,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = 'scheduled'::text), 0::numeric) AS sends_standing,
            COALESCE(sum(m.sends) FILTER (WHERE m.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text])), 0::numeric) AS sends_open,
            COALESCE(sum(m.target) FILTER (WHERE true), 0::numeric) AS devices_target,
            COALESCE(sum(m.sent) FILTER (WHERE m.kind = 'settled'::text), 0::numeric) AS devices_sent,
            COALESCE(sum(m.failed) FILTER (WHERE m.kind = 'settled'::text), 0::numeric) AS devices_failed,
            COALESCE(sum(m.target) FILTER (WHERE m.kind = 'pending'::text), 0::numeric) AS devices_pending,
            COALESCE(sum(m.target) FILTER (WHERE m.kind = 'unknown'::text), 0::numeric) AS devices_unknown,
            COALESCE(sum(m.sends) FILTER (WHERE m.handed_off AND m.mode = 'immediate'::text), 0::numeric) AS mode_immediate,
            COALESCE(sum(m.sends) FILTER (WHERE m.handed_off AND m.mode = 'reserved'::text), 0::numeric) AS mode_reserved,
            COALESCE(sum(m.sends) FILTER (WHERE m.handed_off AND m.mode = 'scheduled'::text), 0::numeric) AS mode_scheduled,
            COALESCE(sum(m.sends) FILTER (WHERE m.gone), 0::numeric) AS gone,
            bool_and(m.state = ANY (ARRAY['sent'::text, 'failed'::text, 'empty'::text, 'stale'::text, 'rejected'::text, 'canceled'::text, 'expired'::text, 'skipped'::text, 'superseded'::text])) AS all_ended
           FROM cell k
             LEFT JOIN ( SELECT m_1.service_id,
                    m_1.campaign,
                    m_1.occurrence,
                    m_1.cell,
                    m_1.state,
                    m_1.mode,
                    m_1.handed_off,
                    m_1.immediate_late,
                    m_1.reserved_late,
                    m_1.deferred,
                    m_1.recovered,
                    m_1.sends,
                    m_1.target,
                    m_1.sent,
                    m_1.failed,
                    m_1.gone,
                        CASE
                            WHEN m_1.state = 'uncertain'::text THEN 'unknown'::text
                            WHEN m_1.mode = 'scheduled'::text AND (m_1.state = ANY (ARRAY['scheduled'::text, 'canceling'::text])) THEN 'settled'::text
                            WHEN m_1.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'pending'::text
                            ELSE 'settled'::text
                        END AS kind
                   FROM ( SELECT l.service_id,
                            l.campaign,
                            l.occurrence,
                            l.cell,
                            l.state,
                            l.mode,
                            l.handed_off,
                            l.immediate_late,
                            l.reserved_late,
                            l.deferred,
                            l.recovered,
                            l.sends,
                            l.target,
                            l.sent,
                            l.failed,
                            false AS gone
                           FROM ( SELECT s.id,
                                    s.service_id,
                                    s.campaign,
                                    s.occurrence,
                                    s.cell,
                                    s.state,
                                    s.code,
                                    COALESCE(s.first_due, s.due_at) AS due,
                                    s.mode,
                                    s.ended_at,
                                    s.handed_off_at IS NOT NULL AS handed_off,
CASE
 WHEN s.mode = 'immediate'::text AND s.retry_of IS NULL AND s.request_id IS NOT NULL THEN round(EXTRACT(epoch FROM s.answered_at - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS immediate_late,
CASE
 WHEN s.mode = 'reserved'::text AND s.retry_of IS NULL THEN round(EXTRACT(epoch FROM s.complete_time - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS reserved_late,
CASE
 WHEN COALESCE(s.first_due, s.due_at) > s.intended_at THEN round(EXTRACT(epoch FROM COALESCE(s.first_due, s.due_at) - s.intended_at) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS deferred,
CASE
 WHEN s.retry_of IS NOT NULL AND s.state = 'sent'::text THEN round(EXTRACT(epoch FROM
 CASE s.mode
  WHEN 'reserved'::text THEN s.complete_time
  ELSE s.answered_at
 END - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS recovered,
                                    1 AS sends,
                                    COALESCE(s.target_count, 0) AS target,
                                    COALESCE(s.sent_count, 0) AS sent,
                                    GREATEST(COALESCE(s.target_count, 0) - COALESCE(s.sent_count, 0), 0) AS failed
                                   FROM send s
                                  WHERE s.next_send IS NULL AND s.state <> 'superseded'::text) l
                        UNION ALL
                         SELECT g.service_id,
                            g.campaign,
                            g.occurrence,
                            g.cell,
                            g.state,
                            g.mode,
                            g.handed_off,
                            g.immediate_late,
                            g.reserved_late,
                            g.deferred,
                            g.recovered,
                            g.sends,
                            g.target,
                            g.sent,
                            g.failed,
                            true
                           FROM ( SELECT g_1.service_id,
                                    g_1.campaign,
                                    g_1.occurrence,
                                    g_1.cell,
                                    g_1.state,
                                    g_1.mode,
                                    g_1.handed_off,
                                    NULL::double precision AS immediate_late,
                                    NULL::double precision AS reserved_late,
                                    NULL::double precision AS deferred,
                                    NULL::double precision AS recovered,
                                    g_1.sends,
                                    g_1.target,
                                    g_1.sent,
                                    g_1.failed
                                   FROM ( SELECT sum.day,
    sum.occurrence,
    sum.cell,
    sum.minute,
    sum.service_id,
    sum.campaign,
    sum.zone,
    sum.mode,
    sum.device_type,
    sum.country,
    sum.local_hour,
    sum.state,
    sum.code,
    sum.sends,
    sum.target,
    sum.sent,
    sum.failed,
    sum.handed_off
   FROM send_rollup sum
  WHERE sum.day < (( SELECT (min(d.low) AT TIME ZONE 'UTC'::text) AS timezone
     FROM pg_inherits i
       JOIN pg_class c_1 ON c_1.oid = i.inhrelid
       CROSS JOIN LATERAL bound_at((regexp_match(pg_get_expr(c_1.relpartbound, c_1.oid), '^FOR VALUES FROM [(]''?([^'')]*)'::text))[1]) d(low)
    WHERE i.inhparent = 'send'::regclass::oid AND NOT i.inhdetachpending AND isfinite(d.low)))) g_1
                                UNION ALL
                                 SELECT g_1.service_id,
                                    g_1.campaign,
                                    g_1.occurrence,
                                    g_1.cell,
                                    NULL::text,
                                    g_1.mode,
                                    false,
CASE g_1.kind
 WHEN 'immediate'::text THEN l.ms
 ELSE NULL::double precision
END AS immediate_late,
CASE g_1.kind
 WHEN 'reserved'::text THEN l.ms
 ELSE NULL::double precision
END AS reserved_late,
CASE g_1.kind
 WHEN 'deferral'::text THEN l.ms
 ELSE NULL::double precision
END AS deferred,
CASE g_1.kind
 WHEN 'recovered'::text THEN l.ms
 ELSE NULL::double precision
END AS recovered,
                                    0,
                                    0,
                                    0,
                                    0
                                   FROM ( SELECT sum.day,
    sum.occurrence,
    sum.cell,
    sum.minute,
    sum.service_id,
    sum.campaign,
    sum.zone,
    sum.mode,
    sum.device_type,
    sum.country,
    sum.local_hour,
    sum.kind,
    sum.bucket,
    sum.exact_ms,
    sum.sends,
    sum.max_ms
   FROM length_rollup sum
  WHERE sum.day < (( SELECT (min(d.low) AT TIME ZONE 'UTC'::text) AS timezone
     FROM pg_inherits i
       JOIN pg_class c_1 ON c_1.oid = i.inhrelid
       CROSS JOIN LATERAL bound_at((regexp_match(pg_get_expr(c_1.relpartbound, c_1.oid), '^FOR VALUES FROM [(]''?([^'')]*)'::text))[1]) d(low)
    WHERE i.inhparent = 'send'::regclass::oid AND NOT i.inhdetachpending AND isfinite(d.low)))) g_1
                                     CROSS JOIN LATERAL generate_series(1::bigint, g_1.sends) n(n)
                                     CROSS JOIN LATERAL ( SELECT COALESCE(g_1.exact_ms,
  CASE n.n
   WHEN 1 THEN g_1.max_ms
   ELSE LEAST(g_1.max_ms, round(
   CASE
    WHEN g_1.bucket = 0 THEN 0::double precision
    ELSE sign(g_1.bucket::double precision) * power(1.04::double precision, (abs(g_1.bucket)::numeric - 0.5)::double precision)
   END))
  END) AS ms) l) g) m_1
                  WHERE m_1.campaign = o.campaign AND m_1.occurrence = o.occurrence AND m_1.occurrence !~~ 'test-%'::text) m ON m.cell = k.cell
          WHERE k.campaign = o.campaign AND k.occurrence = o.occurrence
          GROUP BY k.campaign, k.occurrence, k.cell) f
  WHERE o.occurrence !~~ 'test-%'::text;
COMMENT ON VIEW scheduler.report_cell IS 'A row for each cell of the report of a campaign: an occurrence, a zone, and a device type and country where they were split. A total is a sum over rows. Cheap filters: campaign; due_at: only the sends of occurrences with such cells are read.';
COMMENT ON COLUMN scheduler.report_cell.balanced IS 'Whether both sides of sends and of devices agree; where not, the ledger says what is missing';
COMMENT ON COLUMN scheduler.report_cell.campaign IS 'Our id of the campaign (UUIDv7)';
COMMENT ON COLUMN scheduler.report_cell.campaign_id IS 'The publisher''s id of the campaign';
COMMENT ON COLUMN scheduler.report_cell.cell IS 'One zone, and one device type and country where they were split; unique in its occurrence';
COMMENT ON COLUMN scheduler.report_cell.country IS 'The country, ISO 3166-1 alpha-2; all: not split';
COMMENT ON COLUMN scheduler.report_cell.device_type IS 'The device type; all: not split';
COMMENT ON COLUMN scheduler.report_cell.devices_failed IS 'Devices targeted and not taken by a provider, of sends with a final result: target minus sent, never below 0';
COMMENT ON COLUMN scheduler.report_cell.devices_pending IS 'Devices targeted by sends that have no final result yet';
COMMENT ON COLUMN scheduler.report_cell.devices_sent IS 'Devices that a provider took';
COMMENT ON COLUMN scheduler.report_cell.devices_target IS 'Devices targeted, as the push service reports: sent + failed + pending + unknown';
COMMENT ON COLUMN scheduler.report_cell.devices_unknown IS 'Devices targeted by uncertain sends';
COMMENT ON COLUMN scheduler.report_cell.due_at IS 'When its first send is due, after passed zone, night, quiet hours, jitter and pace; null: a standing message';
COMMENT ON COLUMN scheduler.report_cell.due_local IS 'due_at on the clock of the zone, without offset';
COMMENT ON COLUMN scheduler.report_cell.final IS 'No figure of the row changes any more by itself';
COMMENT ON COLUMN scheduler.report_cell.first_due IS 'When the first send of its occurrence that is to leave is due; null: none is';
COMMENT ON COLUMN scheduler.report_cell.gone IS 'How many of the sends are kept as sums alone: they have no row in report_send';
COMMENT ON COLUMN scheduler.report_cell.intended_at IS 'What was asked for, after the rule for clock changes; null: a standing message';
COMMENT ON COLUMN scheduler.report_cell.last_due IS 'When the last send of its occurrence that is to leave is due; null: none is';
COMMENT ON COLUMN scheduler.report_cell.mode IS 'How its sends were planned to be handed off; the columns mode_… count how they were';
COMMENT ON COLUMN scheduler.report_cell.mode_immediate IS 'Of the newest sends, those that left us and were handed off as immediate';
COMMENT ON COLUMN scheduler.report_cell.mode_reserved IS 'Of the newest sends, those that left us and were handed off as reserved';
COMMENT ON COLUMN scheduler.report_cell.mode_rule IS 'Why this mode';
COMMENT ON COLUMN scheduler.report_cell.mode_scheduled IS 'Of the newest sends, those that left us and were handed off as scheduled';
COMMENT ON COLUMN scheduler.report_cell.name IS 'The publisher''s name of the campaign';
COMMENT ON COLUMN scheduler.report_cell.occurrence IS 'once, or the local date-time of the recurrence rule';
COMMENT ON COLUMN scheduler.report_cell.planned IS 'Requests planned: each counts in one of the columns sends_…, whose sum this is';
COMMENT ON COLUMN scheduler.report_cell.recipients IS 'How many ids; null for an audience not made of ids';
COMMENT ON COLUMN scheduler.report_cell.segment IS 'Number of the segment of the audience';
COMMENT ON COLUMN scheduler.report_cell.sends_canceled IS 'Requests whose newest send is canceled: cancelled before it went; a standing message: cancelled, and counted with its firings until then';
COMMENT ON COLUMN scheduler.report_cell.sends_empty IS 'Requests whose newest send is empty: final, and nobody was there to send to; no failure';
COMMENT ON COLUMN scheduler.report_cell.sends_expired IS 'Requests whose newest send is expired: given up, because it would have gone later than the policy allows';
COMMENT ON COLUMN scheduler.report_cell.sends_failed IS 'Requests whose newest send is failed: no device was taken, its reservation failed, or an operator found that it never went';
COMMENT ON COLUMN scheduler.report_cell.sends_open IS 'Requests whose newest send is open: not ended yet';
COMMENT ON COLUMN scheduler.report_cell.sends_rejected IS 'Requests whose newest send is rejected: refused by the push service';
COMMENT ON COLUMN scheduler.report_cell.sends_sent IS 'Requests whose newest send is sent: a provider took a device, or an operator confirmed that it went; nobody knows of delivery';
COMMENT ON COLUMN scheduler.report_cell.sends_skipped IS 'Requests whose newest send is skipped: left out by planning';
COMMENT ON COLUMN scheduler.report_cell.sends_stale IS 'Requests whose newest send is stale: reserved, and the push service let it lapse';
COMMENT ON COLUMN scheduler.report_cell.sends_standing IS 'Requests whose newest send is standing: attached to a schedule code, and still standing';
COMMENT ON COLUMN scheduler.report_cell.sends_uncertain IS 'Requests whose newest send is uncertain: of unknown fate, for an operator to resolve';
COMMENT ON COLUMN scheduler.report_cell.service_id IS 'The project that publishes it';
COMMENT ON COLUMN scheduler.report_cell.skipped_code IS 'Why planning left it out; null: it did not';
COMMENT ON COLUMN scheduler.report_cell.zone IS 'The recipients'' IANA zone, or a fixed offset';
COMMENT ON COLUMN scheduler.report_cell.zone_source IS 'How the zone is known: given, directory, registered-offset, principal, fallback …';

CREATE VIEW report_lateness AS
 SELECT o.campaign,
    c.service_id,
    c.campaign_id,
    c.name,
    o.occurrence,
    f.cell,
    f.zone,
    f.device_type,
    f.country,
    f.due_at,
    (f.due_at AT TIME ZONE 'UTC'::text) + ((f.local_reading #>> '{reading,offset}'::text[])::interval) AS due_local,
    o.first_due,
    o.last_due,
    f.kind,
    f.measured AS count,
    f.percentiles[1] AS p50_ms,
    f.percentiles[2] AS p95_ms,
    f.percentiles[3] AS p99_ms,
    f.longest AS max_ms,
    f.gone
   FROM occurrence o
     LEFT JOIN campaign c ON c.id = o.campaign
     CROSS JOIN LATERAL ( SELECT k.cell,
            k.zone,
            k.zone_source,
            k.segment,
            k.device_type,
            k.country,
            k.local_reading,
            k.intended_at,
            k.due_at,
            k.mode,
            k.mode_rule,
            k.skipped_code,
            k.recipients,
            k.chunks::bigint AS planned,
            l.kind,
            count(*) AS measured,
            max(l.ms) AS longest,
            count(*) FILTER (WHERE m.gone) AS gone,
            percentile_disc(ARRAY[0.5, 0.95, 0.99]::double precision[]) WITHIN GROUP (ORDER BY l.ms) AS percentiles
           FROM cell k
             JOIN ( SELECT m_1.service_id,
                    m_1.campaign,
                    m_1.occurrence,
                    m_1.cell,
                    m_1.state,
                    m_1.mode,
                    m_1.handed_off,
                    m_1.immediate_late,
                    m_1.reserved_late,
                    m_1.deferred,
                    m_1.recovered,
                    m_1.sends,
                    m_1.target,
                    m_1.sent,
                    m_1.failed,
                    m_1.gone,
                        CASE
                            WHEN m_1.state = 'uncertain'::text THEN 'unknown'::text
                            WHEN m_1.mode = 'scheduled'::text AND (m_1.state = ANY (ARRAY['scheduled'::text, 'canceling'::text])) THEN 'settled'::text
                            WHEN m_1.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'pending'::text
                            ELSE 'settled'::text
                        END AS kind
                   FROM ( SELECT l_1.service_id,
                            l_1.campaign,
                            l_1.occurrence,
                            l_1.cell,
                            l_1.state,
                            l_1.mode,
                            l_1.handed_off,
                            l_1.immediate_late,
                            l_1.reserved_late,
                            l_1.deferred,
                            l_1.recovered,
                            l_1.sends,
                            l_1.target,
                            l_1.sent,
                            l_1.failed,
                            false AS gone
                           FROM ( SELECT s.id,
                                    s.service_id,
                                    s.campaign,
                                    s.occurrence,
                                    s.cell,
                                    s.state,
                                    s.code,
                                    COALESCE(s.first_due, s.due_at) AS due,
                                    s.mode,
                                    s.ended_at,
                                    s.handed_off_at IS NOT NULL AS handed_off,
CASE
 WHEN s.mode = 'immediate'::text AND s.retry_of IS NULL AND s.request_id IS NOT NULL THEN round(EXTRACT(epoch FROM s.answered_at - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS immediate_late,
CASE
 WHEN s.mode = 'reserved'::text AND s.retry_of IS NULL THEN round(EXTRACT(epoch FROM s.complete_time - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS reserved_late,
CASE
 WHEN COALESCE(s.first_due, s.due_at) > s.intended_at THEN round(EXTRACT(epoch FROM COALESCE(s.first_due, s.due_at) - s.intended_at) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS deferred,
CASE
 WHEN s.retry_of IS NOT NULL AND s.state = 'sent'::text THEN round(EXTRACT(epoch FROM
 CASE s.mode
  WHEN 'reserved'::text THEN s.complete_time
  ELSE s.answered_at
 END - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
 ELSE NULL::double precision
END AS recovered,
                                    1 AS sends,
                                    COALESCE(s.target_count, 0) AS target,
                                    COALESCE(s.sent_count, 0) AS sent,
                                    GREATEST(COALESCE(s.target_count, 0) - COALESCE(s.sent_count, 0), 0) AS failed
                                   FROM send s
                                  WHERE s.next_send IS NULL AND s.state <> 'superseded'::text) l_1
                        UNION ALL
                         SELECT g.service_id,
                            g.campaign,
                            g.occurrence,
                            g.cell,
                            g.state,
                            g.mode,
                            g.handed_off,
                            g.immediate_late,
                            g.reserved_late,
                            g.deferred,
                            g.recovered,
                            g.sends,
                            g.target,
                            g.sent,
                            g.failed,
                            true
                           FROM ( SELECT g_1.service_id,
                                    g_1.campaign,
                                    g_1.occurrence,
                                    g_1.cell,
                                    g_1.state,
                                    g_1.mode,
                                    g_1.handed_off,
                                    NULL::double precision AS immediate_late,
                                    NULL::double precision AS reserved_late,
                                    NULL::double precision AS deferred,
                                    NULL::double precision AS recovered,
                                    g_1.sends,
                                    g_1.target,
                                    g_1.sent,
                                    g_1.failed
                                   FROM ( SELECT sum.day,
    sum.occurrence,
    sum.cell,
    sum.minute,
    sum.service_id,
    sum.campaign,
    sum.zone,
    sum.mode,
    sum.device_type,
    sum.country,
    sum.local_hour,
    sum.state,
    sum.code,
    sum.sends,
    sum.target,
    sum.sent,
    sum.failed,
    sum.handed_off
   FROM send_rollup sum
  WHERE sum.day < (( SELECT (min(d.low) AT TIME ZONE 'UTC'::text) AS timezone
     FROM pg_inherits i
       JOIN pg_class c_1 ON c_1.oid = i.inhrelid
       CROSS JOIN LATERAL bound_at((regexp_match(pg_get_expr(c_1.relpartbound, c_1.oid), '^FOR VALUES FROM [(]''?([^'')]*)'::text))[1]) d(low)
    WHERE i.inhparent = 'send'::regclass::oid AND NOT i.inhdetachpending AND isfinite(d.low)))) g_1
                                UNION ALL
                                 SELECT g_1.service_id,
                                    g_1.campaign,
                                    g_1.occurrence,
                                    g_1.cell,
                                    NULL::text,
                                    g_1.mode,
                                    false,
CASE g_1.kind
 WHEN 'immediate'::text THEN l_1.ms
 ELSE NULL::double precision
END AS immediate_late,
CASE g_1.kind
 WHEN 'reserved'::text THEN l_1.ms
 ELSE NULL::double precision
END AS reserved_late,
CASE g_1.kind
 WHEN 'deferral'::text THEN l_1.ms
 ELSE NULL::double precision
END AS deferred,
CASE g_1.kind
 WHEN 'recovered'::text THEN l_1.ms
 ELSE NULL::double precision
END AS recovered,
                                    0,
                                    0,
                                    0,
                                    0
                                   FROM ( SELECT sum.day,
    sum.occurrence,
    sum.cell,
    sum.minute,
    sum.service_id,
    sum.campaign,
    sum.zone,
    sum.mode,
    sum.device_type,
    sum.country,
    sum.local_hour,
    sum.kind,
    sum.bucket,
    sum.exact_ms,
    sum.sends,
    sum.max_ms
   FROM length_rollup sum
  WHERE sum.day < (( SELECT (min(d.low) AT TIME ZONE 'UTC'::text) AS timezone
     FROM pg_inherits i
       JOIN pg_class c_1 ON c_1.oid = i.inhrelid
       CROSS JOIN LATERAL bound_at((regexp_match(pg_get_expr(c_1.relpartbound, c_1.oid), '^FOR VALUES FROM [(]''?([^'')]*)'::text))[1]) d(low)
    WHERE i.inhparent = 'send'::regclass::oid AND NOT i.inhdetachpending AND isfinite(d.low)))) g_1
                                     CROSS JOIN LATERAL generate_series(1::bigint, g_1.sends) n(n)
                                     CROSS JOIN LATERAL ( SELECT COALESCE(g_1.exact_ms,
  CASE n.n
   WHEN 1 THEN g_1.max_ms
   ELSE LEAST(g_1.max_ms, round(
   CASE
    WHEN g_1.bucket = 0 THEN 0::double precision
    ELSE sign(g_1.bucket::double precision) * power(1.04::double precision, (abs(g_1.bucket)::numeric - 0.5)::double precision)
   END))
  END) AS ms) l_1) g) m_1
                  WHERE m_1.campaign = o.campaign AND m_1.occurrence = o.occurrence AND m_1.occurrence !~~ 'test-%'::text) m ON m.cell = k.cell
             CROSS JOIN LATERAL ( VALUES ('immediate'::text,m.immediate_late), ('reserved'::text,m.reserved_late), ('deferral'::text,m.deferred), ('recovered-after'::text,m.recovered)) l(kind, ms)
          WHERE k.campaign = o.campaign AND k.occurrence = o.occurrence AND l.ms IS NOT NULL
          GROUP BY k.campaign, k.occurrence, k.cell, l.kind) f
  WHERE o.occurrence !~~ 'test-%'::text;
COMMENT ON VIEW scheduler.report_lateness IS 'A row for each cell and kind of length, over the newest sends and the sums of those that are gone. Never mix kinds, and never add percentiles up: make those of other groups from report_send. Cheap filters: as of report_cell.';
COMMENT ON COLUMN scheduler.report_lateness.campaign IS 'Our id of the campaign (UUIDv7)';
COMMENT ON COLUMN scheduler.report_lateness.campaign_id IS 'The publisher''s id of the campaign';
COMMENT ON COLUMN scheduler.report_lateness.cell IS 'One zone, and one device type and country where they were split; unique in its occurrence';
COMMENT ON COLUMN scheduler.report_lateness.count IS 'How many were measured';
COMMENT ON COLUMN scheduler.report_lateness.country IS 'The country, ISO 3166-1 alpha-2; all: not split';
COMMENT ON COLUMN scheduler.report_lateness.device_type IS 'The device type; all: not split';
COMMENT ON COLUMN scheduler.report_lateness.due_at IS 'When its first send is due, after passed zone, night, quiet hours, jitter and pace; null: a standing message';
COMMENT ON COLUMN scheduler.report_lateness.due_local IS 'due_at on the clock of the zone, without offset';
COMMENT ON COLUMN scheduler.report_lateness.first_due IS 'When the first send of its occurrence that is to leave is due; null: none is';
COMMENT ON COLUMN scheduler.report_lateness.gone IS 'How many of them are kept only as sums, at most 2 % off';
COMMENT ON COLUMN scheduler.report_lateness.kind IS 'immediate: Lateness of an immediate send: from its due until the 202 was received. reserved: Lateness of a reserved send: from its due until the push service''s completeTime. deferral: How long after the time asked for it was due: a decision, not a fault. recovered-after: From the first due of its chunk until a retry got through. A retry counts in no other kind';
COMMENT ON COLUMN scheduler.report_lateness.last_due IS 'When the last send of its occurrence that is to leave is due; null: none is';
COMMENT ON COLUMN scheduler.report_lateness.max_ms IS 'The longest of them, milliseconds';
COMMENT ON COLUMN scheduler.report_lateness.name IS 'The publisher''s name of the campaign';
COMMENT ON COLUMN scheduler.report_lateness.occurrence IS 'once, or the local date-time of the recurrence rule';
COMMENT ON COLUMN scheduler.report_lateness.p50_ms IS 'The median of them, milliseconds, by nearest rank; at most 2 % off of what is gone';
COMMENT ON COLUMN scheduler.report_lateness.p95_ms IS 'The 95th percentile of them, milliseconds, by nearest rank; at most 2 % off of what is gone';
COMMENT ON COLUMN scheduler.report_lateness.p99_ms IS 'The 99th percentile of them, milliseconds, by nearest rank; at most 2 % off of what is gone';
COMMENT ON COLUMN scheduler.report_lateness.service_id IS 'The project that publishes it';
COMMENT ON COLUMN scheduler.report_lateness.zone IS 'The recipients'' IANA zone, or a fixed offset';

CREATE VIEW report_send AS
 SELECT s.id,
    s.ended_at,
    s.campaign,
    s.service_id,
    c.campaign_id,
    c.name,
    s.revision,
    s.occurrence,
    s.cell,
    k.zone,
    k.device_type,
    k.country,
    s.chunk,
    s.next_send IS NULL AND s.state <> 'superseded'::text AS counted,
        CASE
            WHEN s.state = 'sent'::text THEN 'sent'::text
            WHEN s.state = 'empty'::text THEN 'empty'::text
            WHEN s.state = 'failed'::text THEN 'failed'::text
            WHEN s.state = 'stale'::text THEN 'stale'::text
            WHEN s.state = 'rejected'::text THEN 'rejected'::text
            WHEN s.state = 'canceled'::text THEN 'canceled'::text
            WHEN s.state = 'expired'::text THEN 'expired'::text
            WHEN s.state = 'skipped'::text THEN 'skipped'::text
            WHEN s.state = 'uncertain'::text THEN 'uncertain'::text
            WHEN s.state = 'scheduled'::text THEN 'standing'::text
            WHEN s.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'open'::text
            ELSE NULL::text
        END AS term,
    s.state,
    s.state_at,
    s.code,
    s.needs_attention,
    s.retry_of,
    s.retries,
    s.mode,
    s.mode_rule,
    s.schedule_code,
    s.intended_at,
    s.due_at,
    (s.due_at AT TIME ZONE 'UTC'::text) + ((k.local_reading #>> '{reading,offset}'::text[])::interval) AS due_local,
    s.created_at,
    s.handed_off_at,
    s.answered_at,
    s.complete_time AS completed_at,
    s.attempts,
    s.polls,
    s.http_status,
    s.error_code,
    s.request_id,
    s.gateway_status,
    s.target_count,
    s.sent_count,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN COALESCE(s.target_count, 0)
            ELSE 0
        END AS devices_target,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN
                CASE
                    WHEN s.state = 'uncertain'::text THEN 'unknown'::text
                    WHEN s.mode = 'scheduled'::text AND (s.state = ANY (ARRAY['scheduled'::text, 'canceling'::text])) THEN 'settled'::text
                    WHEN s.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'pending'::text
                    ELSE 'settled'::text
                END = 'settled'::text THEN COALESCE(s.sent_count, 0)
                ELSE 0
            END
            ELSE 0
        END AS devices_sent,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN
                CASE
                    WHEN s.state = 'uncertain'::text THEN 'unknown'::text
                    WHEN s.mode = 'scheduled'::text AND (s.state = ANY (ARRAY['scheduled'::text, 'canceling'::text])) THEN 'settled'::text
                    WHEN s.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'pending'::text
                    ELSE 'settled'::text
                END = 'settled'::text THEN GREATEST(COALESCE(s.target_count, 0) - COALESCE(s.sent_count, 0), 0)
                ELSE 0
            END
            ELSE 0
        END AS devices_failed,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN
                CASE
                    WHEN s.state = 'uncertain'::text THEN 'unknown'::text
                    WHEN s.mode = 'scheduled'::text AND (s.state = ANY (ARRAY['scheduled'::text, 'canceling'::text])) THEN 'settled'::text
                    WHEN s.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'pending'::text
                    ELSE 'settled'::text
                END = 'pending'::text THEN COALESCE(s.target_count, 0)
                ELSE 0
            END
            ELSE 0
        END AS devices_pending,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN
                CASE
                    WHEN s.state = 'uncertain'::text THEN 'unknown'::text
                    WHEN s.mode = 'scheduled'::text AND (s.state = ANY (ARRAY['scheduled'::text, 'canceling'::text])) THEN 'settled'::text
                    WHEN s.state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'reserved'::text, 'canceling'::text, 'held'::text]) THEN 'pending'::text
                    ELSE 'settled'::text
                END = 'unknown'::text THEN COALESCE(s.target_count, 0)
                ELSE 0
            END
            ELSE 0
        END AS devices_unknown,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN s.mode = 'immediate'::text AND s.retry_of IS NULL AND s.request_id IS NOT NULL THEN round(EXTRACT(epoch FROM s.answered_at - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
                ELSE NULL::double precision
            END
            ELSE NULL::double precision
        END AS immediate_late_ms,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN s.mode = 'reserved'::text AND s.retry_of IS NULL THEN round(EXTRACT(epoch FROM s.complete_time - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
                ELSE NULL::double precision
            END
            ELSE NULL::double precision
        END AS reserved_late_ms,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN COALESCE(s.first_due, s.due_at) > s.intended_at THEN round(EXTRACT(epoch FROM COALESCE(s.first_due, s.due_at) - s.intended_at) * 1000::numeric)::double precision
                ELSE NULL::double precision
            END
            ELSE NULL::double precision
        END AS deferral_ms,
        CASE
            WHEN s.next_send IS NULL AND s.state <> 'superseded'::text THEN
            CASE
                WHEN s.retry_of IS NOT NULL AND s.state = 'sent'::text THEN round(EXTRACT(epoch FROM
                CASE s.mode
                    WHEN 'reserved'::text THEN s.complete_time
                    ELSE s.answered_at
                END - COALESCE(s.first_due, s.due_at)) * 1000::numeric)::double precision
                ELSE NULL::double precision
            END
            ELSE NULL::double precision
        END AS recovered_after_ms
   FROM send s
     LEFT JOIN campaign c ON c.id = s.campaign
     LEFT JOIN cell k ON k.campaign = s.campaign AND k.occurrence = s.occurrence AND k.cell = s.cell
  WHERE s.occurrence !~~ 'test-%'::text;
COMMENT ON VIEW scheduler.report_send IS 'A row for each send that is kept, also those that a retry replaced; tests are left out, and the recipients are not shown. Count rows where counted; sums of the columns devices_… need no such condition. Cheap filters: campaign; ended_at, by its day; service_id where needs_attention. A filter by due_at alone reads all kept sends: use report_cell for it.';
COMMENT ON COLUMN scheduler.report_send.answered_at IS 'When the push service answered';
COMMENT ON COLUMN scheduler.report_send.attempts IS 'Calls that were made to hand it off';
COMMENT ON COLUMN scheduler.report_send.campaign IS 'Our id of the campaign (UUIDv7)';
COMMENT ON COLUMN scheduler.report_send.campaign_id IS 'The publisher''s id of the campaign';
COMMENT ON COLUMN scheduler.report_send.cell IS 'Its cell';
COMMENT ON COLUMN scheduler.report_send.chunk IS 'Number of the chunk in its cell';
COMMENT ON COLUMN scheduler.report_send.code IS 'Why it is in its state; null: there is no reason to give';
COMMENT ON COLUMN scheduler.report_send.completed_at IS 'The push service''s completeTime, of a reservation';
COMMENT ON COLUMN scheduler.report_send.counted IS 'Whether it is the newest send of its chunk: only that one counts in the figures';
COMMENT ON COLUMN scheduler.report_send.country IS 'The country, ISO 3166-1 alpha-2; all: not split';
COMMENT ON COLUMN scheduler.report_send.created_at IS 'When it was planned, or asked for as a retry';
COMMENT ON COLUMN scheduler.report_send.deferral_ms IS 'Milliseconds. How long after the time asked for it was due: a decision, not a fault. Null: not measured, or not counted';
COMMENT ON COLUMN scheduler.report_send.device_type IS 'The device type; all: not split';
COMMENT ON COLUMN scheduler.report_send.devices_failed IS 'Devices targeted and not taken by a provider, of sends with a final result: target minus sent, never below 0. 0 of what does not count';
COMMENT ON COLUMN scheduler.report_send.devices_pending IS 'Devices targeted by sends that have no final result yet. 0 of what does not count';
COMMENT ON COLUMN scheduler.report_send.devices_sent IS 'Devices that a provider took. 0 of what does not count';
COMMENT ON COLUMN scheduler.report_send.devices_target IS 'Devices targeted, as the push service reports: sent + failed + pending + unknown. 0 of what does not count';
COMMENT ON COLUMN scheduler.report_send.devices_unknown IS 'Devices targeted by uncertain sends. 0 of what does not count';
COMMENT ON COLUMN scheduler.report_send.due_at IS 'When it is due; null: a standing message';
COMMENT ON COLUMN scheduler.report_send.due_local IS 'due_at on the clock of the zone, without offset: by the offset that holds when its cell is due';
COMMENT ON COLUMN scheduler.report_send.ended_at IS 'When it ended; infinity: it is open. Sends lie in partitions by it, a day each';
COMMENT ON COLUMN scheduler.report_send.error_code IS 'Why the newest attempt got no answer';
COMMENT ON COLUMN scheduler.report_send.gateway_status IS 'The push service''s own word for its state';
COMMENT ON COLUMN scheduler.report_send.handed_off_at IS 'When it left us';
COMMENT ON COLUMN scheduler.report_send.http_status IS 'HTTP status of the newest attempt';
COMMENT ON COLUMN scheduler.report_send.id IS 'Id of the send, a UUIDv7';
COMMENT ON COLUMN scheduler.report_send.immediate_late_ms IS 'Milliseconds. Lateness of an immediate send: from its due until the 202 was received. Null: not measured, or not counted';
COMMENT ON COLUMN scheduler.report_send.intended_at IS 'What was asked for, after the rule for clock changes; null: a standing message';
COMMENT ON COLUMN scheduler.report_send.mode IS 'immediate, reserved or scheduled';
COMMENT ON COLUMN scheduler.report_send.mode_rule IS 'Why this mode';
COMMENT ON COLUMN scheduler.report_send.name IS 'The publisher''s name of the campaign';
COMMENT ON COLUMN scheduler.report_send.needs_attention IS 'Whether it is in the operators'' list: failed, stale, rejected, expired or uncertain';
COMMENT ON COLUMN scheduler.report_send.occurrence IS 'once, or the local date-time of the recurrence rule';
COMMENT ON COLUMN scheduler.report_send.polls IS 'Questions asked for its result since the last step';
COMMENT ON COLUMN scheduler.report_send.recovered_after_ms IS 'Milliseconds. From the first due of its chunk until a retry got through. A retry counts in no other kind. Null: not measured, or not counted';
COMMENT ON COLUMN scheduler.report_send.request_id IS 'The push service''s requestId';
COMMENT ON COLUMN scheduler.report_send.reserved_late_ms IS 'Milliseconds. Lateness of a reserved send: from its due until the push service''s completeTime. Null: not measured, or not counted';
COMMENT ON COLUMN scheduler.report_send.retries IS 'How many retries came before it';
COMMENT ON COLUMN scheduler.report_send.retry_of IS 'The send that this one is a retry of';
COMMENT ON COLUMN scheduler.report_send.revision IS 'The revision of the campaign that planned it';
COMMENT ON COLUMN scheduler.report_send.schedule_code IS 'The schedule of the push service that it is attached to';
COMMENT ON COLUMN scheduler.report_send.sent_count IS 'Devices that a provider took, as the push service reports; null: not reported yet';
COMMENT ON COLUMN scheduler.report_send.service_id IS 'The project that publishes it';
COMMENT ON COLUMN scheduler.report_send.state IS 'Its state (docs/understand/life-of-a-send.md)';
COMMENT ON COLUMN scheduler.report_send.state_at IS 'Since when';
COMMENT ON COLUMN scheduler.report_send.target_count IS 'Devices targeted, as the push service reports; null: not reported yet';
COMMENT ON COLUMN scheduler.report_send.term IS 'What its state counts as: the columns sends_… of the other views; null: superseded';
COMMENT ON COLUMN scheduler.report_send.zone IS 'The recipients'' IANA zone, or a fixed offset';

CREATE VIEW send_attempt AS
 SELECT attempt.send,
    attempt.attempt,
    attempt.kind,
    attempt.started_at,
    attempt.ended_at,
    attempt.request_sent,
    attempt.http_status,
    attempt.error_code,
    attempt.answer,
    attempt.outcome
   FROM attempt
UNION ALL
 SELECT s.id AS send,
    s.attempts AS attempt,
    'send'::text AS kind,
    COALESCE(s.attempt_started_at, s.handed_off_at) AS started_at,
        CASE
            WHEN s.outcome IS NOT NULL THEN COALESCE(s.attempt_ended_at, s.answered_at)
            ELSE NULL::timestamp with time zone
        END AS ended_at,
    s.request_sent,
    s.http_status,
    s.error_code,
    s.answer,
    s.outcome
   FROM send s
  WHERE s.attempts > 0 AND COALESCE(s.attempt_started_at, s.handed_off_at) IS NOT NULL AND NOT (EXISTS ( SELECT
           FROM attempt a
          WHERE a.send = s.id AND a.send_ended_at = s.ended_at AND a.attempt = s.attempts));

CREATE VIEW send_change AS
 SELECT send.id AS send,
    send.changes AS sequence,
    send.state AS to_state,
    send.code,
    send.detail,
    send.state_at AS at,
    send.state_by AS by
   FROM send
UNION ALL
 SELECT send_note.send,
    send_note.sequence,
    send_note.to_state,
    send_note.code,
    send_note.detail,
    send_note.at,
    send_note.by
   FROM send_note
UNION ALL
 SELECT s.id AS send,
    t.sequence,
    t.to_state,
    NULL::text AS code,
    NULL::text AS detail,
    t.at,
    t.by
   FROM send s
     CROSS JOIN LATERAL ( VALUES (1,'planned'::text,s.created_at,'plan'::text), (2,'sending'::text,s.handed_off_at,'dispatch'::text), (3,
                CASE s.mode
                    WHEN 'immediate'::text THEN 'accepted'::text
                    ELSE s.mode
                END,s.answered_at,'dispatch'::text)) t(sequence, to_state, at, by)
  WHERE t.sequence < s.changes AND t.at IS NOT NULL AND NOT (EXISTS ( SELECT
           FROM send_note n
          WHERE n.send = s.id AND n.send_ended_at = s.ended_at AND n.sequence = t.sequence));

CREATE VIEW send_gone AS
 SELECT day,
    occurrence,
    cell,
    minute,
    service_id,
    campaign,
    zone,
    mode,
    device_type,
    country,
    local_hour,
    state,
    code,
    sends,
    target,
    sent,
    failed,
    handed_off
   FROM send_rollup r
  WHERE day <= (( SELECT d.day
           FROM day_drop d)) AND campaign < (( SELECT uuid_floor((d.day + '3 days'::interval)::timestamp with time zone) AS uuid_floor
           FROM day_drop d)) AND (day - (( SELECT (kept_from('send'::text) AT TIME ZONE 'UTC'::text)::date AS timezone))) < 0;

CREATE VIEW send_history AS
 SELECT send,
    sequence,
    lag(to_state) OVER (PARTITION BY send ORDER BY sequence) AS from_state,
    to_state,
    code,
    detail,
    at,
    by
   FROM send_change;

CREATE VIEW send_repeat AS
 SELECT s.id,
    s.ended_at,
    s.service_id,
    s.campaign,
    s.revision,
    s.occurrence,
    s.cell,
    s.chunk,
    s.recipients,
    s.retry_of,
    s.retries,
    s.next_send,
    s.state,
    s.code,
    s.detail,
    s.goal,
    s.changes,
    s.state_at,
    s.state_by,
    s.mode,
    s.mode_rule,
    s.schedule_code,
    s.intended_at,
    s.due_at,
    s.first_due,
    s.work,
    s.next_at,
    s.attempts,
    s.fired_by,
    s.request_id,
    s.released,
    s.handed_off_at,
    s.answered_at,
    s.attempt_started_at,
    s.attempt_ended_at,
    s.request_sent,
    s.http_status,
    s.error_code,
    s.answer,
    s.outcome,
    s.gateway_status,
    s.polls,
    s.target_count,
    s.sent_count,
    s.complete_time,
    s.needs_attention,
    s.created_at,
    s.goal IS NULL AND (c.state <> ALL (ARRAY['canceling'::text, 'canceled'::text])) AND NOT c.paused AND NOT (EXISTS ( SELECT
           FROM campaign_act k
          WHERE k.goal IS NOT NULL AND k.campaign = s.campaign AND k.mark <> 'revision'::text AND
                CASE
                    WHEN k.occurrence IS NOT NULL THEN k.occurrence = s.occurrence
                    ELSE k.mark <> 'approval'::text OR s.occurrence !~~ 'test-%'::text
                END)) AS wanted,
    s.due_at + COALESCE((r.data #>> '{policy,lateness,maxMs}'::text[])::double precision, 1800000::double precision) * '00:00:00.001'::interval AS repeat_until
   FROM send_open s
     CROSS JOIN LATERAL ( SELECT c_1.state,
            c_1.paused
           FROM campaign c_1
          WHERE c_1.id = s.campaign
         LIMIT 1) c
     CROSS JOIN LATERAL ( SELECT r_1.data
           FROM revision r_1
          WHERE r_1.campaign = s.campaign AND r_1.revision = s.revision
         LIMIT 1) r;

CREATE OR REPLACE FUNCTION scheduler.act_holds(mark text, of_occurrence text, occurrence text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select mark <> 'revision'
     and case when of_occurrence is not null then of_occurrence = occurrence
              else mark <> 'approval' or occurrence not like 'test-%' end
$function$;

CREATE OR REPLACE FUNCTION scheduler.add_day_partition(parent text, day timestamp with time zone)
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

CREATE OR REPLACE FUNCTION scheduler.announce_alert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('carillon_changes', json_build_object('id', gen_random_uuid(), 'changes', json_build_array(json_build_object(
    'event', 'alert', 'serviceId', new.service_id, 'subject', new.id,
    'data', json_build_object('alert', new.id, 'cause', new.cause, 'serviceId', new.service_id, 'isOpen', new.ended_at is null))))::text);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.announce_project()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('carillon_changes', json_build_object('id', gen_random_uuid(), 'changes', json_build_array(json_build_object(
    'event', 'project', 'serviceId', new.service_id, 'subject', new.service_id,
    'data', json_build_object('serviceId', new.service_id, 'blocked', new.blocked_code))))::text);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.announce_set()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('carillon_changes', json_build_object('id', gen_random_uuid(), 'changes', json_build_array(json_build_object(
    'event', 'set', 'serviceId', case when new.held is not null then new.service_id end, 'subject', new.id,
    'data', json_build_object('token', new.id, 'kind', new.kind))))::text);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.attach_days(parent text, name text, low timestamp with time zone, high timestamp with time zone)
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

CREATE OR REPLACE FUNCTION scheduler.bound_at(bound text)
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

CREATE OR REPLACE FUNCTION scheduler.campaign_ends_with_sums(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('completed', 'expired', 'canceled')
$function$;

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
    if not campaign_ends_with_sums(new.state) then new.outcomes := old.outcomes + 1; end if;
  elsif new.state <> 'accepted' then
    raise exception 'a campaign begins as accepted, not as %', new.state
      using errcode = 'check_violation', constraint = 'campaign_transition';
  else
    new.outcomes := 1;
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

CREATE OR REPLACE FUNCTION scheduler.campaign_state_is_plannable(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('accepted', 'planning', 'awaiting-approval', 'planned', 'running')
$function$;

CREATE OR REPLACE FUNCTION scheduler.campaign_write_birth()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into campaign_history (campaign, sequence, from_state, to_state, code, detail, at, by)
  select id, history, null, state, code, detail, state_at, state_by from new_campaign;
  if not found then return null; end if;
  insert into send_event (position, at, campaign, kind, sequence, shard, revision, to_state, code, detail)
  select event_position(campaign_shard(id)), state_at, id, 'campaign.' || state, outcomes, campaign_shard(id), revision,
         state, code, detail
    from new_campaign;
  perform pg_notify('carillon_publish', '');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.campaign_write_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform write_campaign_event(new.id, 'campaign.' || new.state, new.state, null, new.state_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.campaign_write_history()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
 SET enable_hashjoin TO 'on'
AS $function$
begin
  with moved as materialized (
    select n.id, o.state as old_state, n.state, n.history, n.outcomes, n.revision, n.code, n.detail, n.state_at, n.state_by
      from old_campaign o join new_campaign n on n.id = o.id
     where n.state <> o.state),
  noted as (
    insert into campaign_history (campaign, sequence, from_state, to_state, code, detail, at, by)
    select id, history, old_state, state, code, detail, state_at, state_by from moved),
  touched as (
    -- A campaign without one send ends too.
    insert into campaign_touched (campaign) select id from moved where state in ('planned', 'awaiting-approval', 'canceling'))
  insert into send_event (position, at, campaign, kind, sequence, shard, revision, to_state, code, detail)
  select event_position(campaign_shard(id)), state_at, id, 'campaign.' || state, outcomes, campaign_shard(id), revision,
         state, code, detail
    from moved where not campaign_ends_with_sums(state);
  if found then perform pg_notify('carillon_publish', ''); end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.claim_closes(at timestamp with time zone, most integer, again_at timestamp with time zone)
 RETURNS TABLE(id uuid, service_id text, campaign uuid, revision integer, occurrence text, cell text, chunk integer, retries integer, released integer, attempts integer, mode text, due_ms double precision, handed_off_ms double precision)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
#variable_conflict use_column
declare
  ids uuid[];
begin
  select array_agg(d.id order by d.id) into ids from project p cross join lateral (
    select s.id from send_open s
     where s.service_id = p.service_id and s.work = 'r' and s.next_at <= at and coalesce(s.handed_off_at, '-infinity') >= p.keys_since
     order by s.next_at, s.chunk, s.id limit most) d
   where (p.blocked_until is null or p.blocked_until <= at or p.blocked_code = 'STOPPED')
     and p.extensions @> array['close-key', 'idempotency-key'];
  if ids is null then return; end if;
  return query
  update send s set next_at = again_at from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'uncertain' and s.request_id is null and s.next_at <= at
  returning s.id, s.service_id, s.campaign, s.revision, s.occurrence, s.cell, s.chunk, s.retries, s.released, s.attempts, s.mode,
            epoch_ms(s.due_at), epoch_ms(coalesce(s.handed_off_at, s.state_at));
end $function$;

CREATE OR REPLACE FUNCTION scheduler.count_sends(campaigns uuid[], since timestamp with time zone, most integer)
 RETURNS TABLE(campaign uuid, state text, sends integer, looked integer)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  select c.id, n.state, n.sends, n.sends
    from unnest(campaigns) as c(id) cross join lateral (
      select s.state, count(*)::integer as sends from (
        select case when next_send is null then state end as state from send
         where campaign = c.id and ended_at >= since order by occurrence, cell, chunk limit most) s
       group by s.state) n
  union all select g.campaign, g.state, g.sends::integer, 0 from send_gone g where g.campaign = any(campaigns);
end $function$;

CREATE OR REPLACE FUNCTION scheduler.cursor_gaps(done int8multirange)
 RETURNS TABLE(low bigint, high bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select lower(gap), coalesce(upper(gap), 9223372036854775807) from unnest('{(,)}'::int8multirange - done) as gap
$function$;

CREATE OR REPLACE FUNCTION scheduler.due_repeats(at timestamp with time zone, most integer, without text[])
 RETURNS TABLE(id uuid, service_id text, campaign uuid, revision integer, attempts integer)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  select d.* from project p cross join lateral (
    select s.id, s.service_id, s.campaign, s.revision, s.attempts from send_repeat s
     where s.service_id = p.service_id and s.work = 'r' and s.next_at <= at and coalesce(s.handed_off_at, '-infinity') >= p.keys_since
       and may_repeat(s.wanted, s.repeat_until, s.mode, s.due_at, at)
     order by s.next_at, s.chunk, s.id limit most) d
   where (p.blocked_until is null or p.blocked_until <= at) and 'idempotency-key' = any(p.extensions)
     and 'close-key' <> all(p.extensions)
     and p.service_id <> all(without);
end $function$;

CREATE OR REPLACE FUNCTION scheduler.end_attempts(the_ends attempt_end[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
begin
  update send s set attempt_ended_at = g.ended_at, request_sent = g.request_sent, http_status = g.http_status,
         error_code = case when send_state_is_awaited(s.state) then g.error_code else 'ANSWER_AFTER_RESOLVE' end,
         answer = g.answer, outcome = g.outcome,
         next_at = case when s.state = 'uncertain' then coalesce(g.next_at, s.next_at) else s.next_at end
    from unnest(the_ends) as g
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.attempts = g.attempt and s.outcome is null;
  -- If the send was fired again meanwhile, this attempt is in the table attempt.
  update attempt a set ended_at = g.ended_at, request_sent = g.request_sent, http_status = g.http_status,
         error_code = g.error_code, answer = g.answer, outcome = g.outcome
    from unnest(the_ends) as g
   where a.send = any(array[g.id]) and a.send_ended_at = 'infinity' and a.attempt = g.attempt and a.ended_at is null;
  perform end_late_attempt(g) from unnest(the_ends) as g
    where not exists (select from send_open s where s.id = any(array[g.id]));
end $function$;

CREATE OR REPLACE FUNCTION scheduler.end_late_attempt(late attempt_end)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_seqscan TO 'off'
AS $function$
declare
  since timestamptz := ends_from(late.id);
begin
  update send s set attempt_ended_at = late.ended_at, request_sent = late.request_sent, http_status = late.http_status,
         error_code = 'ANSWER_AFTER_RESOLVE', answer = late.answer, outcome = late.outcome
   where s.id = late.id and s.ended_at >= since and s.attempts = late.attempt and s.outcome is null;
  update attempt a set ended_at = late.ended_at, request_sent = late.request_sent, http_status = late.http_status,
         error_code = late.error_code, answer = late.answer, outcome = late.outcome
   where a.send = late.id and a.send_ended_at >= since and a.attempt = late.attempt and a.ended_at is null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.ends_from(id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0 - 86400)
$function$;

CREATE OR REPLACE FUNCTION scheduler.epoch_ms(at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 STABLE
AS $function$
  select round(date_part('epoch', at) * 1e6) / 1e3
$function$;

CREATE OR REPLACE FUNCTION scheduler.event_position(shard smallint)
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select nextval(('{send_event_position_0,send_event_position_1,send_event_position_2,send_event_position_3,
    send_event_position_4,send_event_position_5,send_event_position_6,send_event_position_7,send_event_position_8,
    send_event_position_9,send_event_position_10,send_event_position_11,send_event_position_12,send_event_position_13,
    send_event_position_14,send_event_position_15}'::regclass[])[shard + 1])
$function$;

CREATE OR REPLACE FUNCTION scheduler.expire_held(at timestamp with time zone, most integer, the_default_beyond text, the_default_max_ms double precision)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare
  late uuid[];
  ended integer;
begin
  select l.ids into late
    from campaign_act k
    join occurrence o on o.campaign = k.campaign and act_holds(k.mark, k.occurrence, o.occurrence)
     and occurrence_state_is_open(o.state) and coalesce(o.last_due, '-infinity') < at
   -- Each revision is read once, and not for each send: data may be a megabyte. Those that end no send are left out.
   cross join lateral (
     select * from (
       select r.revision, to_timestamp((r.data #>> '{delivery,until}')::float8 / 1000) as until,
              case when coalesce(r.data #>> '{policy,lateness,beyond}', the_default_beyond) = 'expire'
                   then coalesce((r.data #>> '{policy,lateness,maxMs}')::float8, the_default_max_ms) * interval '1 millisecond' end as most_late
         from revision r where r.campaign = o.campaign offset 0) read
      where until is not null or most_late is not null) p
   cross join lateral (
     select array_agg(s.id order by s.id) as ids from (
       select s.id from send_open s
        where s.campaign = o.campaign and s.occurrence = o.occurrence and s.revision = p.revision and s.state = 'held'
          and case when s.due_at is null then p.until <= at else s.due_at + p.most_late < at end
        order by s.cell, s.chunk limit most) s) l
   where k.goal = 'held' and k.done_at is not null and l.ids is not null
   limit 1;
  update send s set state = 'expired', changes = s.changes + 1, code = case when s.due_at is null then 'UNTIL_PASSED' else 'LATE' end, detail = 'its time passed while it was held',
         state_at = at, state_by = 'acts', next_at = null
    from unnest(late) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'held';
  get diagnostics ended = row_count;
  return ended;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.fire_repeat(the_id uuid, the_attempts integer, at timestamp with time zone, by_replica uuid, again_at timestamp with time zone)
 RETURNS TABLE(attempt integer, released integer, occurrence text, cell text, chunk integer, retries integer, mode text, schedule_code text, due_ms double precision, recipients text[], target jsonb)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare before send;
begin
  select s.* into before from send s
   where s.id = the_id and s.ended_at = 'infinity' and s.state = 'uncertain' and s.request_id is null and s.attempts = the_attempts for no key update;
  if not found then return; end if;
  return query
  with fired as (
    update send s set attempts = s.attempts + 1, fired_by = by_replica, next_at = again_at, attempt_started_at = at,
           attempt_ended_at = null, request_sent = null, http_status = null, error_code = null, answer = null, outcome = null
     where s.id = the_id and s.ended_at = 'infinity'
       and (select may_repeat(w.wanted, w.repeat_until, w.mode, w.due_at, at) and (p.blocked_until is null or p.blocked_until <= at)
              from send_repeat w join project p on p.service_id = w.service_id where w.id = the_id)
    returning s.*)
  select f.attempts, f.released, f.occurrence, f.cell, f.chunk, f.retries, f.mode, f.schedule_code, (extract(epoch from f.due_at) * 1000)::float8, t.recipients, l.target
    from fired f join cell l on l.campaign = f.campaign and l.occurrence = f.occurrence and l.cell = f.cell
    left join send_recipients_open t on t.send = the_id;
  if found then perform keep_attempts(array[before]); end if;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.fire_sends(the_orders fire_order[], at timestamp with time zone, by_whom text, by_replica uuid, on_server text)
 RETURNS TABLE(id uuid, attempt integer, released integer, occurrence text, cell text, chunk integer, retries integer, recipients text[], target jsonb)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
#variable_conflict use_column
declare
  fired integer;
  before send[];
begin
  if on_server <> server_identity() then
    -- The caller tries again after an error of this class.
    raise exception 'the database server was restarted or replaced: sends are fired again after the search for lost commits'
      using errcode = 'serialization_failure', constraint = 'same_server';
  end if;
  if exists (select from unnest(the_orders) as g where g.attempts > 0) then
    select array_agg(l.s) into before
      from (select s from unnest(the_orders) as g join send s on s.id = any(array[g.id]) and s.ended_at = 'infinity'
             order by s.id for no key update of s) l;
  end if;
  return query
  with fired as (
    update send s set state = 'sending', changes = s.changes + 1, code = null, detail = null, state_at = g.at, state_by = by_whom,
           mode = g.mode, mode_rule = g.mode_rule, due_at = coalesce(g.due_at, s.due_at),
           attempts = s.attempts + 1, fired_by = by_replica, handed_off_at = g.at, attempt_started_at = null, attempt_ended_at = null,
           request_sent = null, http_status = null, error_code = null, answer = null, outcome = null
      from unnest(the_orders) as g
     where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'planned' and s.attempts = g.attempts and s.revision = g.revision
       and (select p.blocked_until is null or p.blocked_until <= fire_sends.at from project p where p.service_id = s.service_id)
       and (select not exists (
              select from campaign_act k
               where k.campaign = s.campaign and act_holds(k.mark, k.occurrence, s.occurrence) and k.goal is not null))
    returning s.id, s.attempts, s.released, s.campaign, s.occurrence, s.cell, s.chunk, s.retries)
  select f.id, f.attempts, f.released, f.occurrence, f.cell, f.chunk, f.retries, r.recipients, c.target
    from fired f
   cross join lateral (select c.target from cell c where c.campaign = f.campaign and c.occurrence = f.occurrence and c.cell = f.cell limit 1) c
    left join lateral (select r.recipients from send_recipients_open r where r.send = f.id limit 1) r on true;
  get diagnostics fired = row_count;
  if before is not null then
    perform keep_attempts(array_agg(b)) from unnest(before) b join send_open s on s.id = any(array[b.id]) and s.attempts > b.attempts;
  end if;
  if fired = cardinality(the_orders) then return; end if;
  with free as materialized (
    select o.id, k.goal, k.code, k.detail, k.asked_by
      from unnest(the_orders) as g
      join send_open o on o.id = any(array[g.id]) and o.state = 'planned' and o.attempts = g.attempts
      cross join lateral (
        select k.goal, k.code, k.detail, k.asked_by from campaign_act k
         where k.campaign = o.campaign and act_holds(k.mark, k.occurrence, o.occurrence) and k.goal is not null
         order by goal_rank(k.goal) desc, k.occurrence nulls first limit 1 for share of k skip locked) k
       for no key update of o skip locked)
  update send s set state = f.goal, changes = s.changes + 1, code = f.code, detail = f.detail, state_at = fire_sends.at,
         state_by = f.asked_by, next_at = null
    from free f where s.id = any(array[f.id]) and s.ended_at = 'infinity';
end $function$;

CREATE OR REPLACE FUNCTION scheduler.goal_rank(goal text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(array_position(array['held', 'superseded', 'canceled'], goal), 0)
$function$;

CREATE OR REPLACE FUNCTION scheduler.grant_reports()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if to_regrole('carillon_report') is null then
    return;
  end if;
  execute format('grant usage on schema %I to carillon_report', current_schema());
  grant select on report_breakdown, report_campaign, report_cell, report_lateness, report_send to carillon_report;
  grant execute on function uuid_floor, bound_at to carillon_report;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.keep_attempts(those send[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into attempt (send, send_ended_at, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome)
  select s.id, s.ended_at, s.attempts, 'send', coalesce(s.attempt_started_at, s.handed_off_at),
         case when s.outcome is not null then coalesce(s.attempt_ended_at, s.answered_at) end,
         s.request_sent, s.http_status, s.error_code, s.answer, s.outcome
    from unnest(those) s
   where s.attempts > 0 and coalesce(s.attempt_started_at, s.handed_off_at) is not null
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION scheduler.kept_from(parent text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select min(p.low) from day_partition p where p.parent = kept_from.parent and isfinite(p.low) and not p.is_going
$function$;

CREATE OR REPLACE FUNCTION scheduler.lacking_sends(of_campaign uuid, due_from timestamp with time zone, due_to timestamp with time zone, ended text[])
 RETURNS TABLE(id uuid, weight integer, living boolean, service_id text, campaign uuid, occurrence text, cell text, state text, code text, mode text, ended_at timestamp with time zone, retry_of uuid, next_send uuid, request_id text, intended_at timestamp with time zone, due_at timestamp with time zone, first_due timestamp with time zone, handed_off_at timestamp with time zone, answered_at timestamp with time zone, complete_time timestamp with time zone, target_count integer, sent_count integer)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
begin
  if exists (select from rollup_open) or exists (select from rollup_retry) or exists (
    select from outcome_cursor c cross join cursor_gaps(c.done) gap
     cross join lateral (select format('send_event_position_%s', c.shard)::regclass) as s(positions)
     where c.consumer = 'rollup' and gap.low <= case when has_sequence_privilege(s.positions, 'select, usage')
                           then coalesce(pg_sequence_last_value(s.positions), 0) else gap.low end) then
    return query
    with pending as materialized (
      select e.send, case when e.to_state = any(ended) then 1 else 0 end as weight
        from outcome_cursor c cross join cursor_gaps(c.done) as gap cross join lateral (
          select e.send, e.to_state from send_event e
           where e.shard = c.shard and e.position >= gap.low and e.position < gap.high order by e.position) e
       where c.consumer = 'rollup' and (of_campaign is null or c.shard = campaign_shard(of_campaign))
         and e.send is not null and (e.to_state = any(ended) or e.to_state = 'uncertain')
      union all
      select case n.weight when -1 then r.send_of else r.send end, n.weight from rollup_retry r, (values (-1), (0)) n(weight)
       where of_campaign is null or r.shard = campaign_shard(of_campaign)),
    named as materialized (
      select p.send as id, sum(p.weight)::integer as weight, false as living
        from pending p where p.weight <> 0 group by p.send having sum(p.weight) <> 0
      union all select f.send, 1, true from (
        select o.send from rollup_open o union select p.send from pending p where p.weight = 0) f)
    select s.id, n.weight, n.living, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.code,
           s.mode, s.ended_at, s.retry_of, s.next_send, s.request_id, s.intended_at, s.due_at,
           s.first_due, s.handed_off_at, s.answered_at, s.complete_time, s.target_count, s.sent_count
      from named n cross join lateral (select s.* from send s where s.id = n.id and s.ended_at >= ends_from(n.id) limit 1) s
     where not (n.living and (s.campaign, s.occurrence) in (
       select o.campaign, o.occurrence from open_occurrences(of_campaign, due_from, due_to) o));
  end if;
  return query
  select null::uuid, s.sends, true, s.service_id, o.campaign, o.occurrence, s.cell, s.state, s.code,
         s.mode, 'infinity'::timestamptz, s.retry_of, null::uuid, s.request_id, s.minute - coalesce(s.deferred, interval '0'), s.minute,
         null::timestamptz, null::timestamptz, s.minute + s.answered, s.minute + s.completed, s.target_count, s.sent_count
    from open_occurrences(of_campaign, due_from, due_to) o cross join lateral (
      select s.cell, s.state, s.code, s.mode, date_bin('1 minute', d.due, 'epoch') as minute, s.target_count, s.sent_count,
             s.retry_of is null, s.request_id is null,
             case when d.due > s.intended_at then d.due - s.intended_at end as deferred,
             case when s.mode = 'immediate' then s.answered_at - d.due end as answered,
             s.complete_time - d.due as completed,
             count(*)::integer as sends, any_value(s.service_id) as service_id, any_value(s.retry_of) as retry_of, any_value(s.request_id) as request_id
        from send_open s cross join lateral (values (coalesce(s.first_due, s.due_at))) d(due)
       where s.campaign = o.campaign and s.occurrence = o.occurrence
       group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) s;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.mark_lost_fires(the_fires lost_fire[], the_code text, the_detail text, at timestamp with time zone, by_whom text, by_replica uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare before send[];
begin
  select array_agg(l.s) into before
    from (select s from unnest(the_fires) as g
            join send s on s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.attempts < g.attempt and s.state in ('planned', 'sending', 'uncertain')
           order by s.id for no key update of s) l;
  if before is null then return 0; end if;
  perform keep_attempts(before);
  update send s set state = 'sending', changes = s.changes + 1, code = null, detail = null, state_at = g.fired_at, state_by = by_whom
    from unnest(before) b join unnest(the_fires) as g on g.id = b.id
   where b.state = 'planned' and s.id = any(array[b.id]) and s.ended_at = 'infinity';
  update send s set state = 'uncertain', changes = s.changes + case b.state when 'uncertain' then 0 else 1 end,
         code = the_code, detail = the_detail, state_at = at, state_by = by_whom, attempts = g.attempt, fired_by = by_replica,
         handed_off_at = g.fired_at, attempt_started_at = null, attempt_ended_at = null, request_sent = null,
         http_status = null, error_code = null, answer = null, outcome = null,
         request_id = coalesce(g.request_id, s.request_id), next_at = g.next_at, polls = 0
    from unnest(before) b
    join unnest(the_fires) as g on g.id = b.id
   where s.id = any(array[b.id]) and s.ended_at = 'infinity';
  return cardinality(before);
end $function$;

CREATE OR REPLACE FUNCTION scheduler.may_repeat(wanted boolean, repeat_until timestamp with time zone, mode text, due_at timestamp with time zone, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select case when wanted then repeat_until is null or at <= repeat_until
              else mode = 'reserved' and due_at > at + interval '2 minutes' end
$function$;

CREATE OR REPLACE FUNCTION scheduler.move_sends(the_moves send_move[], at timestamp with time zone, by_whom text)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare moved integer;
begin
  update send s set state = g.to_state, changes = s.changes + 1, code = g.code, detail = g.detail,
         state_at = at, state_by = by_whom,
         request_id = coalesce(g.request_id, s.request_id), next_at = g.next_at, polls = 0
    from unnest(the_moves) as g
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = g.from_state
     and (g.attempts is null or s.attempts = g.attempts) and (g.to_state <> 'planned' or s.goal is null);
  get diagnostics moved = row_count;
  return moved;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.move_with_ended(the_ends ended_send[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
begin
  if the_ends is null then return; end if;
  delete from send_recipients r using unnest(the_ends) as g
   where r.send = any(array[g.id]) and r.send_ended_at = 'infinity' and not g.retryable;
  if exists (select from unnest(the_ends) as g where g.retryable) then
    update send_recipients r set send_ended_at = g.ended_at from unnest(the_ends) as g
     where r.send = any(array[g.id]) and r.send_ended_at = 'infinity';
  end if;
  update send_note n set send_ended_at = g.ended_at from unnest(the_ends) as g
   where n.send = any(array[g.id]) and n.send_ended_at = 'infinity';
  update attempt a set send_ended_at = g.ended_at from unnest(the_ends) as g
   where a.send = any(array[g.id]) and a.send_ended_at = 'infinity';
end $function$;

CREATE OR REPLACE FUNCTION scheduler.next_poll(at timestamp with time zone, the_work "char", slice_index integer, slice_of integer)
 RETURNS double precision
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  return (
    select ceil(epoch_ms(min(head.next_at)))
      from project p cross join lateral (
        (select s.next_at from send_open s
          where s.service_id = p.service_id and s.work = the_work and s.next_at > at
            and (uuid_hash(s.id) & 2147483647) % slice_of = slice_index
          order by s.next_at, s.chunk, s.id limit 1)
        union all
        (select s.next_at + interval '1 second' from send_open s
          where slice_of > 1 and s.service_id = p.service_id and s.work = the_work and s.next_at > at - interval '1 second'
            and (uuid_hash(s.id) & 2147483647) % slice_of <> slice_index
          order by s.next_at, s.chunk, s.id limit 1)) head
     where p.blocked_until is null or p.blocked_until <= at or p.blocked_code = 'STOPPED');
end $function$;

CREATE OR REPLACE FUNCTION scheduler.note_cancels(the_calls jsonb, written uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  since timestamptz := (select min(c.ended_at) - interval '1 day' from jsonb_to_recordset(the_calls) as c(ended_at timestamptz));
begin
  with called as materialized (
    select * from jsonb_to_recordset(the_calls)
      as c(id uuid, started_at timestamptz, ended_at timestamptz, request_sent boolean, http_status integer,
           error_code text, answer text, outcome text)),
  made as materialized (
    select c.*, s.ended_at as send_ended_at, s as before from called c join send s on s.id = c.id and s.ended_at >= since
     where c.id = any(written)
        or coalesce(s.work, '-') not in ('f', 'r', 'u')
           and not exists (select from attempt a where a.send = c.id and a.send_ended_at >= since and a.kind = 'cancel' and a.started_at = c.started_at)
       for no key update of s skip locked),
  kept as materialized (select keep_attempts(array_agg(m.before)) from made m),
  noted as (
    update send s set attempts = s.attempts + 1 from made m cross join kept where s.id = m.id and s.ended_at >= since
    returning s.attempts, m.*)
  insert into attempt (send, send_ended_at, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome)
  select n.id, n.send_ended_at, n.attempts, 'cancel', n.started_at, n.ended_at, n.request_sent, n.http_status, n.error_code, n.answer,
         n.outcome
    from noted n;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.occurrence_state_is_open(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('planned', 'running', 'canceling')
$function$;

CREATE OR REPLACE FUNCTION scheduler.occurrence_write_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform write_campaign_event(new.campaign, 'occurrence.completed', null, new.occurrence, new.state_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.open_occurrences(of_campaign uuid, due_from timestamp with time zone, due_to timestamp with time zone)
 RETURNS TABLE(campaign uuid, occurrence text)
 LANGUAGE sql
 STABLE
AS $function$
  select o.campaign, o.occurrence from occurrence o
   where occurrence_state_is_open(o.state) and (of_campaign is null or o.campaign = of_campaign)
     and (due_from is null or o.last_due is null or o.last_due >= due_from - interval '2 days')
     and (due_to is null or o.first_due is null or o.first_due < due_to + interval '2 days')
$function$;

CREATE OR REPLACE FUNCTION scheduler.outcome_cursor_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from outcome_cursor_turn t where t.consumer = old.consumer and t.shard = old.shard and t.turn = old.turn;
  insert into outcome_cursor_turn (consumer, shard, turn, done, hole_top, hole_xmax)
  values (old.consumer, old.shard, old.turn + 1, new.done, new.hole_top, new.hole_xmax);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.overdue_sends(at timestamp with time zone, since timestamp with time zone, most integer)
 RETURNS TABLE(service_id text, sends integer, oldest timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  select p.service_id, d.sends, d.oldest from project p cross join lateral (
    select count(*)::integer as sends, min(next_at) as oldest from (
      select s.next_at from send_open s
       where s.service_id = p.service_id and s.work = 'f' and s.state = 'planned' and s.next_at <= since
       order by s.next_at, s.chunk, s.id limit most) s) d
   where d.sends > 0 and (p.blocked_until is null or p.blocked_until <= at);
end $function$;

CREATE OR REPLACE FUNCTION scheduler.page_of_campaign(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer)
 RETURNS TABLE(seen integer, ids uuid[], last_occurrence text, last_cell text, last_chunk integer)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
 SET enable_bitmapscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  with page as materialized (
    select s.occurrence, s.cell, s.chunk, s.id from send_open s
     where s.campaign = of_campaign and (of_occurrence is null or s.occurrence = of_occurrence)
       and (after_occurrence is null or (s.occurrence, s.cell, s.chunk) > (after_occurrence, after_cell, after_chunk))
     order by s.occurrence, s.cell, s.chunk limit most)
  select (select count(*)::integer from page), (select array_agg(p.id order by p.id) from page p), l.occurrence, l.cell, l.chunk
    from (select) one
    left join (select p.* from page p order by p.occurrence desc, p.cell desc, p.chunk desc limit 1) l on true;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.put_back_sends(the_sends put_back[], at timestamp with time zone, by_whom text)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare settled integer;
begin
  update send s set state = g.state, changes = s.changes + case g.state when 'planned' then 0 else 1 end,
         code = g.code, detail = g.detail,
         state_at = case when g.state = 'planned' and g.code is not distinct from s.code then s.state_at else at end,
         state_by = case when g.state = 'planned' and g.code is not distinct from s.code then s.state_by else by_whom end,
         next_at = case g.state when 'planned' then coalesce(g.hand_off_at, s.next_at) end,
         mode = coalesce(g.mode, s.mode), mode_rule = coalesce(g.mode_rule, s.mode_rule), due_at = coalesce(g.due_at, s.due_at)
    from unnest(the_sends) as g
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'planned' and s.attempts = g.attempts and s.changes = g.changes;
  get diagnostics settled = row_count;
  return settled;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.read_log(the_consumer text, the_shards smallint[], rows_of_shard integer, most integer, most_ranges integer)
 RETURNS TABLE(shard smallint, turn bigint, waits boolean, fill_to bigint, restored boolean, event send_event)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  with mine as materialized (
    select c.shard, c.done, w.turn,
           nullif((select count(*) from unnest(c.done)) > most_ranges, false) as waits,
           nullif(c.hole_xmax >= pg_snapshot_xmax(pg_current_snapshot()), false) as restored,
           case when c.hole_xmax <= pg_snapshot_xmin(pg_current_snapshot())
                 and c.hole_xmax < pg_snapshot_xmax(pg_current_snapshot()) then c.hole_top end as fill_to
      from unnest(the_shards) with ordinality as w(shard, turn)
     cross join lateral (select c.* from outcome_cursor c where c.consumer = the_consumer and c.shard = w.shard limit 1) c)
  select m.shard, m.turn, m.waits, m.fill_to, m.restored, e.event from mine m left join lateral (
    select e.event, e.position from cursor_gaps(m.done) as gap cross join lateral (
      select e as event, e.position from send_event e
       where e.shard = m.shard and e.position >= gap.low and e.position < gap.high
       order by e.position limit rows_of_shard) e
     where m.waits is null or gap.high < 9223372036854775807
     order by e.position limit rows_of_shard) e on true
   order by m.turn, e.position
   limit most;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.read_outcomes(the_shards smallint[], rows_of_shard integer, most integer, most_bytes bigint, most_ranges integer)
 RETURNS TABLE(shard smallint, waits boolean, fill_to bigint, restored boolean, seen bigint, "position" bigint, id text, kind text, at timestamp with time zone, sequence integer, "from" text, state text, code text, detail text, send uuid, cell text, chunk integer, "retryOf" uuid, zone text, occurrence text, revision integer, "dueAt" timestamp with time zone, "requestId" text, campaign uuid, "campaignId" text, "serviceId" text, problems jsonb, "targetCount" bigint, "sentCount" bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  with ahead as materialized (
    select l.shard as of_shard, l.turn, l.waits, l.restored, l.fill_to, (l.event).*
      from read_log('publish', the_shards, rows_of_shard, most, most_ranges) l),
  counted as materialized (
    select a.*, r.reasons, count(a.position) over () as seen,
           sum(1000 + coalesce(octet_length(a.detail), 0) + coalesce(octet_length(r.reasons::text), 0))
             over (order by a.turn, a.position rows unbounded preceding)
           - 1000 - coalesce(octet_length(a.detail), 0) - coalesce(octet_length(r.reasons::text), 0) as before
      from ahead a left join revision r on a.kind in ('campaign.rejected', 'campaign.revision-rejected') and r.campaign = a.campaign and r.revision = a.revision)
  select e.of_shard, e.waits, e.fill_to, e.restored, e.seen,
         e.position, coalesce(e.send, c.id) || ':' || e.sequence, coalesce(e.kind, 'send.' || e.to_state), e.at, e.sequence,
         e.from_state, e.to_state, e.code, e.detail,
         e.send, s.cell, s.chunk, s.retry_of, l.zone, coalesce(s.occurrence, e.occurrence), coalesce(s.revision, e.revision),
         case when send_state_is_volatile(e.to_state) then e.due_at else s.due_at end,
         case when send_state_is_volatile(e.to_state) then e.request_id else s.request_id end,
         c.id, c.campaign_id, c.service_id, e.reasons,
         case when e.send is null then e.target_count
              when send_state_is_ended(e.to_state) then s.target_count end,
         case when e.send is null then e.sent_count
              when send_state_is_ended(e.to_state) then s.sent_count end
    from counted e
    left join lateral (select s.* from send s where s.id = e.send and s.ended_at >= e.at - interval '1 day' limit 1) s on true
    left join lateral (select c.* from campaign c where c.id = coalesce(e.campaign, s.campaign) limit 1) c on true
    left join lateral (select l.zone from cell l
                        where l.campaign = s.campaign and l.occurrence = s.occurrence and l.cell = s.cell limit 1) l on true
   where e.before < most_bytes
   order by e.turn, e.position;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.read_work(asked jsonb, the_pages jsonb, of_others jsonb, the_held uuid[])
 RETURNS TABLE(id uuid, service_id text, kind text, next_ms double precision, chunk integer, campaign uuid, revision integer, state text, goal text, mode text, mode_rule text, detail text, schedule_code text, request_id text, intended_ms double precision, due_ms double precision, handed_off_ms double precision, state_ms double precision, attempts integer, polls integer, changes integer, by_hand boolean, zone text, until_ms double precision, is_test boolean)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
declare
  ask record;
begin
  select to_timestamp(a.now / 1000) as at, to_timestamp(a."upTo" / 1000) as up_to, to_timestamp(a."lateUpTo" / 1000) as late_up_to,
         a.work, a."limit" as most, a.round, (a.slice->>'index')::integer as slice_index, (a.slice->>'of')::integer as slice_of
    into ask
    from jsonb_to_record(asked) as a(now float8, "upTo" float8, "lateUpTo" float8, work "char", "limit" integer, round bigint, slice jsonb);
  return query
  with room as materialized (
    select p.service_id, (p.page->>'room')::integer as room, to_timestamp((p.page->'late'->>'at')::float8 / 1000) as late_at,
           coalesce((p.page->'late'->>'chunk')::integer, 2147483647) as late_chunk, (p.page->'late'->>'id')::uuid as late_id,
           to_timestamp((p.page->'fresh'->>'at')::float8 / 1000) as fresh_at,
           coalesce((p.page->'fresh'->>'chunk')::integer, 2147483647) as fresh_chunk, (p.page->'fresh'->>'id')::uuid as fresh_id
      from (select p.service_id, p.weight, p.blocked_until, p.blocked_code, coalesce(the_pages -> p.service_id, of_others) as page
              from project p where of_others is not null
            union all
            select p.service_id, p.weight, p.blocked_until, p.blocked_code, e.value
              from jsonb_each(the_pages) e join project p on p.service_id = e.key where of_others is null) p
     -- Not of a blocked project. But sends that left before an operator stopped a project are followed and cancelled.
     where (p.blocked_until is null or p.blocked_until <= ask.at or (ask.work <> 'f' and p.blocked_code = 'STOPPED'))
       and (p.page->>'room')::integer > 0
     -- A draw each round: a project of weight w comes before another of weight 1 in w of w + 1 rounds.
     order by -ln(((hashtextextended(p.service_id, ask.round) & 9007199254740991)::float8 + 0.5) / 9007199254740992) / p.weight),
  -- "not in" hashes the held ids once: "<> all" of an array that is a parameter would compare every row with all of them.
  fresh as materialized (
    select d.* from room cross join lateral (
      select s.* from send_open s
       where s.service_id = room.service_id and s.work = ask.work and (ask.work <> 'f' or s.state = 'planned')
         and (s.next_at, s.chunk, s.id) > (room.fresh_at, room.fresh_chunk, room.fresh_id) and s.next_at <= ask.up_to
         and (uuid_hash(s.id) & 2147483647) % ask.slice_of = ask.slice_index and s.id not in (select unnest(the_held))
       order by s.next_at, s.chunk, s.id limit room.room) d
     limit ask.most),
  -- As one object that each project looks into: counting for each project would read all rows as often as there are projects.
  fresh_of as materialized (
    select jsonb_object_agg(f.service_id, f.count) as counts from (select f.service_id, count(*) from fresh f group by f.service_id) f),
  late as materialized (
    select d.* from room cross join fresh_of
     cross join lateral (
       select greatest((room.room + 1) / 2, room.room - coalesce((fresh_of.counts ->> room.service_id)::integer, 0)) as room) l
     cross join lateral (
       select w.*, (uuid_hash(w.id) & 2147483647) % ask.slice_of <> ask.slice_index as is_others from (
         -- So many that about as much as there is room for is of our slice: a hash spreads evenly.
         select s.* from send_open s
          where s.service_id = room.service_id and s.work = ask.work and (ask.work <> 'f' or s.state = 'planned')
            and (s.next_at, s.chunk, s.id) > (room.late_at, room.late_chunk, room.late_id) and s.next_at <= ask.late_up_to
            and (of_others is not null or (uuid_hash(s.id) & 2147483647) % ask.slice_of = ask.slice_index)
            and s.id not in (select unnest(the_held))
          order by s.next_at, s.chunk, s.id limit ask.slice_of * l.room) w
        order by is_others, w.next_at, w.chunk, w.id limit l.room) d
     limit greatest((ask.most + 1) / 2, ask.most - (select count(*) from fresh))),
  late_of as materialized (
    select jsonb_object_agg(l.service_id, l.count) as counts from (select l.service_id, count(*) from late l group by l.service_id) l),
  -- A few of the newest late sends as well, if there are more than were read and these are of another campaign.
  newest as materialized (
    select d.* from room cross join late_of cross join lateral (
      select s.* from send_open s
       where of_others is not null
         and s.service_id = room.service_id and s.work = ask.work and (ask.work <> 'f' or s.state = 'planned')
         and (s.next_at, s.chunk, s.id) > (room.late_at, room.late_chunk, room.late_id) and s.next_at <= ask.late_up_to
         and s.id not in (select unnest(the_held))
       order by s.next_at desc, s.chunk desc, s.id desc limit least(64, (room.room + 3) / 4)) d
     where d.campaign not in (select l.campaign from late l)
       and (coalesce((late_of.counts ->> room.service_id)::integer, 0) >= (room.room + 1) / 2
            or (select count(*) from late) >= (ask.most + 1) / 2))
  select s.id, s.service_id, s.kind, epoch_ms(s.next_at), s.chunk, s.campaign, s.revision, s.state, s.goal,
         s.mode, s.mode_rule, s.detail, s.schedule_code, s.request_id, epoch_ms(s.intended_at), epoch_ms(s.due_at),
         epoch_ms(coalesce(s.handed_off_at, s.created_at)), epoch_ms(s.state_at), s.attempts, s.polls, s.changes, s.retry_of is not null,
         case when s.work = 'f' then
           (select c.zone from cell c where c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell) end,
         case when s.work <> 'f' and s.mode = 'scheduled' then
           (select (r.data->'delivery'->>'until')::float8 from revision r where r.campaign = s.campaign and r.revision = s.revision) end,
         s.occurrence like 'test-%'
    from (select f.*, false as is_others, 'fresh' as kind from fresh f
          union all select l.*, case when l.is_others then 'others' else 'late' end from late l
          union all select n.*, false, 'newest' from newest n) s;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.record_answers(the_answers recorded_answer[], by_whom text, at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare
  written integer;
  wanted uuid[];
begin
  with moved as (
    update send s set
           state = case when s.state = 'sending' and g.state = 'planned' then coalesce(s.goal, 'planned')
                        when s.state = 'uncertain' and g.state = 'rejected' then 'planned'
                        when g.state = 'failed' and s.goal is not null then 'planned' else g.state end,
           changes = s.changes + 1, code = g.code, detail = g.detail, state_at = g.answered_at, state_by = by_whom,
           answered_at = case when g.http_status is null then s.answered_at else g.answered_at end,
           attempt_ended_at = case when g.http_status is null then g.answered_at end, request_sent = g.request_sent,
           http_status = g.http_status, error_code = g.error_code, answer = g.answer, outcome = g.outcome,
           -- Its key was closed: the next request has another one.
           released = case when g.outcome = 'key-closed' then coalesce(s.released, 0) + 1 else s.released end,
           request_id = coalesce(g.request_id, s.request_id), gateway_status = coalesce(g.gateway_status, s.gateway_status),
           next_at = case when s.state = 'uncertain' and g.state = 'rejected' then g.answered_at else g.next_at end, polls = 0
      from unnest(the_answers) as g
     where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.attempts = g.attempt
       and (s.state = 'sending' or s.state = 'uncertain' and g.state <> 'uncertain')
    returning s.id, s.state, s.goal)
  select count(*), array_agg(m.id) filter (where m.goal is not null and m.state in ('planned', 'reserved', 'scheduled'))
    into written, wanted from moved m;
  if wanted is not null then
    -- A send that the push service has taken is cancelled there; one that was not sent comes to its goal.
    update send s set
           state = case s.state when 'planned' then s.goal else 'canceling' end, changes = s.changes + 1,
           state_at = at, state_by = by_whom, next_at = case s.state when 'planned' then null else at end
      from unnest(wanted) as g(id) where s.id = any(array[g.id]) and s.ended_at = 'infinity';
  end if;
  return written;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.record_polls(the_polls poll_row[], the_calls jsonb, by_whom text)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare
  written uuid[];
begin
  with moved as (
    update send s set
           state = case g."to" when 'goal' then coalesce(s.goal, 'canceled') else coalesce(g."to", s.state) end,
           changes = s.changes + case when g."to" is null then 0 else 1 end,
           -- The reason of its cancel stays, whatever the push service says meanwhile.
           code = case when coalesce(g."to", 'goal') = 'goal' then s.code else g.code end,
           detail = case when s.state = 'canceling' and coalesce(g."to", 'goal') = 'goal' then coalesce(g.detail, s.detail)
                         else g.detail end,
           state_at = case when g."to" is null then s.state_at else g.at end,
           state_by = case when g."to" is null then s.state_by else by_whom end,
           next_at = g.next_at, polls = g.polls,
           gateway_status = coalesce(g.gateway_status, s.gateway_status),
           target_count = coalesce(g.target_count, s.target_count), sent_count = coalesce(g.sent_count, s.sent_count),
           complete_time = coalesce(g.complete_time, s.complete_time),
           goal = case when g.drops_goal then null else coalesce(g.goal, s.goal) end
      from unnest(the_polls) as g
     where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.changes = g.changes and s.state = g."from"
       and (g."to" is not null or s.polls = g.polls_before)
    returning s.id, s.campaign, s.occurrence, s.mode, s.target_count, s.sent_count, g.at,
              num_nonnulls(g.target_count, g.sent_count) > 0 as has_counts),
  counted as (
    insert into standing_count (send, campaign, occurrence, day, target_count, sent_count, at)
    select m.id, m.campaign, m.occurrence, (m.at at time zone 'UTC')::date, m.target_count, m.sent_count, m.at
      from moved m where m.mode = 'scheduled' and m.has_counts
    on conflict (send, day) do update
       set target_count = excluded.target_count, sent_count = excluded.sent_count, at = excluded.at)
  select coalesce(array_agg(m.id), '{}') into written from moved m;
  if the_calls is not null then perform note_cancels(the_calls, written); end if;
  return cardinality(written);
end $function$;

CREATE OR REPLACE FUNCTION scheduler.release_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer, at timestamp with time zone, by_whom text, the_goal text)
 RETURNS TABLE(seen integer, moved integer, waits integer, last_occurrence text, last_cell text, last_chunk integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
#variable_conflict use_column
declare ids uuid[];
begin
  select p.seen, p.ids, p.last_occurrence, p.last_cell, p.last_chunk into seen, ids, last_occurrence, last_cell, last_chunk
    from page_of_campaign(of_campaign, of_occurrence, after_occurrence, after_cell, after_chunk, most) p;
  update send s set
         state = case when s.state = the_goal then 'planned' else s.state end, goal = null,
         changes = s.changes + case when s.state = the_goal then 1 else 0 end,
         code = case when s.state = the_goal then null else s.code end,
         detail = case when s.state = the_goal then null else s.detail end,
         state_at = case when s.state = the_goal then at else s.state_at end,
         state_by = case when s.state = the_goal then by_whom else s.state_by end,
         polls = case when s.state = the_goal then 0 else s.polls end,
         released = case when s.state = the_goal and s.request_id is not null then coalesce(s.released, 0) + 1 else s.released end,
         request_id = case when s.state = the_goal then null else s.request_id end,
         gateway_status = case when s.state = the_goal then null else s.gateway_status end,
         next_at = case when s.state = the_goal
                        then coalesce(s.due_at - (select greatest(c.due_at - c.hand_off_at, interval '0') from cell c
                                                   where c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell), at)
                        else s.next_at end
    from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity'
     and (s.state = the_goal or s.goal = the_goal and s.work is distinct from 'c')
     and not exists (select from campaign_act k
                      where k.campaign = s.campaign and act_holds(k.mark, k.occurrence, s.occurrence) and k.goal is not null);
  get diagnostics moved = row_count;
  -- After the update, and with what came to the goal beside it: an answer may have been committed while it waited for that row.
  select count(*)::integer into waits
    from unnest(ids) as g(id) join send_open s on s.id = any(array[g.id])
     and (s.state = the_goal or s.goal = the_goal and s.work = 'c')
   where not exists (select from campaign_act k
                      where k.campaign = s.campaign and act_holds(k.mark, k.occurrence, s.occurrence) and k.goal is not null);
  return next;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.rest_repeats(at timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare
  ids uuid[];
begin
  select array_agg(r.id) into ids from project p cross join lateral (
    select s.id from send_repeat s
     where s.service_id = p.service_id and s.work = 'r' and s.next_at <= at and s.repeat_until < at
     order by s.next_at, s.chunk, s.id limit most) r
   where not p.extensions @> array['close-key', 'idempotency-key'];
  update send s set next_at = null from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'uncertain' and s.next_at <= at;
  return coalesce(cardinality(ids), 0);
end $function$;

CREATE OR REPLACE FUNCTION scheduler.revise_page(of_campaign uuid, after_occurrence text, after_cell text, after_chunk integer, most integer, at timestamp with time zone, by_whom text, the_hold text, the_goal text, why text, more text, takes text[])
 RETURNS TABLE(seen integer, moved integer, waits integer, late integer, last_occurrence text, last_cell text, last_chunk integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
#variable_conflict use_column
declare
  -- The page; those of it that stay in it; the sends in their place; and of the sends that are replaced, by which of the page.
  page uuid[];
  waiting uuid[];
  sends uuid[];
  taken uuid[];
  lines uuid[];
  closed text[];
begin
  select count(*)::integer, array_agg(n.id), (array_agg(n.occurrence))[count(*)], (array_agg(n.cell))[count(*)], (array_agg(n.chunk))[count(*)]
    into seen, page, last_occurrence, last_cell, last_chunk
    from (select n.id, n.occurrence, n.cell, n.chunk from send_next n
           where n.campaign = of_campaign
             and (after_occurrence is null or (n.occurrence, n.cell, n.chunk) > (after_occurrence, after_cell, after_chunk))
           order by n.occurrence, n.cell, n.chunk limit most) n;
  select 0, 0, 0 into moved, waits, late;
  if seen = 0 then return next; return; end if;
  select coalesce(array_agg(o.occurrence) filter (where o.state <> all(takes)), '{}') into closed
    from (select o.occurrence, o.state from occurrence o
           where o.campaign = of_campaign and o.occurrence in (select n.occurrence from send_next n where n.id = any(page))
           order by o.occurrence for share) o;
  select array_agg(s.id order by s.id) into sends
    from send_next n
    join send_open s on s.campaign = n.campaign and s.occurrence = n.occurrence and s.cell = n.cell and s.chunk = n.chunk
   where n.id = any(page) and n.what <> 'new' and n.occurrence <> all(closed) and s.next_send is null;
  moved := take_back_sends(sends, at, by_whom, the_hold, why, more, null, null);
  select coalesce(array_agg(n.id), '{}') into waiting
    from unnest(sends) as g(id) join send_open s on s.id = any(array[g.id])
    join send_next n on n.campaign = s.campaign and n.occurrence = s.occurrence and n.cell = s.cell and n.chunk = s.chunk
   where send_state_is_replaceable(s.state) and not send_state_goes_back(s.state);
  waits := cardinality(waiting);
  if the_goal = the_hold then return next; return; end if;

  -- Nobody knows whether these went: if an answer proves that one did not, it comes to this goal, and nothing takes its place.
  update send s set goal = the_goal from unnest(sends) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and send_state_waits(s.state) and not send_state_is_replaceable(s.state)
     and goal_rank(s.goal) < goal_rank(the_goal);
  select array_agg(s.id order by s.id), array_agg(n.id order by s.id) into taken, lines
    from unnest(sends) as g(id) join send_open s on s.id = any(array[g.id])
    join send_next n on n.campaign = s.campaign and n.occurrence = s.occurrence and n.cell = s.cell and n.chunk = s.chunk
   where s.state = the_hold;
  -- Before the end of the sends that have them, with which they would be deleted.
  update send_recipients r set send = n.id, send_ended_at = case when send_state_is_ended(n.state) then at else 'infinity' end
    from unnest(taken, lines) as g(id, line)
    join send_next n on n.id = g.line and n.what = 'changed' and n.ids is null
     and (not send_state_is_ended(n.state) or send_state_is_retryable(n.state))
   where r.send = any(array[g.id]) and r.send_ended_at = 'infinity';
  update send s set state = the_goal, next_send = case n.what when 'changed' then n.id end, changes = s.changes + 1, code = why,
         detail = more, state_at = at, state_by = by_whom, next_at = null, goal = null
    from unnest(taken, lines) as g(id, line) join send_next n on n.id = g.line
   where s.id = any(array[g.id]) and s.ended_at = 'infinity';

  with placed as materialized (
    select n.* from send_next n
     where n.id = any(page) and (n.what = 'new' and n.occurrence <> all(closed) or n.what = 'changed' and n.id = any(lines))),
  counted as materialized (
    select p.occurrence, p.cell, count(*) filter (where p.what = 'new')::integer as more from placed p group by 1, 2),
  celled as (
    insert into cell as c (campaign, occurrence, cell, revision, zone, zone_source, segment, device_type, country, target, local_reading,
                           intended_at, due_at, hand_off_at, mode, mode_rule, verdicts, skipped_code, chunks, recipients)
    select k.campaign, k.occurrence, k.cell, k.revision, k.zone, k.zone_source, k.segment, k.device_type, k.country, k.target, k.local_reading,
           k.intended_at, k.due_at, k.hand_off_at, k.mode, k.mode_rule, k.verdicts, k.skipped_code, n.more, k.recipients
      from counted n join cell_next k on k.campaign = of_campaign and k.occurrence = n.occurrence and k.cell = n.cell
     order by k.occurrence, k.cell
    on conflict on constraint cell_pkey do update set revision = excluded.revision, target = excluded.target,
      local_reading = excluded.local_reading, intended_at = excluded.intended_at, due_at = excluded.due_at,
      hand_off_at = excluded.hand_off_at, mode = excluded.mode, mode_rule = excluded.mode_rule, verdicts = excluded.verdicts,
      skipped_code = excluded.skipped_code, recipients = excluded.recipients,
      chunks = c.chunks + excluded.chunks),
  addressed as (
    insert into send_recipients (send, send_ended_at, recipients)
    select p.id, case when send_state_is_ended(p.state) then at else 'infinity' end, p.ids
      from placed p
     where p.ids is not null and (not send_state_is_ended(p.state) or send_state_is_retryable(p.state))),
  sent as (
    insert into send (id, ended_at, recipients, service_id, campaign, revision, occurrence, cell, chunk, state, code, detail, mode, mode_rule,
                      schedule_code, intended_at, due_at, next_at, state_at, state_by, created_at)
    select p.id, case when send_state_is_ended(p.state) then at else 'infinity' end, p.recipients, p.service_id, p.campaign, p.revision,
           p.occurrence, p.cell, p.chunk, p.state, p.code, p.detail, p.mode, p.mode_rule, p.schedule_code, p.intended_at, p.due_at,
           p.next_at, at, p.state_by, at
      from placed p)
  select count(*) from placed into moved;
  -- A cell of which nothing is left was sent to nobody (send_write_history counts its chunks down).
  delete from cell c using send_next n
   where n.id = any(lines) and n.what <> 'changed'
     and c.campaign = n.campaign and c.occurrence = n.occurrence and c.cell = n.cell and c.chunks = 0;
  late := (select count(*)::integer from send_next n
            where n.id = any(page) and n.id <> all(waiting) and n.id <> all(coalesce(lines, '{}'))
              and (n.what in ('changed', 'gone') or n.what = 'new' and n.occurrence = any(closed)));
  delete from send_next n where n.id = any(page) and n.id <> all(waiting);
  moved := seen - waits - late;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.send_keep_newest()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_partition_pruning TO 'on'
AS $function$
begin
  if tg_op = 'INSERT' and exists (
       select from send o
        where o.id = new.retry_of and o.ended_at >= ends_from(new.retry_of) and o.next_send = new.id
          and o.campaign = new.campaign and o.occurrence = new.occurrence and o.cell = new.cell and o.chunk = new.chunk) then
    insert into rollup_retry (send, send_of, shard) values (new.id, new.retry_of, campaign_shard(new.campaign));
    return null;
  end if;
  raise exception 'another send took the place of send %', case tg_op when 'INSERT' then new.retry_of else new.id end
    using errcode = 'unique_violation', constraint = 'send_newest';
end $function$;

CREATE OR REPLACE FUNCTION scheduler.send_refuse_arrow(send uuid, from_state text, to_state text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'send % may not go from % to %', send, from_state, to_state
    using errcode = 'check_violation', constraint = 'send_transition';
end $function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_goes_back(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('planned', 'held')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_asked_back(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('reserved', 'scheduled')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_awaited(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('sending', 'uncertain')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_begun(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('accepted', 'reserved', 'scheduled', 'uncertain', 'sent', 'failed', 'empty', 'stale', 'rejected')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_born(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('planned', 'expired', 'skipped')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_ended(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('sent', 'failed', 'empty', 'stale', 'rejected', 'canceled', 'expired', 'skipped', 'superseded')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_published(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('accepted', 'reserved', 'scheduled', 'uncertain', 'sent', 'failed', 'empty', 'stale', 'rejected', 'canceled', 'expired', 'skipped', 'superseded')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_replaceable(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('planned', 'sending', 'reserved', 'scheduled', 'canceling', 'held')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_replaced(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('superseded')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_retryable(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('failed', 'stale', 'rejected', 'expired')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_unsent(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('canceled', 'expired', 'skipped', 'superseded')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_is_volatile(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('reserved', 'scheduled', 'uncertain')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_state_waits(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('sending', 'canceling', 'uncertain')
$function$;

CREATE OR REPLACE FUNCTION scheduler.send_to_day_of_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.ended_at := greatest(new.state_at, ends_from(new.id), old.state_at - interval '1 day');
  return new;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.send_write_birth()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from new_send where not send_state_is_born(state)) then
    raise exception 'a send does not begin in that state'
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  -- A retry opens its occurrence again: a closer that is just closing it sees the touch.
  insert into campaign_touched (campaign, occurrence) select distinct campaign, occurrence from new_send where retry_of is not null;
  insert into send_event (position, at, send, sequence, shard, to_state, code, detail)
  select event_position(campaign_shard(campaign)), state_at, id, changes, campaign_shard(campaign), state, code, detail
    from new_send where send_state_is_published(state);
  if not found then return null; end if;
  insert into campaign_touched (campaign, occurrence, published)
  select distinct campaign, occurrence, true from new_send where send_state_is_published(state);
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
  with moved as materialized (
    select n.id, n.campaign, n.occurrence, n.changes, n.code, n.detail, n.state_at, n.due_at, n.mode, n.request_id, n.state <> o.state as moved,
           case when n.state <> o.state and (t.to_state is null or n.changes <> o.changes + 1)
                then send_refuse_arrow(n.id, o.state, n.state) else n.state end as state,
           o.ended_at as old_ended_at, o.state as old_state, o.changes as old_changes, o.code as old_code, o.detail as old_detail, o.state_at as old_at,
           o.state_by as old_by, o.mode as old_mode, o.handed_off_at as old_handed_off_at, o.answered_at as old_answered_at,
           o.changes > 2 and (o.mode <> n.mode
             or o.handed_off_at is not null and o.handed_off_at is distinct from n.handed_off_at
             or o.answered_at is not null and o.answered_at is distinct from n.answered_at) as overwritten,
           o.code is null and o.detail is null and case o.changes
             when 1 then o.state = 'planned' and o.state_at = n.created_at and o.state_by = 'plan'
             when 2 then o.state = 'sending' and o.state_at = n.handed_off_at and o.state_by = 'dispatch'
             when 3 then o.state = case n.mode when 'immediate' then 'accepted' else n.mode end
                         and o.state_at = n.answered_at and o.state_by = 'dispatch'
             else false end is true as in_columns
      from old_send o join new_send n on n.id = o.id
      left join send_transition t on t.from_state = o.state and t.to_state = n.state
     where n.state <> o.state
        or o.changes > 2 and (o.mode <> n.mode
             or o.handed_off_at is not null and o.handed_off_at is distinct from n.handed_off_at
             or o.answered_at is not null and o.answered_at is distinct from n.answered_at)),
  noted as (
    insert into send_note (send, send_ended_at, sequence, to_state, code, detail, at, by)
    select id, old_ended_at, old_changes, old_state, old_code, old_detail, old_at, old_by from moved where moved and not in_columns
    union all
    select id, old_ended_at, 2, 'sending', null, null, old_handed_off_at, 'dispatch' from moved where overwritten and old_handed_off_at is not null
    union all
    select id, old_ended_at, 3, case old_mode when 'immediate' then 'accepted' else old_mode end, null, null, old_answered_at, 'dispatch'
      from moved where overwritten and old_changes > 3 and old_answered_at is not null
    on conflict do nothing),
  published as (
    insert into send_event (position, at, send, sequence, shard, from_state, to_state, code, detail, due_at, request_id)
    select event_position(campaign_shard(campaign)), state_at, id, changes, campaign_shard(campaign), old_state, state, code, detail,
           case when send_state_is_volatile(state) then due_at end,
           case when send_state_is_volatile(state) then request_id end
      from moved where moved and send_state_is_published(state))
  -- The closer then looks whether the campaign has begun or ended. A reservation placed ahead does not begin it. A send that was uncertain touches even if its new state is not
  -- published, because it opens its occurrence again: a closer that is just closing it sees the touch. A send that is taken touches
  -- even if its campaign already runs: the campaign's row does not show a closer that is ending it and has not committed yet.
  insert into campaign_touched (campaign, occurrence, published, began)
  select campaign, occurrence, bool_or(send_state_is_published(state)), bool_or(send_state_is_begun(state) and (mode <> 'reserved' or due_at <= state_at))
    from moved where moved and (old_state = 'uncertain' or send_state_is_published(state)) group by campaign, occurrence;
  if exists (select from new_send where ended_at < 'infinity') then
    perform move_with_ended(array_agg(row(n.id, n.ended_at, send_state_is_retryable(n.state))::ended_send))
       from old_send o join new_send n on n.id = o.id where o.ended_at = 'infinity' and n.ended_at < 'infinity';
    -- What a revision takes back without another send in its place is no request of its cell any more.
    if exists (select from new_send where send_state_is_replaced(state) and next_send is null) then
      update cell c set chunks = c.chunks - r.sends
        from (select n.campaign, n.occurrence, n.cell, count(*)::integer as sends from old_send o join new_send n on n.id = o.id
               where n.state <> o.state and send_state_is_replaced(n.state) and n.next_send is null group by 1, 2, 3) r
       where c.campaign = r.campaign and c.occurrence = r.occurrence and c.cell = r.cell;
    end if;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.server_identity()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select concat_ws('/', c.system_identifier,
           case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
           extract(epoch from pg_postmaster_start_time()), 'replica'::regclass::oid)
    from pg_control_system() c
$function$;

CREATE OR REPLACE FUNCTION scheduler.sum_newest_sends(the_places page_place[], most integer, open_states text[])
 RETURNS TABLE(place integer, seen integer, open uuid, expired boolean, nothing boolean, begun boolean, target double precision, sent double precision, gone integer, cell text, chunk integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  select w.place::integer, p.seen, p.open, p.expired or (w.cell is null and g.expired), p.nothing and (w.cell is not null or g.nothing),
         p.begun or (w.cell is null and g.begun), p.target + case when w.cell is null then g.target else 0 end,
         p.sent + case when w.cell is null then g.sent else 0 end, g.sends, p.cell, p.chunk
    from unnest(the_places) with ordinality as w(campaign, occurrence, cell, chunk, place)
    cross join lateral (
      select count(*)::integer as seen, (array_agg(n.id) filter (where n.state = any(open_states)))[1] as open,
             coalesce(bool_or(n.state = 'expired'), false) as expired,
             coalesce(bool_and(send_state_is_unsent(n.state)), true) as nothing,
             coalesce(bool_or(n.begun), false) as begun,
             coalesce(sum(n.target_count), 0)::float8 as target, coalesce(sum(n.sent_count), 0)::float8 as sent,
             (array_agg(n.cell))[count(*)] as cell, (array_agg(n.chunk))[count(*)] as chunk
        from ((select s.id, s.cell, s.chunk, s.state, s.target_count, s.sent_count,
                     s.handed_off_at is not null and (s.mode <> 'reserved' or s.due_at <= s.state_at) as begun from send s
                where w.cell is null and s.campaign = w.campaign and s.occurrence = w.occurrence and s.next_send is null
                order by s.cell desc, s.chunk desc limit most)
              union all
              (select s.id, s.cell, s.chunk, s.state, s.target_count, s.sent_count,
                     s.handed_off_at is not null and (s.mode <> 'reserved' or s.due_at <= s.state_at) as begun from send s
                where s.campaign = w.campaign and s.occurrence = w.occurrence and s.next_send is null
                  and (s.cell, s.chunk) < (w.cell, w.chunk)
                order by s.cell desc, s.chunk desc limit most)) n) p
    cross join lateral (
      select coalesce(sum(d.sends), 0)::integer as sends, coalesce(bool_or(d.state = 'expired'), false) as expired,
             coalesce(bool_and(send_state_is_unsent(d.state)), true) as nothing,
             coalesce(bool_or(d.handed_off), false) as begun,
             coalesce(sum(d.target), 0)::float8 as target, coalesce(sum(d.sent), 0)::float8 as sent
        from send_gone d where d.campaign = w.campaign and d.occurrence = w.occurrence) g;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.take_back_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer, at timestamp with time zone, by_whom text, the_goal text, why text, more text, the_mark text)
 RETURNS TABLE(seen integer, moved integer, waits integer, last_occurrence text, last_cell text, last_chunk integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
#variable_conflict use_column
declare ids uuid[];
begin
  select p.seen, p.ids, p.last_occurrence, p.last_cell, p.last_chunk into seen, ids, last_occurrence, last_cell, last_chunk
    from page_of_campaign(of_campaign, of_occurrence, after_occurrence, after_cell, after_chunk, most) p;
  moved := take_back_sends(ids, at, by_whom, the_goal, why, more, the_mark, of_occurrence);
  waits := 0;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.take_back_sends(ids uuid[], at timestamp with time zone, by_whom text, the_goal text, why text, more text, the_mark text, of_occurrence text)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_partition_pruning TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET seq_page_cost TO '1000000'
AS $function$
declare moved integer;
begin
  update send s set
         state = case when send_state_goes_back(s.state) then the_goal
                      when send_state_is_asked_back(s.state) then 'canceling' else s.state end,
         goal = case when send_state_goes_back(s.state) then null else the_goal end,
         changes = s.changes + case when send_state_waits(s.state) then 0 else 1 end,
         code = case when send_state_waits(s.state) and s.work is distinct from 'c' then s.code else why end,
         detail = case when send_state_waits(s.state) and s.work is distinct from 'c' then s.detail else more end,
         state_at = case when send_state_waits(s.state) then s.state_at else at end,
         state_by = case when send_state_waits(s.state) then s.state_by else by_whom end,
         polls = case when send_state_is_asked_back(s.state) then 0 else s.polls end,
         next_at = case when send_state_is_asked_back(s.state) then at
                        when send_state_goes_back(s.state) then null else s.next_at end
    from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and (the_mark is null or act_holds(the_mark, of_occurrence, s.occurrence))
     and (send_state_goes_back(s.state) and s.state <> the_goal or send_state_is_asked_back(s.state)
          or send_state_waits(s.state) and goal_rank(s.goal) < goal_rank(the_goal));
  get diagnostics moved = row_count;
  return moved;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.uuid_floor(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$function$;

CREATE OR REPLACE FUNCTION scheduler.work_due(at timestamp with time zone, up_to timestamp with time zone, since timestamp with time zone, near_until timestamp with time zone, the_loops text[], the_services text[], OUT due text[], OUT near text[])
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  -- Leases end by this clock. A variable, because a call of a volatile function cannot bound an index.
  real_now timestamptz := clock_timestamp();
  of_sends text[];
  the_consumer text;
  after timestamptz := coalesce(since, '-infinity');
begin
  due := '{}';
  if 'plan' = any(the_loops) and exists (
       select from campaign c
        where c.plan_at >= after and c.plan_at <= at and campaign_state_is_plannable(c.state)) then
    due := due || 'plan'::text;
  end if;
  if 'lookup' = any(the_loops) and exists (
       select from audience_lookup l
        where l.done_at is null and l.next_at <= at and (l.lease_until is null or l.lease_until < real_now)) then
    due := due || 'lookup'::text;
  end if;
  with asked as materialized (
    select p.service_id, p.blocked_until, p.blocked_code from project p where the_services is null
    union all
    select p.service_id, p.blocked_until, p.blocked_code from unnest(the_services) as g(service_id) join project p using (service_id)),
  head as materialized (
    select p.service_id, w.name,
           s.next_at <= w.until
           and (p.blocked_until is null or p.blocked_until <= at or (w.even_stopped and p.blocked_code = 'STOPPED')) as is_due
      -- Sends that left before an operator stopped a project are followed and cancelled.
      from asked p
      cross join (values ('dispatch', 'f'::"char", up_to, false), ('dispatch-repeat', 'r', at, false), ('follow', 'p', at, true),
                         ('cancel', 'c', at, true)) as w(name, work, until, even_stopped)
      cross join lateral (
        select s.next_at from send_open s
         where s.service_id = p.service_id and s.work = w.work and s.next_at > after and s.next_at <= greatest(w.until, near_until)
           and (w.work <> 'f' or s.state = 'planned')
         -- In the order of the index: without it PostgreSQL might read the primary key, and with it all sends.
         order by s.next_at, s.chunk, s.id limit 1) s
     where w.name = any(the_loops))
  select coalesce(array_agg(distinct h.name) filter (where h.is_due), '{}'), coalesce(array_agg(distinct h.service_id), '{}')
    into of_sends, near from head h;
  due := due || of_sends;
  if 'dispatch-recover' = any(the_loops) and exists (select from project p where p.blocked_until <= at) then
    due := due || 'dispatch-recover'::text;
  end if;
  -- Without since, the touches are read here; else the closer is always woken, because it knows how far to read over deleted ones.
  if 'close' = any(the_loops) and (since is not null or exists (select from campaign_touched)) then
    due := due || 'close'::text;
  end if;
  -- The consumers of the log of outcomes have the names of their loops. Unread events are mostly above all that is read; else in holes.
  -- The limit makes it one probe of index send_event_position for each shard and hole. A semi-join would read the whole of each day
  -- that was never analysed for each of them (200 000 events a day and 990 holes: two minutes).
  foreach the_consumer in array '{publish,rollup,stream}'::text[] loop
    if the_consumer = any(the_loops) and (the_consumer = 'rollup' and exists (select from rollup_retry) or exists (
         select from outcome_cursor c cross join lateral (
           select from send_event e where e.shard = c.shard and e.position >= upper(c.done) order by e.position limit 1) e
          where c.consumer = the_consumer)
       or exists (
         select from outcome_cursor c cross join lateral cursor_gaps(c.done) as gap cross join lateral (
           select from send_event e where e.shard = c.shard and e.position >= gap.low and e.position < gap.high
            order by e.position limit 1) e
          where c.consumer = the_consumer)) then
      due := due || the_consumer;
    end if;
  end loop;
  if 'outbox' = any(the_loops) and exists (select from outbox o where o.published_at is null and o.refused_at is null) then
    due := due || 'outbox'::text;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION scheduler.write_campaign_event(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamp with time zone, why text DEFAULT NULL::text, of_revision integer DEFAULT NULL::integer, of_code text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  c campaign%rowtype;
  targets bigint;
  sents bigint;
begin
  update campaign set outcomes = outcomes + 1 where id = of_campaign returning * into c;
  if kind in ('campaign.completed', 'campaign.expired', 'campaign.canceled', 'campaign.corrected', 'occurrence.completed') then
    select coalesce(sum(o.target_count), 0), coalesce(sum(o.sent_count), 0) into targets, sents
      from occurrence o
     where o.campaign = of_campaign and (o.occurrence = of_occurrence or of_occurrence is null and o.occurrence not like 'test-%');
  end if;
  if kind = 'occurrence.skipped' then
    select o.code into c.code from occurrence o where o.campaign = of_campaign and o.occurrence = of_occurrence;
  end if;
  insert into send_event (position, at, campaign, kind, sequence, shard, revision, occurrence, to_state, code, detail,
                          target_count, sent_count)
  values (event_position(campaign_shard(c.id)), at, c.id, kind, c.outcomes, campaign_shard(c.id), coalesce(of_revision, c.revision), of_occurrence,
          coalesce(new_state, c.state), coalesce(of_code, c.code), coalesce(why, c.detail), targets, sents);
  perform pg_notify('carillon_publish', '');
end $function$;
