// GET /v1/reports/summary in SQL: sends and devices by one or two keys over many campaigns, from the parts of a report. Reads only,
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
import { NOT_TOLD } from '../../store/rollup/breakdown.store.js';
import { ENDED, NUMBERS, SEND_KEYS, SEND_ROLLUP } from '../../store/rollup/counted-sends.js';
import type { GroupedReport } from './grouped-report.store.js';
import {
  filtered,
  keyColumns,
  rolledUp,
  TOLD_GROUP_KEYS,
  TOLD_PARTS,
  type GroupKey,
} from './grouped-parts.js';

/** What breakdowns tell of devices, each with its name in breakdown_rollup. */
const OUTCOMES = {
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
  suppressed: 'suppressed',
  notTold: NOT_TOLD,
} as const;
type Outcome = keyof typeof OUTCOMES;
export const TOLD_OUTCOMES = Object.keys(OUTCOMES) as readonly Outcome[];

export const Reasons = listOf(
  z.object({ state: z.enum(SEND_STATES), code: z.string().nullable(), sends: count }),
).describe(
  'Why sends came to something else than sent: left out, expired, failed, with nobody who may be told; the most first',
);

export const Told = z
  .object({
    devices: z.record(z.enum(TOLD_OUTCOMES), count),
    reasons: listOf(
      z.object({ outcome: z.enum(TOLD_OUTCOMES), reason: z.string().nullable(), devices: count }),
    ),
  })
  .describe(
    "Of these devices what the push service's breakdowns told, once it is told: `failed` of devices is failed and unknown here, `suppressed` were no targets, and of `notTold` nobody can tell more",
  )
  .meta({ id: 'Told' });
type Told = z.output<typeof Told>;

export interface SummaryFigures extends Counts {
  readonly reasons: z.output<typeof Reasons>;
  /** All of its sends have ended. */
  readonly final: boolean;
  /** Where it is asked for. */
  readonly told?: Told | undefined;
}

type Found = CountedCounts & {
  readonly reasons: SummaryFigures['reasons'] | null;
  readonly final: boolean | null;
  readonly told?: Told['devices'];
  readonly told_reasons?: Told['reasons'] | null;
};

const COLUMNS = [...SEND_KEYS, "'all' as language", ...NUMBERS].join(', ');
const COUNTED = `coalesce(sum(m.sends), 0)::float8 as planned, ${SUMMED_COUNTS}, bool_and(m.state in ${ENDED}) as final`;

const AS_WANTED = sqlList([...statesOfTerm('sent'), ...statesOfTerm('open'), ...statesOfTerm('standing')]);
const REASONS = `
jsonb_agg(jsonb_build_object('state', m.state, 'code', m.code, 'sends', m.sends) order by m.sends desc, m.state, m.code)
  filter (where m.sends <> 0 and m.state not in ${AS_WANTED}) as reasons`;

const NAME_OF_OUTCOME = `case m.outcome ${TOLD_OUTCOMES.map((name) => `when '${OUTCOMES[name]}' then '${name}'`).join(' ')} end`;
const COUNTED_TOLD = `
jsonb_build_object(${TOLD_OUTCOMES.map(
  (name) => `'${name}', coalesce(sum(m.told) filter (where m.outcome = '${OUTCOMES[name]}'), 0)`,
).join(', ')}) as told,
jsonb_agg(jsonb_build_object('outcome', ${NAME_OF_OUTCOME}, 'reason', m.reason, 'devices', m.told) order by m.told desc, m.outcome, m.reason)
  filter (where m.told <> 0 and m.outcome <> 'sent') as told_reasons`;

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
 * What is told, as rows of parts under its own keys; and where rows are split by these, the same devices once more, taken away
 * from where they stood before. Both are of ended sends and count no send.
 */
function toldParts(by: readonly GroupKey[], laterHours: number): string {
  const isSplit = by.some((key) => TOLD_GROUP_KEYS.includes(key));
  const keys = SEND_KEYS.filter((name) => name !== 'device_type' && name !== 'country').join(', ');
  const kept = 'outcome, reason, devices';
  // Devices of which nobody can tell more are of what was asked for.
  const toldOr = (asked: string): string =>
    `case outcome when '${NOT_TOLD}' then ${asked} else told_${asked} end as ${asked}`;
  const moved = `select ${keys}, ${toldOr('device_type')}, ${toldOr('country')}, language, ${kept} from told`;
  const stood = `select ${keys}, device_type, country, 'all' as language, ${kept} from told`;
  const parts = (from: string, numbers: string, told: string): string => `
  union all
  select ${keyColumns(by, laterHours)}, null, null, 'settled', 0 as sends, ${numbers}, ${told} from (${from}) m`;
  const toldColumns = 'm.outcome, m.reason, m.devices';
  return isSplit
    ? parts(moved, splitNumbers(''), toldColumns) + parts(stood, splitNumbers('-'), 'null, null, 0')
    : parts(moved, '0 as target, 0 as sent, 0 as failed', toldColumns);
}

/** `told`: with what breakdowns tell, by which devices are split where a key says so. */
export const summaryReport = (told: boolean): GroupedReport<Found, SummaryFigures> => ({
  // Rows that are alike are of one reason, and `kind` needs their state: so both are counted from the rows of `alike`.
  partsOf: (ask, laterHours) => {
    const { by } = ask;
    const summed = told ? [...NUMBERS, 'told'] : NUMBERS;
    const alike = ['state', 'code', 'kind', ...(told ? ['outcome', 'reason'] : [])].join(', ');
    return `${told ? `${TOLD_PARTS},` : ''}
parts as (
  select ${keyColumns(by, laterHours)}, m.state, m.code, ${kindOf('m')} as kind, ${NUMBERS.map((name) => `m.${name}`).join(', ')}
         ${told ? ', null::text as outcome, null::text as reason, 0 as told' : ''}
    from (${rolledUp(COLUMNS, SEND_ROLLUP, ask)} union all ${filtered(COLUMNS, 'lacking')}) m${told ? toldParts(by, laterHours) : ''}),
alike as (
  select grouping(k1) = 1 as whole, k1, k2, ${alike}, ${summed.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from parts group by grouping sets ((k1, k2, ${alike}), (${alike}))
  having ${summed.map((name) => `sum(${name}) <> 0`).join(' or ')}),
counted as (select whole, k1, k2, ${COUNTED}, ${REASONS}${told ? `, ${COUNTED_TOLD}` : ''} from alike m group by whole, k1, k2)`;
  },
  figuresOf: (found) => ({
    ...countsOf(found),
    reasons: found?.reasons ?? [],
    final: found?.final ?? true,
    ...(told && {
      told: {
        devices: each(TOLD_OUTCOMES, (outcome) => found?.told?.[outcome]),
        reasons: found?.told_reasons ?? [],
      },
    }),
  }),
});
