// What a report tells of a send: of the newest of a chunk, in SQL, for the reports and for what is kept of it once it is gone.
import { sqlList } from '../../../platform/database/sql-list.js';
import { REPLACED_STATES } from '../../decide/lifecycle/send-state.js';

const REPLACED = sqlList(REPLACED_STATES);

function lengthMs(from: string, to: string): string {
  return `round(extract(epoch from ${to} - ${from}) * 1000)::float8`;
}

/** The lengths of measuredSends, each null where nothing is measured. */
export const LENGTHS = ['immediate_late', 'reserved_late', 'deferred', 'recovered'] as const;

/**
 * A query over `table`, send or one of its partitions. A retry's lateness is not in it, but how long after the first due it
 * got through.
 */
export const measuredSends = (table: string): string => `
select s.id, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.mode, s.handed_off_at is not null as handed_off,
       case when s.mode = 'immediate' and s.retry_of is null and s.request_id is not null
            then ${lengthMs('s.due', 's.answered_at')} end as immediate_late,
       case when s.mode = 'reserved' and s.retry_of is null then ${lengthMs('s.due', 's.complete_time')} end as reserved_late,
       case when s.due > s.intended_at then ${lengthMs('s.intended_at', 's.due')} end as deferred,
       case when s.retry_of is not null and s.state = 'sent'
            then ${lengthMs('s.due', "case s.mode when 'reserved' then s.complete_time else s.answered_at end")} end as recovered,
       1 as sends, coalesce(s.target_count, 0) as target, coalesce(s.sent_count, 0) as sent,
       greatest(coalesce(s.target_count, 0) - coalesce(s.sent_count, 0), 0) as failed
  from (select n.*, coalesce(n.first_due, n.due_at) as due
          from ${table} n where n.next_send is null and n.state not in ${REPLACED}) s`;

/**
 * The same of sends that are gone, a row each, so that one percentile is over both: of those that are alike the first has
 * the devices of all.
 */
export const GONE_SENDS = `
select g.service_id, g.campaign, g.occurrence, g.cell, g.state, g.mode, g.handed_off, ${LENGTHS.map((name) => `g.${name}`).join(', ')},
       ${['target', 'sent', 'failed'].map((name) => `case n when 1 then g.${name} else 0 end as ${name}`).join(', ')}
  from send_gone g cross join generate_series(1, g.sends) n`;

/** Inserts the sums of these measured sends, a query's text, under the days that their ids name. */
export const insertSums = (measured: string): string => `
insert into send_sum (day, service_id, campaign, occurrence, cell, state, mode, handed_off, ${LENGTHS.join(', ')}, sends, target, sent, failed)
select (bound_at(m.id::text) at time zone 'UTC')::date, m.service_id, m.campaign, m.occurrence, m.cell, m.state, m.mode, m.handed_off,
       ${LENGTHS.map((name) => `two_digits(m.${name})`).join(', ')}, count(*), sum(m.target), sum(m.sent), sum(m.failed)
  from (${measured}) m
 group by ${Array.from({ length: 8 + LENGTHS.length }, (_, index) => index + 1).join(', ')}`;
