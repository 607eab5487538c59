// GET /v1/reports/summary in SQL: sends and devices by one or two keys over many campaigns, from the rows of a report. Reads only,
// in the caller's snapshot.
import { z } from 'zod';
import { sqlList } from '../../../platform/database/sql-list.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { SEND_STATES, statesOfTerm } from '../../decide/lifecycle/send-state.js';
import {
  countsOf,
  each,
  kindOf,
  SUMMED_COUNTS,
  type CountedCounts,
  type Counts,
} from '../figures/report-figures.js';
import { NOT_REPORTED } from '../../store/rollup/reported-group.js';
import { ENDED, NUMBERS, SEND_KEYS, SEND_ROLLUP } from '../../store/rollup/counted-sends.js';
import type { GroupedReport } from './grouped-report.store.js';
import {
  filtered,
  keyColumns,
  rolledUp,
  REPORTED_GROUP_KEYS,
  REPORTED_ROWS,
  type GroupKey,
} from './grouped-rows.js';

/** The outcomes of devices in breakdowns, each with its name in breakdown_rollup. */
const OUTCOMES = {
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
  suppressed: 'suppressed',
  notReported: NOT_REPORTED,
} as const;
type Outcome = keyof typeof OUTCOMES;
export const REPORTED_OUTCOMES = Object.keys(OUTCOMES) as readonly Outcome[];

export const Reasons = listOf(
  z.object({ state: z.enum(SEND_STATES), code: z.string().nullable(), sends: count }),
).describe(
  'Why sends did not end as sent: left out, expired, failed, nobody to send to; the most frequent first',
);

export const Reported = z
  .object({
    devices: z.record(z.enum(REPORTED_OUTCOMES), count),
    reasons: listOf(
      z.object({ outcome: z.enum(REPORTED_OUTCOMES), reason: z.string().nullable(), devices: count }),
    ),
  })
  .describe(
    "What the push service's breakdowns say about these devices, once they are there. `failed` and `unknown` together are `failed` of devices; `suppressed` were no targets; for `notReported` there is no breakdown",
  )
  .meta({ id: 'Reported' });
type Reported = z.output<typeof Reported>;

export interface SummaryFigures extends Counts {
  readonly reasons: z.output<typeof Reasons>;
  /** All of its sends have ended. */
  readonly final: boolean;
  /** Where it is asked for. */
  readonly reported?: Reported | undefined;
}

type Found = CountedCounts & {
  readonly reasons: SummaryFigures['reasons'] | null;
  readonly final: boolean | null;
  readonly reported?: Reported['devices'];
  readonly reported_reasons?: Reported['reasons'] | null;
};

const COLUMNS = [...SEND_KEYS, "'all' as language", ...NUMBERS].join(', ');
const COUNTED = `coalesce(sum(m.sends), 0)::float8 as planned, ${SUMMED_COUNTS}, bool_and(m.state in ${ENDED}) as final`;

const AS_WANTED = sqlList([...statesOfTerm('sent'), ...statesOfTerm('open'), ...statesOfTerm('standing')]);
const REASONS = `
jsonb_agg(jsonb_build_object('state', m.state, 'code', m.code, 'sends', m.sends) order by m.sends desc, m.state, m.code)
  filter (where m.sends <> 0 and m.state not in ${AS_WANTED}) as reasons`;

const NAME_OF_OUTCOME = `case m.outcome ${REPORTED_OUTCOMES.map((name) => `when '${OUTCOMES[name]}' then '${name}'`).join(' ')} end`;
const COUNTED_REPORTED = `
jsonb_build_object(${REPORTED_OUTCOMES.map(
  (name) => `'${name}', coalesce(sum(m.reported) filter (where m.outcome = '${OUTCOMES[name]}'), 0)`,
).join(', ')}) as reported,
jsonb_agg(jsonb_build_object('outcome', ${NAME_OF_OUTCOME}, 'reason', m.reason, 'devices', m.reported) order by m.reported desc, m.outcome, m.reason)
  filter (where m.reported <> 0 and m.outcome <> 'sent') as reported_reasons`;

