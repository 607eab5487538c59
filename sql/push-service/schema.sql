-- The schema of push-service, written from the catalogue by `npm run schema`: to be read, not run. Why a column is there
-- stands in the migrations. Partitions are left out but for the default ones: they come and go with time.

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
  CONSTRAINT delivery_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'failed'::text]))
);

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
  CONSTRAINT device_device_type_check CHECK (device_type = ANY (ARRAY['GCM'::text, 'APNS'::text]))
);
CREATE INDEX device_user ON device USING btree (service_id, user_key);

CREATE TABLE fan_out_chunk (
  firing_id     bigint NOT NULL,
  chunk_no      integer NOT NULL,
  state         text DEFAULT 'READY'::text NOT NULL,
  claimed_by    uuid,
  lease_until   timestamp with time zone,
  claims        integer DEFAULT 0 NOT NULL,
  device_ids    bigint[] STORAGE EXTERNAL NOT NULL,
  user_keys     bigint[] STORAGE EXTERNAL NOT NULL,
  device_types  text[] STORAGE EXTERNAL NOT NULL,
  countries     text[] STORAGE EXTERNAL NOT NULL,
  languages     text[] STORAGE EXTERNAL NOT NULL,
  timezones     integer[] STORAGE EXTERNAL NOT NULL,
  targets       integer DEFAULT 1000 NOT NULL,
  CONSTRAINT fan_out_chunk_pkey PRIMARY KEY (firing_id, chunk_no),
  CONSTRAINT fan_out_chunk_firing_id_fkey FOREIGN KEY (firing_id) REFERENCES firing(id) ON DELETE CASCADE,
  CONSTRAINT fan_out_chunk_state_check CHECK (state = ANY (ARRAY['READY'::text, 'CLAIMED'::text]))
);
CREATE INDEX fan_out_chunk_claimed ON fan_out_chunk USING btree (lease_until) WHERE state = 'CLAIMED'::text;
CREATE INDEX fan_out_chunk_oldest ON fan_out_chunk USING btree (firing_id, chunk_no) WHERE state = 'READY'::text;
CREATE INDEX fan_out_chunk_open ON fan_out_chunk USING btree (chunk_no, firing_id) WHERE state = 'READY'::text;
CREATE INDEX fan_out_chunk_small ON fan_out_chunk USING btree (firing_id, chunk_no) WHERE state = 'READY'::text AND targets <= 20;

CREATE TABLE firing (
  id              bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
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
  repeated_count  bigint DEFAULT 0 NOT NULL,
  chunks_left     integer DEFAULT 0 NOT NULL,
  small           boolean DEFAULT false NOT NULL,
  swept           boolean DEFAULT false NOT NULL,
  CONSTRAINT firing_pkey PRIMARY KEY (id),
  CONSTRAINT firing_occurrence UNIQUE (message_id, occurrence),
  CONSTRAINT firing_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE,
  CONSTRAINT firing_state_check CHECK (state = ANY (ARRAY['READY'::text, 'SENDING'::text, 'FINISHED'::text, 'FAIL'::text, 'STALE'::text, 'CANCELED'::text]))
);
CREATE INDEX firing_ready ON firing USING btree (id) WHERE state = 'READY'::text;
CREATE INDEX firing_ready_small ON firing USING btree (id) WHERE state = 'READY'::text AND small;
CREATE INDEX firing_unswept ON firing USING btree (complete_at) WHERE state = 'FINISHED'::text AND NOT swept;

CREATE TABLE message (
  id                 uuid NOT NULL,
  service_id         text NOT NULL,
  kind               text NOT NULL,
  state              text NOT NULL,
  message_type       text NOT NULL,
  request            text NOT NULL,
  dedupe_hash        bytea NOT NULL,
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
  CONSTRAINT message_kind_check CHECK (kind = ANY (ARRAY['immediate'::text, 'reserved'::text, 'scheduled'::text])),
  CONSTRAINT message_message_type_check CHECK (message_type = ANY (ARRAY['NOTIF'::text, 'AD'::text])),
  CONSTRAINT message_state_check CHECK (state = ANY (ARRAY['READY'::text, 'ATTACHED'::text, 'PROCESSING'::text, 'FIRED'::text, 'FINISHED'::text, 'CANCELED'::text, 'FAIL'::text, 'STALE'::text]))
) WITH (fillfactor=80);
CREATE INDEX message_attached ON message USING btree (schedule_id) WHERE kind = 'scheduled'::text;
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
  CONSTRAINT outcome_count_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'failed'::text]))
);

CREATE TABLE payload (
  firing_id    bigint NOT NULL,
  device_type  text NOT NULL,
  language     text NOT NULL,
  headers      json NOT NULL,
  body         text NOT NULL,
  CONSTRAINT payload_pkey PRIMARY KEY (firing_id, device_type, language),
  CONSTRAINT payload_firing_id_fkey FOREIGN KEY (firing_id) REFERENCES firing(id) ON DELETE CASCADE
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
);

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
  CONSTRAINT schedule_pkey PRIMARY KEY (id),
  CONSTRAINT schedule_code UNIQUE (service_id, schedule_code),
  CONSTRAINT schedule_service_id_fkey FOREIGN KEY (service_id) REFERENCES service(id) ON DELETE CASCADE,
  CONSTRAINT schedule_minute_check CHECK (minute >= 0 AND minute <= 1439)
);
CREATE INDEX schedule_next_fire_at ON schedule USING btree (next_fire_at);

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
