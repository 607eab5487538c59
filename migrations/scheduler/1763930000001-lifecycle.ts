import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlRows } from '../../src/platform/database/sql-list.js';
import { campaignArrows } from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import { allArrows } from '../../src/scheduler/decide/lifecycle/send-state.js';
import { functionsOf, installFunctions } from '../install-functions.js';

/**
 * The functions that list states come first, then those that ask them. The last two come with their triggers, which lock out
 * writers of sends until the commit, so that nothing else is waited for under that lock.
 */
const FUNCTIONS = [
  'campaign_state_is_plannable',
  'occurrence_state_is_open',
  'send_state_asks_on_cancel',
  'send_state_ends_on_cancel',
  'send_state_is_awaited',
  'send_state_is_begun',
  'send_state_is_born',
  'send_state_is_ended',
  'send_state_is_published',
  'send_state_is_unsent',
  'send_state_is_volatile',
  'send_state_waits_on_cancel',
  'end_attempts',
  'look_through',
  'open_occurrences',
  'read_outcomes',
  'take_back_page',
  'work_due',
  'send_write_birth',
  'send_write_history',
];

/** Every list of states comes from the tables of the lifecycle. */
export class Lifecycle1763930000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
insert into send_transition values
  ${sqlRows(allArrows())} on conflict do nothing;
insert into campaign_transition values
  ${sqlRows(campaignArrows())} on conflict do nothing`);
    await installFunctions(runner, functionsOf('scheduler'), FUNCTIONS);
  }

  /** The baseline has them, too. */
  async down(): Promise<void> {}
}
