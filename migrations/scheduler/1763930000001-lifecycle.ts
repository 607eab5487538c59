import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlRows } from '../../src/platform/database/sql-list.js';
import { campaignArrows } from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import { allArrows } from '../../src/scheduler/decide/lifecycle/send-state.js';
import { functionNames, functionsOf, installFunctions } from '../install-functions.js';

/** Every list of states comes from the tables of the lifecycle. All functions are installed anew: most of them ask about states. */
export class Lifecycle1763930000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const folder = functionsOf('scheduler');
    await runner.query('set local check_function_bodies = off');
    await installFunctions(runner, folder, functionNames(folder));
    await runner.query(`
set local check_function_bodies = on;
insert into send_transition values
  ${sqlRows(allArrows())} on conflict do nothing;
insert into campaign_transition values
  ${sqlRows(campaignArrows())} on conflict do nothing`);
  }

  /** The baseline has them, too. */
  async down(): Promise<void> {}
}
