/**
 * The rate of each project's calls, one bucket for all replicas: they take tokens from it in small helpings, by the
 * database's clock. A 429 halves the rate; it climbs back by itself.
 */
export const PACE = `
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
  polled_at      timestamptz
) with (fillfactor = 50);
`;
