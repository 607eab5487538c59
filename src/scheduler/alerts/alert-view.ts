// An alert as the API shows it.
import { z } from 'zod';
import { instantText } from '../../platform/instant.js';
import type { AlertRow } from './alert.store.js';
import { CAUSE_CODES, causeOf, runbookOf, SEVERITIES } from './cause.js';

const instant = z.iso.datetime();

/** What every view of a cause shows. */
export const CauseView = z.object({
  cause: z.enum(CAUSE_CODES),
  severity: z
    .enum(SEVERITIES)
    .describe('note: nobody has to act; warning: act today; critical: messages do not leave'),
  serviceId: z.string().nullable().describe('null: the whole installation'),
  figure: z.number().nullable().describe('In `unit`'),
  unit: z.string(),
  detail: z.string().describe('What was found'),
  text: z.string().describe('What the cause means'),
  nextStep: z.string(),
  runbook: z.string().describe('The page and heading that say more'),
});

export const AlertView = CauseView.extend({
  id: z.uuid(),
  since: instant.describe('When it was found first'),
  lastSeenAt: instant,
  endedAt: instant.nullable().describe('null: it is open'),
  worst: z.number().nullable().describe('The worst figure so far, in `unit`'),
  acknowledged: z
    .object({ at: instant, by: z.string() })
    .nullable()
    .describe('Who has taken it up; it ends only with its cause'),
}).meta({ id: 'Alert' });
export type AlertView = z.output<typeof AlertView>;

export const causeView = (
  one: Pick<AlertRow, 'cause' | 'serviceId' | 'figure' | 'detail'>,
): z.output<typeof CauseView> => {
  const { cause, serviceId, figure, detail } = one;
  const { severity, unit, text, nextStep } = causeOf(cause);
  return { cause, severity, serviceId, figure, unit, detail, text, nextStep, runbook: runbookOf(cause) };
};

export const acknowledgedView = ({
  acknowledgedAt: at,
  acknowledgedBy: by,
}: Pick<AlertRow, 'acknowledgedAt' | 'acknowledgedBy'>): AlertView['acknowledged'] =>
  at === null || by === null ? null : { at: instantText(at.getTime()), by };

export function alertView(row: AlertRow): AlertView {
  const { id, since, lastSeenAt, endedAt, worst } = row;
  return {
    id,
    ...causeView(row),
    since: instantText(since.getTime()),
    lastSeenAt: instantText(lastSeenAt.getTime()),
    endedAt: endedAt === null ? null : instantText(endedAt.getTime()),
    worst,
    acknowledged: acknowledgedView(row),
  };
}
