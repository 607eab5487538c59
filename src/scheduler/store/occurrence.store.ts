// Reads what an act on one occurrence needs, and how far a campaign's occurrences have been planned. Call it while the campaign's
// row is locked, so that no planner and no other act writes meanwhile.
import { z } from 'zod';
import { columnsOf } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import type { OccurrenceFacts } from '../decide/lifecycle/occurrence-act.js';

/**
 * The last planned occurrence of the campaign `c`. Every planned occurrence has cells. One that was cancelled before it was planned has
 * none: planning has not come to it yet.
 */
export const PLANNED_UNTIL = `(select max(o.occurrence) from occurrence o
  where o.campaign = c.id and o.occurrence not like 'test-%'
    and (o.state <> 'canceled' or exists (
      select from cell k where k.campaign = o.campaign and k.occurrence = o.occurrence)))`;

export interface OccurrenceName {
  /** Our id of the campaign. */
  readonly campaign: string;
  readonly occurrence: string;
}

const NAMES = columnsOf<OccurrenceName>('campaign uuid, occurrence text');

/** Occurrences of unknown campaigns are missing from the result. */
export async function occurrenceFacts(
  sql: Sql,
  names: readonly OccurrenceName[],
): Promise<(OccurrenceName & OccurrenceFacts)[]> {
  if (names.length === 0) return [];
  return sql.query(
    `select n.campaign, n.occurrence, o.state, r.data->'delivery' as delivery,
            r.data->'policy'->'dst' as dst, ${PLANNED_UNTIL} as "plannedUntil"
       from ${NAMES.from} as n
       join campaign c on c.id = n.campaign
       join revision r on r.campaign = c.id and r.revision = c.revision
       left join occurrence o on o.campaign = n.campaign and o.occurrence = n.occurrence`,
    NAMES.parametersOf(names),
  );
}

/** An occurrence that planning left out as a whole. */
export const SkippedOccurrence = z.object({
  occurrence: z.string(),
  code: z.string().nullable(),
  at: z.date().describe('When planning left it out'),
});
export type SkippedOccurrence = z.output<typeof SkippedOccurrence>;

/** Only the newest are shown. */
const MOST_SKIPPED = 366;

/** The skipped occurrences of a campaign, or only `occurrence`; in order. */
export function skippedOccurrences(
  sql: Sql,
  campaign: string,
  occurrence?: string,
): Promise<SkippedOccurrence[]> {
  return sql.query(
    `select * from (
       select occurrence, code, state_at as at from occurrence
        where campaign = $1 and ($2::text is null or occurrence = $2) and state = 'skipped'
        order by occurrence desc limit ${MOST_SKIPPED}) newest
      order by occurrence`,
    [campaign, occurrence ?? null],
  );
}
