/**
 * Push projects with their keys, their rate and who cannot call them, API tokens, the audit log, idempotent answers, and the
 * zone rules in force.
 */
export const FOUNDATION = `
create table project (
  service_id           text primary key check (length(service_id) between 1 and 128),
  base_url             text not null,
  -- Kafka carries no token: the event sources this project takes, exact or prefix/*; none means HTTP only.
  sources              text[] not null default '{}',
  -- Where what is rejected for it goes beside campaign.events.dead.
  rejections_topic     text,
  default_zone         text not null default 'Asia/Seoul',
  -- The zone in which the gateway's date-times, which carry no offset, are read.
  gateway_zone         text not null default 'Asia/Seoul',
  principal_zones      jsonb not null default '{}',
  policy_defaults      jsonb not null default '{}',
  reservations         boolean not null default true,
  min_reserve_lead_ms  bigint not null default 180000 check (min_reserve_lead_ms >= 0),
  reserve_horizon_ms   bigint not null default 2592000000 check (reserve_horizon_ms >= 0),
  max_to               integer not null default 1000 check (max_to between 1 and 10000),
  lookup_max           integer not null default 10000 check (lookup_max >= 0),
  rate_per_second      integer not null default 50 check (rate_per_second between 1 and 100000),
  in_flight            integer not null default 64 check (in_flight between 1 and 10000),
  -- Turns it takes where others take one, if several want the same dispatcher.
  weight               integer not null default 1 constraint project_weight check (weight between 1 and 100),
  max_retries          integer not null default 5 check (max_retries >= 0),
  extensions           text[] not null default '{}',
  on_uncertain         text not null default 'wait' check (on_uncertain in ('wait', 'resend')),
  -- How far admins of the service may set the four; a token for all services sets these, and may set those beyond them.
  bound_weight           integer not null default 1,
  bound_rate_per_second  integer not null default 50,
  bound_in_flight        integer not null default 64,
  bound_sources          text[] not null default '{}',
  api_key_sealed       text,
  -- Dispatch rests until this instant (429, quota, bad address …); why stands beside it. 'infinity': until an operator starts it.
  blocked_until        timestamptz,
  blocked_code         text,
  blocked_detail       text,
  created_at           timestamptz not null,
  updated_at           timestamptz not null
);

create table project_key (
  id             uuid primary key,
  service_id     text not null references project,
  access_key     text not null,
  -- AES-256-GCM under CARILLON_MASTER_KEY; the text names the master key's id.
  secret_sealed  text not null,
  -- 1 is tried first, 2 on 401/200.
  position       smallint not null check (position in (1, 2)),
  created_at     timestamptz not null,
  constraint project_key_position unique (service_id, position),
  constraint project_key_access_key unique (service_id, access_key)
);

-- Why one process does not call a project though others may: its circuit is open, or its master key opens no key. By the
-- database's clock, for real time counts; a process that died under its row no longer refreshes it.
create table project_trouble (
  service_id  text not null references project on delete cascade,
  process     uuid not null,
  code        text not null,
  detail      text,
  since       timestamptz not null,
  seen_at     timestamptz not null,
  constraint project_trouble_pkey primary key (service_id, code, process)
);

-- The processes that dispatch, and that they live (docs/decisions/0029). id: drawn at each start. beat_at: by the database's
-- clock, compared with nothing but itself. A row goes with a clean exit, or when no send that is 'sending' names it.
-- server: the database server, by its identity, whose lost commits it has looked into (docs/decisions/0067).
-- clock_ahead_ms: how far its machine's clock was ahead of the database's when it was compared last; processes of one machine
-- have one clock.
create table replica (
  id              uuid primary key,
  beat_at         timestamptz not null,
  server          text,
  machine         text,
  clock_ahead_ms  double precision
);

create table api_token (
  id            uuid primary key,
  name          text not null,
  -- SHA-256 of the whole token: 256 random bits need no slow hash.
  hash          bytea not null constraint api_token_hash unique,
  roles         text[] not null check (roles <@ array['publisher','analyst','operator','admin'] and cardinality(roles) > 0),
  -- '*' holds every service id.
  service_ids   text[] not null check (cardinality(service_ids) > 0),
  -- Of events over HTTP, exact or as prefix/*; none: any, for tokens that hold all services or publish nothing.
  sources       text[] not null default '{}' constraint api_token_sources
                check (cardinality(sources) > 0 or service_ids @> array['*'] or not roles && array['publisher','admin']),
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  revoked_at    timestamptz,
  last_used_at  timestamptz,
  -- It has expired, and another may have its name.
  name_freed    boolean not null default false
);
-- A name in the audit log means one token at a time.
create unique index api_token_live_name on api_token (name) where revoked_at is null and not name_freed;

create table audit (
  id          uuid primary key,
  at          timestamptz not null,
  who         text not null,
  action      text not null,
  target      text not null,
  service_id  text,
  before      jsonb,
  after       jsonb
);
create index audit_target on audit (target, id);

-- The first answer to a POST that carried an Idempotency-Key; emptied after 30 days.
create table idempotent_answer (
  token_id      uuid not null,
  key           text not null,
  request_hash  bytea not null,
  -- null while the first request runs.
  status        integer,
  body          jsonb,
  created_at    timestamptz not null,
  constraint idempotent_answer_pkey primary key (token_id, key)
);

-- The zone rules in force: one row, moves forward only (planning.md §8).
create table zone_rules_in_force (
  singleton  boolean primary key default true check (singleton),
  version    text not null,
  since      timestamptz not null
);

-- The rate of each project's calls, one bucket for all replicas: they take tokens from it in small helpings, by the
-- database's clock. A 429 halves the rate; it climbs back by itself.
create table project_pace (
  service_id     text primary key references project on delete cascade,
  -- Calls a second now; at most the project's rate_per_second.
  rate           double precision not null check (rate > 0),
  tokens         double precision not null,
  -- By the database's clock: when tokens and rate stood so, and when a 429 last halved it.
  at             timestamptz not null,
  slowed_at      timestamptz,
  -- While sends lack tokens, looks are given one now and then only; by the database's clock.
  pressed_until  timestamptz,
  polled_at      timestamptz,
  -- Until then polls count as lacking tokens; pressed_until says the same of sends.
  polls_pressed_until  timestamptz
-- One row a project that changes several times a second: vacuumed by the number of changes.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
`;
