import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BREAKDOWN_VIEW } from '../../src/scheduler/report/figures/breakdown-view.js';
import { viewStatements } from '../../src/scheduler/report/figures/report-views.js';
import { functionsOf, installFunctions } from '../install-functions.js';
import { KEYS } from './1763700000002-rollups.js';

const KEYS_AND_STATE = `${KEYS}
  state        text not null,
  code         text,`;

const TABLES = `
-- What breakdowns tell of the devices of ended sends, by the keys of send_rollup and those of the push service: sums, which followers
-- add to (docs/decisions/0055).
create table breakdown_rollup (${KEYS_AND_STATE}
  told_device_type  text not null,
  told_country      text not null,
  language          text not null,
  -- sent, failed, unknown or suppressed; not-told: nobody can tell.
  outcome           text not null,
  reason            text,
  devices           bigint not null,
  constraint breakdown_rollup_key unique nulls not distinct (campaign, minute, zone, mode, device_type, country, local_hour, state, code,
    told_device_type, told_country, language, outcome, reason)
);
create index breakdown_rollup_minute on breakdown_rollup (minute, service_id);

-- Ended sends whose breakdown is to be asked for; for sends that may be retried also what was told, because a retry subtracts it again.
create table send_breakdown (
  send        uuid constraint send_breakdown_pkey primary key,${KEYS_AND_STATE}
  request_id  text not null,
  target      bigint not null,
  sent        bigint not null,
  -- When it ended.
  since       timestamptz not null,
  next_at     timestamptz not null,
  asked       integer not null default 0,
  -- Why the last question was in vain.
  last_code   text,
  told        jsonb
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index send_breakdown_due on send_breakdown (service_id, next_at, send) where told is null;

-- Until then polls count as lacking tokens; pressed_until says the same of sends.
alter table project_pace add column polls_pressed_until timestamptz;
`;

/** Breakdowns of the results of sends that end from now on. */
export class Breakdowns1763900000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(viewStatements('report_breakdown', BREAKDOWN_VIEW));
    await installFunctions(runner, functionsOf('scheduler'), ['grant_reports']);
    await runner.query('select grant_reports()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `drop view report_breakdown; drop table breakdown_rollup, send_breakdown;
       alter table project_pace drop column polls_pressed_until`,
    );
  }
}

/** viewsDigest() of the view that it installs: once released, a changed view takes a migration of its own. */
export const INSTALLS = '10fd8ea688167194';
