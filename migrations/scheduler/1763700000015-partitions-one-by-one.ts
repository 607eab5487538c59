import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One partition a statement: the function that made those of every table in one transaction held one table's lock while
 * it waited for the next one's, and those who write to both had a deadlock of it at a fresh start.
 */
export class PartitionsOneByOne1763700000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop function ensure_month_partitions(timestamptz);

-- Adds the partition of a month to a table that is partitioned by its (owner's) UUIDv7; idempotent. Nobody can use the
-- table while this waits for its lock, so it waits for moments only, and ends with 55P03. A month whose rows already lie
-- in the default partition is left there.
create function add_month_partition(parent text, month_of timestamptz) returns boolean language plpgsql
  set lock_timeout = '500ms' as $$
declare
  low  timestamptz := date_trunc('month', month_of, 'UTC');
  name text := parent || to_char(low at time zone 'UTC', '_YYYY_MM');
begin
  perform pg_advisory_xact_lock(hashtext('add_month_partition'));
  -- Not by to_regclass: its cache need not know yet what another has made while this one waited.
  if exists (select from pg_class c where c.relname = name and c.relnamespace = current_schema()::regnamespace) then
    return false;
  end if;
  execute format('create table %I partition of %I for values from (%L) to (%L)',
    name, parent, uuid_floor(low), uuid_floor(low + interval '1 month'));
  return true;
exception when check_violation then
  return false;
end $$;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop function add_month_partition(text, timestamptz);
create function ensure_month_partitions(month_of timestamptz) returns integer language plpgsql as $$
declare
  low  timestamptz := date_trunc('month', month_of, 'UTC');
  high timestamptz := low + interval '1 month';
  parent text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('ensure_month_partitions'));
  for parent in
    select c.relname from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
     where c.relnamespace = current_schema()::regnamespace order by 1
  loop
    if to_regclass(format('%I', parent || to_char(low at time zone 'UTC', '_YYYY_MM'))) is null then
      begin
        execute format('create table %I partition of %I for values from (%L) to (%L)',
          parent || to_char(low at time zone 'UTC', '_YYYY_MM'), parent, uuid_floor(low), uuid_floor(high));
        made := made + 1;
      exception when check_violation then
        null;
      end;
    end if;
  end loop;
  return made;
end $$;
`);
  }
}
