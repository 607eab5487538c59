import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Uncertain sends whose requestId is known are asked about: the follower finds them by this index. */
export class KnownUncertain1763700000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
create index send_known on send (service_id, next_look_at, id) where state = 'uncertain' and request_id is not null;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop index send_known;
`);
  }
}
