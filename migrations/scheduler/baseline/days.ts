import { sqlList } from '../../../src/platform/database/sql-list.js';
import { DROP_STEPS } from '../../../src/scheduler/decide/lifecycle/drop-steps.js';

/** The rows of a rollup whose day is gone. */
const goneSums = (of: string): string => `
create view ${of}_gone as
select r.* from ${of}_rollup r
 where r.day <= (select d.day from day_drop d) and r.campaign < (select uuid_floor(d.day + interval '3 days') from day_drop d)
   and r.day - (select (kept_from('send') at time zone 'UTC')::date) < 0;`;

/** What is left of days that were removed (docs/decisions/0001). */
export const DAYS = `
-- The newest day that is being removed or was: at most one row. Step by step and page by page, rows that the sends of earlier days left
-- are moved to this day, and its raw bodies are counted; then the day is detached from each table, and rows that nothing refers to any
-- more are deleted. If a process ends between two steps, the next process goes on.
create table day_drop (
  day          date constraint day_drop_pkey primary key,
  step         text not null default '${DROP_STEPS[0]}' check (step in ${sqlList(DROP_STEPS)}),
  -- The next page of its step begins behind this id.
  after        uuid not null
);

-- How many raw bodies days that were removed had, by verdict; counterparts: the campaigns, revisions, commands … that they became.
create table event_sum (
  day           date not null,
  service_id    text,
  verdict       text not null,
  events        bigint not null,
  counterparts  bigint not null
);

-- The sums that count in place of sends that are gone. The partitions, in the caller's snapshot, show whether a day is gone. They are
-- read once in a statement (2 ms), and only if day_drop, which is cheap to read, does not already exclude the row.
${['send', 'length'].map(goneSums).join('\n')}
create view event_gone as select * from event_sum where day < (select kept_from('event') at time zone 'UTC');
`;
