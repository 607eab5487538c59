import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';
import { FOUNDATION } from './baseline/foundation.js';
import { INTAKE } from './baseline/intake.js';
import { CAMPAIGNS } from './baseline/campaigns.js';
import { CAMPAIGN_CANCELS } from './baseline/campaign-cancels.js';
import { SENDS } from './baseline/sends.js';
import { UNWRITTEN_ANSWERS } from './baseline/unwritten-answers.js';
import { POLLS } from './baseline/polls.js';
import { RETRIES } from './baseline/retries.js';
import { OUTBOX } from './baseline/outbox.js';
import { OUTCOMES } from './baseline/outcomes.js';
import { PLAN_PREVIEWS } from './baseline/plan-previews.js';
import { PACE } from './baseline/pace.js';
import { AUDIENCE_FACTS } from './baseline/audience-facts.js';

/** The schema of the scheduler: tables with their reasons in baseline/, functions and triggers in sql/scheduler/functions/. */
export class Baseline1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const folder = functionsOf('scheduler');
    for (const tables of [
      FOUNDATION,
      INTAKE,
      CAMPAIGNS,
      CAMPAIGN_CANCELS,
      SENDS,
      UNWRITTEN_ANSWERS,
      POLLS,
      RETRIES,
      OUTBOX,
      OUTCOMES,
      PLAN_PREVIEWS,
      PACE,
      AUDIENCE_FACTS,
    ])
      await runner.query(tables);
    await installFunctions(runner, folder, FUNCTIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop view send_repeat, send_attempt, send_history, send_change;
-- Of rows of send: before the table.
drop function keep_attempts;
drop table audience_lookup, offset_census, registered_offset, project_pace, plan_preview_cell, plan_preview, publish_cursor, send_event,
  outbox, retry_item, retry_batch, standing_count, unwritten_answer, send_transition, attempt, send_note, send_recipients,
  send, campaign_cancel, cell, occurrence, revision, campaign_transition, campaign_history, campaign_touched, campaign,
  command, duplicate, rejection, inbox_key, event, zone_rules_in_force, idempotent_answer, audit, api_token,
  replica, project_trouble, project_key, project;
drop function if exists ${FUNCTIONS.join(', ')}, send_state_is_published, send_state_is_begun;`);
  }
}

/** After the tables; one whose body is SQL after those that it calls. */
const FUNCTIONS = [
  'uuid_floor',
  'campaign_keep_history',
  'campaign_write_history',
  'epoch_ms',
  'is_of_days',
  'work_days',
  'campaign_tell',
  'occurrence_tell',
  'campaign_shard',
  'event_position',
  'send_refuse_arrow',
  'send_keep_newest',
  'look_ahead',
  'look_further',
  'due_polls',
  'next_poll',
  'due_repeats',
  'add_day_partition',
  'cursor_gaps',
  'drop_event_day',
  'lies_in',
  'days_of',
  'may_repeat',
  'keep_attempts',
  'end_attempts',
  'settle_planned',
  'move_sends',
  'fire_repeat',
  'record_polls',
  'record_answers',
  'work_due',
  'take_back_page',
  'fire_sends',
  'look_through',
  'read_outcomes',
  'send_write_birth',
  'send_write_history',
  'tell_campaign',
];
