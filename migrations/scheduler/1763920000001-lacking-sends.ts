import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';

/** What the rollups lack, with a plan that is kept. */
export class LackingSends1763920000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), ['lacking_sends']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function lacking_sends(uuid, timestamptz, timestamptz, text[])');
  }
}
