// What a cancel of one occurrence has to know of it, and how far a campaign's occurrences have been planned. Reads only;
// ask while the campaign's row is locked, so that no planner and no other cancel writes them meanwhile.
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import type { OccurrenceFacts } from '../decide/lifecycle/cancel-occurrence.js';

/**
 * The last occurrence of the campaign `c` that was planned. Every planned one has cells; one that was cancelled before
 * it was planned has none, and planning has not come there yet.
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

/** In the order of `names`; those of unknown campaigns are missing. */
export async function occurrenceFacts(
  sql: Sql,
  names: readonly OccurrenceName[],
): Promise<(OccurrenceName & OccurrenceFacts)[]> {
  if (names.length === 0) return [];
  return sql.query<OccurrenceName & OccurrenceFacts>(
    `select n.campaign, n.occurrence, o.state, r.data->'delivery' as delivery,
            r.data->'policy'->'dst' as dst, ${PLANNED_UNTIL} as "plannedUntil"
       from unnest($1::uuid[], $2::text[]) with ordinality as n(campaign, occurrence, position)
       join campaign c on c.id = n.campaign
       join revision r on r.campaign = c.id and r.revision = c.revision
       left join occurrence o on o.campaign = n.campaign and o.occurrence = n.occurrence
      order by n.position`,
    [names.map(({ campaign }) => campaign), names.map(({ occurrence }) => occurrence)],
  );
}

/** An occurrence that planning left out, as a whole. */
export const SkippedOccurrence = z.object({
  occurrence: z.string(),
  code: z.string().nullable(),
  at: z.date().describe('When that was decided'),
});
export type SkippedOccurrence = z.output<typeof SkippedOccurrence>;

/** The newest are shown, in order. */
const MOST_SKIPPED = 366;

/** Of a campaign (that one where it is named). */
export async function skippedOccurrences(
  sql: Sql,
  campaign: string,
  occurrence?: string,
): Promise<SkippedOccurrence[]> {
  return sql.query<SkippedOccurrence>(
    `select * from (
       select occurrence, code, state_at as at from occurrence
        where campaign = $1 and ($2::text is null or occurrence = $2) and state = 'skipped'
        order by occurrence desc limit ${MOST_SKIPPED}) newest
      order by occurrence`,
    [campaign, occurrence ?? null],
  );
}
