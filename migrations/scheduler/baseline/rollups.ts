import { sqlList } from '../../../src/platform/database/sql-list.js';
import { OPEN_OCCURRENCE } from '../../../src/scheduler/decide/lifecycle/campaign-state.js';

const keys = (minute: string, campaign: string): string => `
  -- ${minute}
  minute       timestamptz,
  service_id   text not null,${campaign}
  zone         text not null,
  mode         text not null,
  device_type  text not null,
  country      text not null,
  -- The hour of the due on the clock of its zone; null: there is no due.
  local_hour   smallint,`;

/** The keys of the sums of a campaign's sends. */
const KEYS = keys(
  "The minute of the due (a retry: its chunk's first due); after 90 days the hour, after a year the day; null: a standing message.",
  '\n  campaign     uuid not null,',
);
const HOURLY = keys('The hour, after a year the day; null: standing messages.', '');
/** The cell of the sends, and the day on which they ended (no earlier than the oldest day that was kept when they were added). */
const CELL = `
  day          date not null,
  occurrence   text not null,
  cell         text not null,`;
/** For tables whose rows every page of the roll-up writes. */
const OFTEN =
  'with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)';

const SENDS = `
  state        text not null,
  code         text,
  sends        bigint not null,
  target       bigint not null,
  sent         bigint not null,
  failed       bigint not null,`;
const LENGTHS = `
  kind         text not null,
  bucket       smallint not null,
  exact_ms     float8,
  sends        bigint not null,
  max_ms       float8 not null,`;

const KEYS_AND_STATE = `${KEYS}
  state        text not null,
  code         text,`;

/** What ended sends came to, in sums that reports over many campaigns are read from (docs/decisions/0054, 0055). */
export const ROLLUPS = `
-- What ended sends came to, the newest of each chunk: sums, which the roll-up adds to (docs/decisions/0054). Once the day of the end
-- is gone, they count in place of the sends (send_gone).
create table send_rollup (${CELL}${KEYS}${SENDS}
  handed_off   boolean not null,
  constraint send_rollup_key unique nulls not distinct (campaign, occurrence, cell, day, minute, mode, local_hour, state, code, handed_off)
);
create index send_rollup_minute on send_rollup (minute, service_id);

-- How late they were, how long they were deferred and how long after their first due they got through, by kind: how many lengths
-- fall into each bucket. exact_ms: the length itself, for sends that may be retried. No tests.
create table length_rollup (${CELL}${KEYS}${LENGTHS}
  constraint length_rollup_key unique nulls not distinct (campaign, occurrence, cell, day, minute, mode, local_hour, kind, bucket, exact_ms)
);
create index length_rollup_minute on length_rollup (minute, service_id);

-- The same over all campaigns, by hour, without tests.
create table send_rollup_hour (${HOURLY}${SENDS}
  constraint send_rollup_hour_key unique nulls not distinct (minute, service_id, zone, mode, device_type, country, local_hour, state, code)
) ${OFTEN};
create table length_rollup_hour (${HOURLY}${LENGTHS}
  constraint length_rollup_hour_key unique nulls not distinct (minute, service_id, zone, mode, device_type, country, local_hour, kind, bucket, exact_ms)
) ${OFTEN};

-- Retries that are not rolled up yet: the send that each replaced does not count any more. Written with the retry (send_keep_newest).
create table rollup_retry (
  send     uuid constraint rollup_retry_pkey primary key,
  send_of  uuid not null,
  shard    smallint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Sends that may be open though their occurrence has ended: retries and uncertain sends, until they end.
create table rollup_open (
  send  uuid constraint rollup_open_pkey primary key
);

-- What begins next (src/scheduler/report/lists/campaigns-by-due.store.ts).
create index occurrence_due on occurrence (first_due, campaign) where state in ${sqlList(OPEN_OCCURRENCE)};
create index occurrence_open on occurrence (last_due) where state in ${sqlList(OPEN_OCCURRENCE)};

-- The devices of ended sends that breakdowns reported, by the keys of send_rollup and those of the push service: sums, which followers
-- add to (docs/decisions/0055).
create table breakdown_rollup (${KEYS_AND_STATE}
  reported_device_type  text not null,
  reported_country      text not null,
  language          text not null,
  -- sent, failed, unknown or suppressed; not-reported: there is no breakdown. Those of the funnel count other things than devices:
  -- answered requests, named ids and absent ids.
  outcome           text not null,
  reason            text,
  devices           bigint not null,
  constraint breakdown_rollup_key unique nulls not distinct (campaign, minute, zone, mode, device_type, country, local_hour, state, code,
    reported_device_type, reported_country, language, outcome, reason)
);
create index breakdown_rollup_minute on breakdown_rollup (minute, service_id);

-- Ended sends whose breakdown is to be asked for; and breakdowns of sends that may be retried, because a retry subtracts them.
create table send_breakdown (
  send        uuid constraint send_breakdown_pkey primary key,${KEYS_AND_STATE}
  request_id  text not null,
  -- How many ids it went to; null: its audience is not made of ids.
  recipients  integer,
  target      bigint not null,
  sent        bigint not null,
  -- It has few devices, and is asked about only because it fell short: all of these share a small part of the rate.
  small       boolean not null,
  -- When it ended.
  since       timestamptz not null,
  next_at     timestamptz not null,
  asked       integer not null default 0,
  -- Why the last answer could not be used.
  last_code   text,
  reported        jsonb
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index send_breakdown_due on send_breakdown (service_id, small, next_at, send) where reported is null;
`;
