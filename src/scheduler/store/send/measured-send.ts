// SQL that measures a send for reports and rollups: its lengths and numbers of devices. Only the newest send of a chunk counts.
import { sqlList } from '../../../platform/database/sql-list.js';
import { REPLACED_STATES } from '../../decide/lifecycle/send-state.js';

const REPLACED = sqlList(REPLACED_STATES);

function lengthMs(from: string, to: string): string {
  return `round(extract(epoch from ${to} - ${from}) * 1000)::float8`;
}

/** The lengths of measuredSends(); each is null for sends that do not have it. */
export const LENGTHS = ['immediate_late', 'reserved_late', 'deferred', 'recovered'] as const;
const DEVICES = ['target', 'sent', 'failed'] as const;

/** When the first send of its chunk was due. */
export const DUE = 'coalesce(s.first_due, s.due_at)';

/** The measures of a send `s`. A retry has no lateness, but `recovered`: how long after the first due it got through. */
export const MEASURES: Readonly<Record<(typeof LENGTHS)[number] | (typeof DEVICES)[number], string>> = {
  immediate_late: `case when s.mode = 'immediate' and s.retry_of is null and s.request_id is not null
            then ${lengthMs(DUE, 's.answered_at')} end`,
  reserved_late: `case when s.mode = 'reserved' and s.retry_of is null then ${lengthMs(DUE, 's.complete_time')} end`,
  deferred: `case when ${DUE} > s.intended_at then ${lengthMs('s.intended_at', DUE)} end`,
  recovered: `case when s.retry_of is not null and s.state = 'sent'
            then ${lengthMs(DUE, "case s.mode when 'reserved' then s.complete_time else s.answered_at end")} end`,
  target: 'coalesce(s.target_count, 0)',
  sent: 'coalesce(s.sent_count, 0)',
  failed: 'greatest(coalesce(s.target_count, 0) - coalesce(s.sent_count, 0), 0)',
};

/** The lateness of a send `s`, immediate or reserved. */
export const LATE_MS = `coalesce(${MEASURES.immediate_late}, ${MEASURES.reserved_late})`;
/** Whether a send `s` was deferred. */
export const IS_DEFERRED = `(${DUE} > s.intended_at) is true`;

/** Whether a send `s` may count: no later revision has replaced it. */
export const STANDS = `s.state not in ${REPLACED}`;
/** Whether a send `s` counts: it is the newest of its chunk. */
export const COUNTS = `s.next_send is null and ${STANDS}`;

function measuresOf(names: readonly (keyof typeof MEASURES)[]): string {
  return names.map((name) => `${MEASURES[name]} as ${name}`).join(',\n       ');
}

/** A query that measures the sends `s` of `table` (send, a partition, or a query in brackets) that meet the condition `which`. */
export const measuredSends = (table: string, which = COUNTS): string => `
select s.id, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.code, ${DUE} as due, s.mode, s.ended_at,
       s.handed_off_at is not null as handed_off,
       ${measuresOf(LENGTHS)},
       1 as sends, ${measuresOf(DEVICES)}
  from ${table} s where ${which}`;
