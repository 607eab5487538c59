import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is taken with every request no longer locks its service's row. A service's row is never deleted (it is marked
 * removed, and the gateway asks for that), so the references guarded nothing; but each insert read and locked it, and
 * inserts side by side made a multixact of their locks: some 60 µs of the database's processor time each.
 */
export class HotInserts1763700100005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
alter table message drop constraint message_service_id_fkey;
alter table push_user drop constraint push_user_service_id_fkey;
alter table device drop constraint device_service_id_fkey;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
alter table device add constraint device_service_id_fkey
  foreign key (service_id) references service on delete cascade;
alter table push_user add constraint push_user_service_id_fkey
  foreign key (service_id) references service on delete cascade;
alter table message add constraint message_service_id_fkey
  foreign key (service_id) references service on delete cascade;
`);
  }
}
