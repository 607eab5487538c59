/**
 * Registered offsets of recipients, as the push service answered (planning.md §2, sources 2 and 3), kept for a time; and the look-ups
 * for which campaigns wait before they are planned.
 */
export const AUDIENCE_FACTS = `
create table registered_offset (
  service_id      text not null references project on delete cascade,
  user_id         text not null,
  -- False: the push service knows no such user.
  is_user         boolean not null default true,
  -- Null: it knows no offset of the user, or no such user.
  offset_seconds  integer check (offset_seconds between -64800 and 64800),
  looked_up_at    timestamptz not null,
  constraint registered_offset_pkey primary key (service_id, user_id)
);
-- For deletes in batches.
create index registered_offset_age on registered_offset (looked_up_at);

-- Registered offsets in use: of a whole service (channel_name null) or of one channel.
create table offset_census (
  service_id    text not null references project on delete cascade,
  channel_name  text,
  -- [{offsetSeconds, users}]
  offsets       jsonb not null,
  looked_up_at  timestamptz not null,
  constraint offset_census_place unique nulls not distinct (service_id, channel_name)
);

-- A campaign that waits for look-ups; its plan_at is give_up_at, or the present once they have ended. Planning deletes the row.
create table audience_lookup (
  campaign     uuid primary key references campaign on delete cascade,
  service_id   text not null,
  opened_at    timestamptz not null,
  -- Ten minutes before the first due: it is then planned with the offsets that are known.
  give_up_at   timestamptz not null,
  next_at      timestamptz not null,
  -- By the database's clock.
  lease_until  timestamptz,
  -- Calls made, at most the project's lookup_max.
  asked        integer not null default 0,
  -- Rounds in a row after which some ids had no answer.
  failures     integer not null default 0,
  done_at      timestamptz
);
create index audience_lookup_open on audience_lookup (next_at, campaign) where done_at is null;

-- Whether gateways know the channels and schedules that campaigns name.
create table gateway_name (
  service_id    text not null references project on delete cascade,
  kind          text not null check (kind in ('channel', 'schedule')),
  name          text not null,
  -- Null: the gateway was asked and gave no answer.
  known         boolean,
  looked_up_at  timestamptz not null,
  constraint gateway_name_pkey primary key (service_id, kind, name)
);
`;
