import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages to a few users are expanded, handed over and recorded many at a time: a mark to find them by. Chunks are kept
 * uncompressed: compressing six arrays took 5 ms a chunk, when it was laid down and again when it was claimed, for rows
 * that live for seconds. And outcome rows no longer lock their firing one by one, 10 ms a chunk: whoever records has its
 * chunk, which has its firing; whoever removes a firing (retention, or the end of a service) removes its chunks and its
 * outcomes first: nothing takes them along any more.
 */
export class FanOutInRuns1763700100006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Goes to so few users that many such messages are worked on together.
alter table message add column small boolean not null default false;
alter table firing add column small boolean not null default false;
create index firing_ready_small on firing (id) where state = 'READY' and small;

-- Devices in the chunk. The default is a whole chunk: what a process of the version before lays down is no small one.
alter table fan_out_chunk add column targets integer not null default 1000;
create index fan_out_chunk_small on fan_out_chunk (firing_id, chunk_no) where state = 'READY' and targets <= 20;
alter table fan_out_chunk
  alter column device_ids set storage external, alter column user_keys set storage external,
  alter column device_types set storage external, alter column countries set storage external,
  alter column languages set storage external, alter column timezones set storage external;

alter table delivery drop constraint delivery_firing_id_fkey;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
delete from delivery d where not exists (select from firing f where f.id = d.firing_id);
alter table delivery add constraint delivery_firing_id_fkey foreign key (firing_id) references firing on delete cascade;
alter table fan_out_chunk
  alter column device_ids set storage extended, alter column user_keys set storage extended,
  alter column device_types set storage extended, alter column countries set storage extended,
  alter column languages set storage extended, alter column timezones set storage extended;
drop index fan_out_chunk_small;
alter table fan_out_chunk drop column targets;
drop index firing_ready_small;
alter table firing drop column small;
alter table message drop column small;
`);
  }
}
