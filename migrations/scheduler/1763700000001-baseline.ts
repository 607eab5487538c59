import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DAY_PARTITION, FIRST_DAYS } from '../day-partition-view.js';
import { functionNames, functionsOf, installFunctions } from '../install-functions.js';
import { dropReportViews, installReportViews } from '../install-report-views.js';
import { FOUNDATION } from './baseline/foundation.js';
import { INTAKE } from './baseline/intake.js';
import { CAMPAIGNS } from './baseline/campaigns.js';
import { REVISIONS } from './baseline/revisions.js';
import { SENDS } from './baseline/sends.js';
import { SEND_SETS } from './baseline/send-sets.js';
import { OUTCOMES } from './baseline/outcomes.js';
import { ROLLUPS } from './baseline/rollups.js';
import { AUDIENCE_FACTS } from './baseline/audience-facts.js';
import { LISTS } from './baseline/lists.js';
import { ZONE_DIRECTORY } from './baseline/zone-directory.js';
import { DAYS } from './baseline/days.js';
import { ALERTS } from './baseline/alerts.js';
import { ERASURES } from './baseline/erasures.js';

const FOLDERS = [functionsOf('shared'), functionsOf('scheduler')];

/** The schema of the scheduler: tables with their reasons in baseline/, functions and triggers in sql/scheduler/functions/. */
export class Baseline1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const audiences = [AUDIENCE_FACTS, LISTS, ZONE_DIRECTORY];
    const ofSends = [CAMPAIGNS, REVISIONS, SENDS, SEND_SETS, OUTCOMES, ROLLUPS];
    for (const tables of [FOUNDATION, INTAKE, ...ofSends, ...audiences, ALERTS, ERASURES])
      await runner.query(tables);
    // A body is read when it is called: so none has to stand behind those that it calls.
    await runner.query('set local check_function_bodies = off');
    for (const folder of FOLDERS) await installFunctions(runner, folder, functionNames(folder));
    await runner.query('set local check_function_bodies = on');
    for (const days of [DAY_PARTITION, DAYS, FIRST_DAYS]) await runner.query(days);
    await installReportViews(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropReportViews(runner);
    await runner.query(`
drop view send_gone, length_gone, event_gone, day_partition, send_repeat, send_attempt, send_history, send_change, outcome_cursor;
-- Of rows of send and send_event: before the tables.
drop function keep_attempts, read_log;
drop table erasure, webhook_message, webhook_change, webhook, alert_round, alert, parked_command, breakdown_rollup, send_breakdown, send_rollup, length_rollup, send_rollup_hour, length_rollup_hour,
  rollup_retry, rollup_open, event_sum, day_drop, audience_known, audience_use, audience_part, audience_page, audience_version, audience_list, recipient_zone,
  audience_lookup, gateway_name, offset_census, registered_offset, project_pace, plan_preview_cell, plan_preview, outcome_cursor_turn, send_event,
  outbox, send_set_item, send_set, standing_count, unwritten_answer, send_transition, attempt, send_note, send_recipients,
  send, send_next, cell_next, occurrence_next, campaign_act, cell, occurrence, revision, campaign_transition, campaign_history, campaign_touched, campaign,
  command, duplicate, rejection, inbox_key, partition_place, event, zone_rules_in_force, idempotent_answer, audit, api_token,
  replica, project_trouble, project_key, project;
drop function if exists ${FOLDERS.flatMap(functionNames).join(', ')};
drop type ended_send, fire_order, recorded_answer, attempt_end, put_back, send_move, lost_fire, poll_row, page_place;`);
  }
}
