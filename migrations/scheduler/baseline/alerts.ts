/** Alerts: causes that need a person, each from when it was found until it was gone for a while. */
export const ALERTS = `
create table alert (
  id               uuid primary key,
  -- The code of a cause (alerts/cause.ts).
  cause            text not null,
  -- null: it concerns the whole installation.
  service_id       text,
  since            timestamptz not null,
  last_seen_at     timestamptz not null,
  ended_at         timestamptz,
  figure           float8,
  worst            float8,
  detail           text not null,
  acknowledged_at  timestamptz,
  acknowledged_by  text
);
-- A cause has one open alert for each service, whoever judges.
create unique index alert_open on alert (cause, service_id) nulls not distinct where ended_at is null;
create index alert_ended on alert (ended_at) where ended_at is not null;

-- When causes were judged last, by the database's clock: so any number of processes judge as often as one.
create table alert_round (
  singleton  boolean primary key default true check (singleton),
  judged_at  timestamptz not null
);
insert into alert_round (judged_at) values ('-infinity');
`;
