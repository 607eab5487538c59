/**
 * Lists of users that publishers uploaded (docs/use/lists.md), and the directory of users' zones. The ids of a version lie in arrays,
 * some thousand in a row: ten million ids are some thousand rows, which planning reads, and housekeeping deletes, in no time.
 */
export const LISTS = `
-- The list of a name: which of its versions counts.
create table audience_list (
  service_id  text not null references project,
  name        text not null,
  version     uuid not null,
  constraint audience_list_pkey primary key (service_id, name)
);

create table audience_version (
  version         uuid primary key,
  service_id      text not null,
  name            text not null,
  -- loading: the upload is under way. ready: whole. going: its ids are being deleted. gone: they are.
  state           text not null default 'loading' check (state in ('loading', 'ready', 'going', 'gone')),
  -- While it loads: what has come so far, duplicates included.
  rows            bigint not null default 0,
  bytes           bigint not null default 0,
  duplicates      bigint not null default 0,
  -- [{zone, rows}], without those that are no zones; zone null: of no zone.
  by_zone         jsonb not null default '[]',
  -- [{value, rows, near}]
  invalid_zones   jsonb not null default '[]',
  -- SHA-256 of what was sent, unpacked.
  content_digest  text,
  uploaded_by     text not null,
  begun_at        timestamptz not null,
  -- By the database's clock: an upload that is silent for long is dead.
  beat_at         timestamptz not null default clock_timestamp(),
  ready_at        timestamptz,
  expires_at      timestamptz,
  -- Since when another version counts, or none.
  replaced_at     timestamptz
);
create index audience_version_list on audience_version (service_id, name);
-- One upload of a name at a time.
create unique index audience_version_loading on audience_version (service_id, name) where state = 'loading';

-- What an upload has brought, in the order of its rows, by a hash of the id; gone when the version is ready. Unlogged: the upload
-- counts its rows at its end, so that none is missed where a crash has emptied the table.
create unlogged table audience_page (
  version  uuid not null,
  bucket   smallint not null,
  part     integer not null,
  size     integer not null,
  ids      text[] not null,
  -- The place of each id's zone among the zones of the upload; 0: none.
  zones    smallint[] not null,
  constraint audience_page_pkey primary key (version, bucket, part)
);
-- It is read once, soon: not worth being packed.
alter table audience_page alter ids set storage external, alter zones set storage external;

-- The ids of a version, each once. zone: as it was given; empty: none.
create table audience_part (
  version  uuid not null,
  zone     text not null,
  bucket   smallint not null,
  part     integer not null,
  size     integer not null,
  ids      text[] not null,
  constraint audience_part_pkey primary key (version, zone, bucket, part)
);

-- Which campaigns go to a version: it stays until they have ended.
create table audience_use (
  campaign  uuid not null references campaign on delete cascade,
  version   uuid not null,
  constraint audience_use_pkey primary key (campaign, version)
);
create index audience_use_version on audience_use (version);

-- While a campaign is planned: the ids of its list that no zone was given for, by what is known of them then. Written before the
-- plan is made and read with it, so that what the directory learns meanwhile changes neither. Unlogged: whoever reads it counts.
create unlogged table audience_known (
  campaign  uuid not null,
  -- directory, registered-offset, or none.
  source    text not null,
  zone      text not null,
  bucket    smallint not null,
  part      integer not null,
  size      integer not null,
  ids       text[] not null,
  at        timestamptz not null,
  constraint audience_known_pkey primary key (campaign, source, zone, bucket, part)
);
`;
