/**
 * Push projects with their keys, rates and troubles; replicas; API tokens, the audit log, idempotent answers, and the zone rules in
 * force.
 */
export const FOUNDATION = `
create table project (
  service_id           text primary key check (length(service_id) between 1 and 128),
  base_url             text not null,
  -- The event sources that this project takes over Kafka, where events have no token: exact or prefix/*; none: HTTP only.
  sources              text[] not null default '{}',
  -- A Kafka topic for its rejected events, in addition to campaign.events.dead.
  rejections_topic     text,
  default_zone         text not null default 'Asia/Seoul',
  -- The zone of the gateway's date-times, which have no offset.
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
  -- How many turns it gets where other projects of a dispatcher get one.
  weight               integer not null default 1 constraint project_weight check (weight between 1 and 100),
  max_retries          integer not null default 5 check (max_retries >= 0),
  -- Those in use: what the newest answer of the gateway offered, without what is switched off.
  extensions           text[] not null default '{}',
  extensions_off       text[] not null default '{}',
  -- Every request that was handed off since carries its Idempotency-Key.
  keys_since           timestamptz not null default '-infinity',
  on_uncertain         text not null default 'wait' check (on_uncertain in ('wait', 'resend')),
  -- required: somebody else than the publisher approves each campaign of it.
  approval             text not null default 'none' check (approval in ('none', 'required')),
  -- Bounds for admins of the service who set weight, rate, in_flight and sources. Only a token for all services sets the bounds, and
  -- it may set those four beyond them.
  bound_weight           integer not null default 1,
  bound_rate_per_second  integer not null default 50,
  bound_in_flight        integer not null default 64,
  bound_sources          text[] not null default '{}',
  api_key_sealed       text,
  -- Nobody calls the project until this instant (429, quota, bad address …), for the reason in the next columns. 'infinity': until an
  -- operator starts it.
  blocked_until        timestamptz,
  blocked_code         text,
  blocked_detail       text,
  -- When the block with this code began, and who began it; null: an answer of the gateway did.
  blocked_since        timestamptz,
  blocked_by           text,
  -- It was stopped with a recall: what the push service holds of it is asked back (decide/lifecycle/campaign-act.ts).
  recalled             boolean not null default false,
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

-- Troubles of single processes with a project, mostly why a process does not call it though others may: its circuit is open, or its
-- master key opens no key. Instants are by the database's clock. A process refreshes its row; the row of a dead process gets old.
create table project_trouble (
  service_id  text not null references project on delete cascade,
  process     uuid not null,
  code        text not null,
  detail      text,
  since       timestamptz not null,
  seen_at     timestamptz not null,
  constraint project_trouble_pkey primary key (service_id, code, process)
);

-- The heartbeats of the processes that dispatch (docs/decisions/0029). id: drawn at each start. beat_at: by the database's clock;
-- others only see whether it has changed. A row is deleted at a clean exit, or when its process is dead and no 'sending' send names it.
-- server: the identity of the database server to which it has written what that may have lost (docs/decisions/0067).
-- clock_ahead_ms: how far its machine's clock was ahead of the database's at the last comparison; processes of one machine have one
-- clock.
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
  -- SHA-256 of the whole token: a token of 256 random bits needs no slow hash.
  hash          bytea not null constraint api_token_hash unique,
  roles         text[] not null check (roles <@ array['publisher','analyst','operator','admin'] and cardinality(roles) > 0),
  -- '*': all services.
  service_ids   text[] not null check (cardinality(service_ids) > 0),
  -- The event sources that it may publish over HTTP, exact or prefix/*. None: any, for tokens of all services or that publish nothing.
  sources       text[] not null default '{}' constraint api_token_sources
                check (cardinality(sources) > 0 or service_ids @> array['*'] or not roles && array['publisher','admin']),
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  revoked_at    timestamptz,
  last_used_at  timestamptz,
  -- It has expired, and another token may have its name.
  name_freed    boolean not null default false
);
-- At any time a name in the audit log means one token.
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

-- The first answer to a POST with an Idempotency-Key; deleted after 30 days.
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

-- The version of the zone rules in force: one row (planning.md §8). Processes with other rules plan nothing.
create table zone_rules_in_force (
  singleton       boolean primary key default true check (singleton),
  version         text not null,
  since           timestamptz not null,
  -- An admin chose it: a process with newer rules does not move it.
  chosen          boolean not null default false,
  -- The last campaign whose cells were compared with these rules; null: none was.
  after_campaign  uuid,
  -- When all were; null: they still are being compared.
  compared_at     timestamptz
);

-- The token bucket of each project's calls, shared by all replicas: they take a few tokens at a time, by the database's clock. A 429
-- halves the rate; it climbs back by itself.
create table project_pace (
  service_id     text primary key references project on delete cascade,
  -- Calls a second now; at most the project's rate_per_second.
  rate           double precision not null check (rate > 0),
  tokens         double precision not null,
  -- By the database's clock: the instant of these tokens and this rate, and when a 429 last halved the rate.
  at             timestamptz not null,
  slowed_at      timestamptz,
  -- Until then sends count as lacking tokens, and polls get only their share; by the database's clock.
  pressed_until  timestamptz,
  -- The polls' share is used up to this instant.
  polled_at      timestamptz,
  -- Until then polls count as lacking tokens.
  polls_pressed_until  timestamptz
-- One row for each project, which changes several times a second: vacuumed by the number of changes.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
`;
