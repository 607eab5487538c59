// What a report counts, in SQL: the one place for the figures of the report (report.store.ts), of the ledger's devices and of
// the views that analysts read (report-views.ts). Which state counts as what comes from decide/lifecycle/.
import { sqlList } from '../../../../platform/database/sql-list.js';
import {
  ENDED_STATES,
  SEND_TERMS,
  statesOfTerm,
  type SendTerm,
} from '../../../decide/lifecycle/send-state.js';
import { MODES } from '../../../decide/timing/mode.js';
import { goneSends, LENGTHS, measuredSends } from '../measured-send.js';

export const DEVICE_TERMS = ['target', 'sent', 'failed', 'pending', 'unknown'] as const;
export type DeviceTerm = (typeof DEVICE_TERMS)[number];

/**
 * What the devices of a send `s` count as. One that settled: what was targeted and not taken by a provider failed. Nothing of
 * it is made up: the interface tells targets and takers, `failed` is their difference, never below zero, so that a takers'
 * count above the targets' leaves the row unbalanced for all to see. A standing message has fired what it has fired, also
 * while it is cancelled.
 */
export const kindOf = (
  s: string,
): string => `case when ${s}.state in ${sqlList(statesOfTerm('uncertain'))} then 'unknown'
              when ${s}.mode = 'scheduled' and ${s}.state in ('scheduled', 'canceling') then 'settled'
              when ${s}.state in ${sqlList(statesOfTerm('open'))} then 'pending'
              else 'settled' end`;

const MEASURED = `service_id, campaign, occurrence, cell, state, mode, handed_off, ${LENGTHS.join(', ')}, target, sent, failed`;

/**
 * Every send that a report counts and of which `where` holds, which speaks of `m`: those that are kept, and a row for each that
 * is gone, of the sums that `sums` names. Tests take no part.
 */
export const measuredWhere = (where: string, sums: string): string => `(
  select m.*, ${kindOf('m')} as kind
    from (select ${MEASURED}, false as gone from (${measuredSends('send')}) l
          union all select ${MEASURED}, true from (${goneSends(sums)}) g) m
   where ${where} and m.occurrence not like 'test-%')`;

/** By what a device counts as: which of its send's numbers, and of sends of which kind. */
export const DEVICES: Readonly<
  Record<DeviceTerm, readonly [column: 'target' | 'sent' | 'failed', kind?: string]>
> = {
  target: ['target'],
  sent: ['sent', 'settled'],
  failed: ['failed', 'settled'],
  pending: ['target', 'pending'],
  unknown: ['target', 'unknown'],
};

function devicesOf(term: DeviceTerm): string {
  const [column, kind] = DEVICES[term];
  const ofKind = kind === undefined ? '' : ` filter (where m.kind = '${kind}')`;
  return `coalesce(sum(m.${column})${ofKind}, 0)`;
}

/** `sends_…`, `devices_…`, `mode_…` and `gone`, each a count over measuredWhere as `m`. */
export const COUNTED: Readonly<
  Record<`sends_${SendTerm}` | `devices_${DeviceTerm}` | `mode_${(typeof MODES)[number]}` | 'gone', string>
> = {
  ...by('sends', SEND_TERMS, (term) => `count(*) filter (where m.state in ${sqlList(statesOfTerm(term))})`),
  ...by('devices', DEVICE_TERMS, devicesOf),
  ...by('mode', MODES, (mode) => `count(*) filter (where m.handed_off and m.mode = '${mode}')`),
  gone: 'count(*) filter (where m.gone)',
};

/** Null where there are none. */
export const ALL_ENDED = `bool_and(m.state in ${sqlList(ENDED_STATES)})`;

function by<const Name extends string, const Term extends string>(
  name: Name,
  terms: readonly Term[],
  of: (term: Term) => string,
): Record<`${Name}_${Term}`, string> {
  return Object.fromEntries(terms.map((term) => [`${name}_${term}`, of(term)])) as Record<
    `${Name}_${Term}`,
    string
  >;
}
