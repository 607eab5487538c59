import { sqlList } from '../../../src/platform/database/sql-list.js';
import { DROP_STEPS } from '../../../src/scheduler/decide/lifecycle/drop-steps.js';

/** What is left of the days that went (docs/decisions/0001). */
export const DAYS = `
-- The day that is about to go, at most one: the sends that ended on it are counted, then the raw bodies that came on it, page by
-- page; then it is taken off each table, and behind it what nothing names any more goes. A process that ends between two steps
-- leaves the rest to whoever comes next.
create table day_drop (
  day          date constraint day_drop_pkey primary key,
  step         text not null default 'sends' check (step in ${sqlList(DROP_STEPS)}),
  -- Behind which id the next page of its step begins.
  after        uuid not null
);

-- What the sends that ended on days that went came to: those of a cell that are alike in all that a report tells of them, as one
-- row. Told only of days that are gone (send_gone). Lengths, milliseconds to two significant digits, are of each of them.
create table send_sum (
  day             date not null,
  service_id      text not null,
  campaign        uuid not null,
  occurrence      text not null,
  cell            text not null,
  state           text not null,
  mode            text not null,
  handed_off      boolean not null,
  immediate_late  float8,
  reserved_late   float8,
  deferred        float8,
  recovered       float8,
  sends           integer not null,
  target          bigint not null,
  sent            bigint not null,
  failed          bigint not null
);
create index send_sum_campaign on send_sum (campaign, occurrence, cell);
create index send_sum_day on send_sum (day);

-- The same of raw bodies, by verdict; counterparts: the campaigns, revisions, commands … that they became.
create table event_sum (
  day           date not null,
  service_id    text,
  verdict       text not null,
  events        bigint not null,
  counterparts  bigint not null
);

-- As a query of its own it is asked once a statement, and only where there are sums.
create view send_gone as select * from send_sum where day < (select kept_from('send') at time zone 'UTC');
create view event_gone as select * from event_sum where day < (select kept_from('event') at time zone 'UTC');
`;
