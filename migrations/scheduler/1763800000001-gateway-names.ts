import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What gateways said of the channels and schedules that campaigns name (planning.md §2): a table of its own, beside all there is. */
export class GatewayNames1763800000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
create table gateway_name (
  service_id    text not null references project on delete cascade,
  kind          text not null check (kind in ('channel', 'schedule')),
  name          text not null,
  -- Null: it was asked, and gave no answer.
  known         boolean,
  looked_up_at  timestamptz not null,
  constraint gateway_name_pkey primary key (service_id, kind, name)
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table gateway_name');
  }
}
