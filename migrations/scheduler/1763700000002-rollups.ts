import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OPEN_OCCURRENCE } from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import { sqlList } from '../../src/platform/database/sql-list.js';
import {
  countedAll,
  countedGone,
  ENDED,
  LENGTH_ROLLUP,
  lengthsOf,
  SEND_ROLLUP,
} from '../../src/scheduler/store/rollup/counted-sends.js';
import { addTo, addToHours } from '../../src/scheduler/store/rollup/sums.js';
import { DROPPING } from '../../src/scheduler/store/send/retry.store.js';
import { functionsOf, installFunctions } from '../install-functions.js';

const FUNCTIONS = [
  'occurrence_state_is_open',
  'campaign_state_is_plannable',
  'unrolled_events',
  'open_occurrences',
  'lacking_sends',
  'send_keep_newest',
  'work_due',
];

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

/** What the sums of a campaign's sends are told apart by. */
export const KEYS = keys(
  "The minute of the due (a retry: its chunk's first due); after 90 days the hour, after a year the day; null: a standing message.",
  '\n  campaign     uuid not null,',
);
const HOURLY = keys('The hour, after a year the day; null: standing messages.', '');
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

const TABLES = `
-- What ended sends came to, the newest of each chunk and no tests: sums, which the roll-up adds to (docs/decisions/0054).
create table send_rollup (${KEYS}${SENDS}
  constraint send_rollup_key unique nulls not distinct (campaign, minute, zone, mode, device_type, country, local_hour, state, code)
);
create index send_rollup_minute on send_rollup (minute, service_id);

-- How late they were, how long they were deferred and how long after their first due they got through, by kind: how many lengths
-- fall into each bucket. exact_ms: the length itself, for sends that may be retried.
create table length_rollup (${KEYS}${LENGTHS}
  constraint length_rollup_key unique nulls not distinct (campaign, minute, zone, mode, device_type, country, local_hour, kind, bucket, exact_ms)
);
create index length_rollup_minute on length_rollup (minute, service_id);

-- The same over all campaigns, by hour.
create table send_rollup_hour (${HOURLY}${SENDS}
  constraint send_rollup_hour_key unique nulls not distinct (minute, service_id, zone, mode, device_type, country, local_hour, state, code)
) ${OFTEN};
create table length_rollup_hour (${HOURLY}${LENGTHS}
  constraint length_rollup_hour_key unique nulls not distinct (minute, service_id, zone, mode, device_type, country, local_hour, kind, bucket, exact_ms)
) ${OFTEN};

-- Which events are rolled up, as publish_cursor says which are published. Only the holder of the shard writes it.
create table rollup_cursor (
  shard      smallint constraint rollup_cursor_pkey primary key,
  rolled     int8multirange not null,
  hole_top   bigint,
  hole_xmax  xid8,
  constraint rollup_cursor_hole check ((hole_top is null) = (hole_xmax is null))
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

create index occurrence_open on occurrence (last_due) where state in ${sqlList(OPEN_OCCURRENCE)};
`;

/** One statement, so one moment: what ends after it has its event behind the cursor. */
const COUNT = `
with cursors as (
  insert into rollup_cursor (shard, rolled, hole_top, hole_xmax)
  select r.shard, r.rolled, case when h.holes then upper(range_merge(r.rolled)) - 1 end,
         -- A transaction that drew a position below one that is seen has an id below this.
         case when h.holes then pg_snapshot_xmax(pg_current_snapshot()) end
    from (select c.shard, c.published + coalesce((select range_agg(int8range(e.position, e.position, '[]')) from send_event e
                                                   where e.shard = c.shard and not e.position <@ c.published), '{}') as rolled
            from publish_cursor c) r
   cross join lateral (select r.rolled <> int8multirange(range_merge(r.rolled)) as holes) h),
counted as materialized (${countedAll()} union all ${countedGone()}),
measured as materialized (${lengthsOf('counted')}),
sends as (${addTo(SEND_ROLLUP, 'counted')}),
lengths as (${addTo(LENGTH_ROLLUP, 'measured')}),
send_hours as (${addToHours(SEND_ROLLUP, 'counted')}),
length_hours as (${addToHours(LENGTH_ROLLUP, 'measured')})
insert into rollup_open (send)
select s.id from send s left join occurrence o on o.campaign = s.campaign and o.occurrence = s.occurrence
 where s.state not in ${ENDED}
   and (s.state = 'uncertain' or s.retry_of is not null or o.state is null or o.state not in ${sqlList(OPEN_OCCURRENCE)})`;

/** Rollups of what sends come to, filled with the sends that are kept: about ten seconds for a million. */
export class Rollups1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await installFunctions(runner, functionsOf('scheduler'), FUNCTIONS);
    // Meanwhile no retry is made, because its trigger is exchanged here, and no day becomes sums.
    await runner.query('select pg_advisory_xact_lock(hashtext($1))', [DROPPING]);
    await runner.query('lock table send in access share mode');
    await runner.query(COUNT);
  }

  /** The functions stay: the baseline installs them too. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `drop index occurrence_open;
       drop table send_rollup, length_rollup, send_rollup_hour, length_rollup_hour, rollup_cursor, rollup_retry, rollup_open`,
    );
  }
}
