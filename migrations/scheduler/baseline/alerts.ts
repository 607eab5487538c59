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

-- When causes were judged last, and when the ledger and the forecast were watched for them, by the database's clock: so any number of
-- processes do it as often as one (store/alert-round.store.ts).
create table alert_round (
  name      text primary key,
  begun_at  timestamptz not null default '-infinity',
  -- The beginning of the round whose result is kept, and what it found.
  kept_of   timestamptz not null default '-infinity',
  facts     jsonb not null default '{}'
);
insert into alert_round (name) values ('judge'), ('ledger'), ('forecast');

-- Whom alerts are posted to. Times of tries are the database's clock.
create table webhook (
  id               text primary key,
  url              text not null,
  secret_sealed    text not null,
  -- null: all causes; all services and the whole installation.
  causes           text[],
  services         text[],
  created_at       timestamptz not null,
  created_by       text not null,
  delivered_at     timestamptz,
  -- Since when no try got through; null: the last one did, or there was none.
  failing_since    timestamptz,
  last_error       text
);

-- What began or ended and is in no message yet. A row goes in the transaction that makes its message, so each is in exactly one.
create table webhook_change (
  webhook   text not null references webhook on delete cascade,
  alert     uuid not null references alert on delete cascade,
  what      text not null check (what in ('began', 'ended')),
  noted_at  timestamptz not null default clock_timestamp(),
  primary key (webhook, alert, what)
);

create table webhook_message (
  id        text primary key,
  webhook   text not null references webhook on delete cascade,
  -- The bytes that are signed at each try.
  body      text not null,
  made_at   timestamptz not null,
  tries     integer not null default 0,
  -- When it is tried next; null: it was taken, or given up.
  next_at   timestamptz,
  taken_at  timestamptz
);
create index webhook_message_due on webhook_message (next_at) where next_at is not null;
`;
