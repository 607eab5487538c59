import { sqlList } from '../../../src/platform/database/sql-list.js';
import { DROP_STEPS } from '../../../src/scheduler/decide/lifecycle/drop-steps.js';

/** The rows of a rollup whose day is gone. */
const goneSums = (of: string): string => `
create view ${of}_gone as
select r.* from ${of}_rollup r
 where r.day <= (select d.day from day_drop d) and r.campaign < (select uuid_floor(d.day + interval '3 days') from day_drop d)
   and r.day - (select (kept_from('send') at time zone 'UTC')::date) < 0;`;

/** What is left of the days that went (docs/decisions/0001). */
export const DAYS = `
-- The newest day that is going or gone, at most one row: what the sends of earlier days left is laid with its own, its raw bodies are
-- counted, page by page; then it is taken off each table, and behind it what nothing names any more goes. A process that ends
-- between two steps leaves the rest to whoever comes next.
create table day_drop (
  day          date constraint day_drop_pkey primary key,
  step         text not null default '${DROP_STEPS[0]}' check (step in ${sqlList(DROP_STEPS)}),
  -- Behind which id the next page of its step begins.
  after        uuid not null
);

-- What the raw bodies of days that went came to, by verdict; counterparts: the campaigns, revisions, commands … that they became.
create table event_sum (
  day           date not null,
  service_id    text,
  verdict       text not null,
  events        bigint not null,
  counterparts  bigint not null
);

-- The sums that count in place of sends that are gone. Whether a day is gone is known by the partitions, as the caller's snapshot
-- shows them; that is asked once a statement (2 ms), and only where day_drop, which is cheap to read, lets a row pass.
${['send', 'length'].map(goneSums).join('\n')}
create view event_gone as select * from event_sum where day < (select kept_from('event') at time zone 'UTC');
`;