/** The outcomes whose devices add to each of a send's numbers. */
const ADDED_BY = { target: ['sent', 'failed', 'unknown'], sent: ['sent'], failed: ['failed', 'unknown'] };
const splitNumbers = (sign: '' | '-'): string =>
  Object.entries(ADDED_BY)
    .map(
      ([number, outcomes]) =>
        `case when m.outcome in ${sqlList(outcomes)} then ${sign} m.devices else 0 end as ${number}`,
    )
    .join(', ');

/**
 * The devices of breakdowns, as rows of `keyed` under their own keys. Where rows are split by these keys, the same devices once more as
 * negative numbers under the keys of their send. Both are of ended sends and count no send.
 */
function reportedRows(by: readonly GroupKey[], laterHours: number): string {
  const isSplit = by.some((key) => REPORTED_GROUP_KEYS.includes(key));
  const keys = SEND_KEYS.filter((name) => name !== 'device_type' && name !== 'country').join(', ');
  const kept = 'outcome, reason, devices';
  // Devices without a breakdown stay under the key that was asked for.
  const reportedOr = (asked: string): string =>
    `case outcome when '${NOT_REPORTED}' then ${asked} else reported_${asked} end as ${asked}`;
  const moved = `select ${keys}, ${reportedOr('device_type')}, ${reportedOr('country')}, language, ${kept} from reported`;
  const stood = `select ${keys}, device_type, country, 'all' as language, ${kept} from reported`;
  const rows = (from: string, numbers: string, reported: string): string => `
  union all
  select ${keyColumns(by, laterHours)}, null, null, 'settled', 0 as sends, ${numbers}, ${reported} from (${from}) m`;
  const reportedColumns = 'm.outcome, m.reason, m.devices';
  return isSplit
    ? rows(moved, splitNumbers(''), reportedColumns) + rows(stood, splitNumbers('-'), 'null, null, 0')
    : rows(moved, '0 as target, 0 as sent, 0 as failed', reportedColumns);
}

/** `reported`: with the outcomes of breakdowns, and devices split by their keys where the report is grouped by one. */
export const summaryReport = (reported: boolean): GroupedReport<Found, SummaryFigures> => ({
  // `alike` groups rows by state and code: the reasons are counted by these, and `kind` needs the state.
  relationsOf: (ask, laterHours) => {
    const { by } = ask;
    const summed = reported ? [...NUMBERS, 'reported'] : NUMBERS;
    const alike = ['state', 'code', 'kind', ...(reported ? ['outcome', 'reason'] : [])].join(', ');
    return `${reported ? `${REPORTED_ROWS},` : ''}
keyed as (
  select ${keyColumns(by, laterHours)}, m.state, m.code, ${kindOf('m')} as kind, ${NUMBERS.map((name) => `m.${name}`).join(', ')}
         ${reported ? ', null::text as outcome, null::text as reason, 0 as reported' : ''}
    from (${rolledUp(COLUMNS, SEND_ROLLUP, ask)} union all ${filtered(COLUMNS, 'lacking')}) m${reported ? reportedRows(by, laterHours) : ''}),
alike as (
  select grouping(k1) = 1 as whole, k1, k2, ${alike}, ${summed.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from keyed group by grouping sets ((k1, k2, ${alike}), (${alike}))
  having ${summed.map((name) => `sum(${name}) <> 0`).join(' or ')}),
counted as (select whole, k1, k2, ${COUNTED}, ${REASONS}${reported ? `, ${COUNTED_REPORTED}` : ''} from alike m group by whole, k1, k2)`;
  },
  figuresOf: (found) => ({
    ...countsOf(found),
    reasons: found?.reasons ?? [],
    final: found?.final ?? true,
    ...(reported && {
      reported: {
        devices: each(REPORTED_OUTCOMES, (outcome) => found?.reported?.[outcome]),
        reasons: found?.reported_reasons ?? [],
      },
    }),
  }),
});
