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

const FUNCTIONS = ['unrolled_events', 'open_occurrences', 'lacking_sends', 'send_keep_newest', 'work_due'];

const keys = (minute: string, campaign: string): string => `
  -- ${minute}
  minute       timestamptz,
  service_id   text not null,${campaign}
  zone         text not null,
  mode         text not null,
  device_type  text not null,
  country      text not null,
  -- Of the due, on the clock of its zone; null: it has none.
  local_hour   smallint,`;

const KEYS = keys(
  "Of what was due (a retry: of its chunk's first due); after 90 days its hour, after a year its day; null: a standing message.",
  '\n  campaign     uuid not null,',
);
const HOURLY = keys('The hour, after a year the day; null: of standing messages.', '');
/** Every page of the roller writes to the same rows. */
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
-- What ended sends came to, the newest of each chunk and no tests: sums, which the roller adds to (docs/decisions/0054).
create table send_rollup (${KEYS}${SENDS}
  constraint send_rollup_key unique nulls not distinct (campaign, minute, zone, mode, device_type, country, local_hour, state, code)
);
create index send_rollup_minute on send_rollup (minute, service_id);

-- How late they were, how long they were deferred, and how long after their first due they got through, by kind: how many
-- lengths fall into each bucket. exact_ms: of sends that may be retried, the length itself.
create table length_rollup (${KEYS}${LENGTHS}
  constraint length_rollup_key unique nulls not distinct (campaign, minute, zone, mode, device_type, country, local_hour, kind, bucket, exact_ms)
);
create index length_rollup_minute on length_rollup (minute, service_id);

-- The same over all campaigns, by hours.
create table send_rollup_hour (${HOURLY}${SENDS}
  constraint send_rollup_hour_key unique nulls not distinct (minute, service_id, zone, mode, device_type, country, local_hour, state, code)
) ${OFTEN};
create table length_rollup_hour (${HOURLY}${LENGTHS}
  constraint length_rollup_hour_key unique nulls not distinct (minute, service_id, zone, mode, device_type, country, local_hour, kind, bucket, exact_ms)
) ${OFTEN};

-- Which events are rolled up, as publish_cursor has which are published. Who holds the shard alone writes it.
create table rollup_cursor (
  shard      smallint constraint rollup_cursor_pkey primary key,
  rolled     int8multirange not null,
  hole_top   bigint,
  hole_xmax  xid8,
  constraint rollup_cursor_hole check ((hole_top is null) = (hole_xmax is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Retries whose birth is not rolled up: what each took the place of counts no more. Written with the retry (send_keep_newest).
create table rollup_retry (
  send     uuid constraint rollup_retry_pkey primary key,
  send_of  uuid not null,
  shard    smallint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Sends that may be open though their occurrence has ended: retries, and what was uncertain, until they end.
create table rollup_open (
  send  uuid constraint rollup_open_pkey primary key
);

create index occurrence_open on occurrence (last_due) where state in ${sqlList(OPEN_OCCURRENCE)};
`;

/** One statement, so of one moment: what ended after it has its event behind the cursor. */
const COUNT = `
with cursors as (
  insert into rollup_cursor (shard, rolled, hole_top, hole_xmax)
  select r.shard, r.rolled, case when h.holes then upper(range_merge(r.rolled)) - 1 end,
         -- Who drew a position below one that is seen has an id below it.
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

/** Rollups of what sends come to, with what the kept ones have come to until now: about ten seconds for a million. */
export class Rollups1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await installFunctions(runner, functionsOf('scheduler'), FUNCTIONS);
    // No retry is made meanwhile, by a trigger that is exchanged here, and no day becomes sums.
    await runner.query('select pg_advisory_xact_lock(hashtext($1))', [DROPPING]);
    await runner.query('lock table send in access share mode');
    await runner.query(COUNT);
  }

  /** The functions stay, as the baseline has installed them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `drop index occurrence_open;
       drop table send_rollup, length_rollup, send_rollup_hour, length_rollup_hour, rollup_cursor, rollup_retry, rollup_open`,
    );
  }
}
