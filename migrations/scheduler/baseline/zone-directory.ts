/** The directory: users' zones as publishers say them (planning.md §2, source 2). */
export const ZONE_DIRECTORY = `
create table recipient_zone (
  service_id  text not null references project on delete cascade,
  user_id     text not null,
  -- Null: it was taken away; kept for a time, so that what was said before does not come back.
  zone        text,
  -- When it was said: what is older loses.
  said_at     timestamptz not null,
  constraint recipient_zone_pkey primary key (service_id, user_id)
);
create index recipient_zone_gone on recipient_zone (said_at) where zone is null;
`;
