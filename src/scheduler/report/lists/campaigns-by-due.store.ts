// Campaigns in the order in which they begin: by the first due of their soonest occurrence that is still to come. Never writes.
import { MOST_LOOKED_AT, Parameters } from '../../../platform/database/bounded-pages.js';
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { OPEN_OCCURRENCE } from '../../decide/lifecycle/campaign-state.js';
import { CAMPAIGN_COLUMNS, type CampaignRow } from '../../store/read/campaign.store.js';
import { conditionsOf, type CampaignFilter } from './campaign-list.store.js';

/** A place in the order: after the occurrence of that campaign which begins at `due`. */
export interface DuePlace {
  /** When the list was begun: every page counts what begins from then on. */
  readonly since: Date;
  readonly due: Date;
  readonly campaign: string;
}

export interface DuePage {
  readonly rows: readonly (CampaignRow & { readonly begins: Date })[];
  /** The last occurrence that was examined, if there may be more. */
  readonly stoppedAt: DuePlace | undefined;
}

const TO_COME = (row: string): string =>
  `${row}.state in ${sqlList(OPEN_OCCURRENCE)} and ${row}.occurrence not like 'test-%'`;

/**
 * Only campaigns with an occurrence that begins at `after.since` or later; each once. A page examines at most MOST_LOOKED_AT
 * occurrences, read in order by index occurrence_due. The earlier occurrences of a matching campaign are found by the primary key.
 */
export async function campaignsByDue(
  sql: Sql,
  filter: CampaignFilter,
  { after, limit }: { readonly after: DuePlace; readonly limit: number },
): Promise<DuePage> {
  const parameters = new Parameters();
  const due = parameters.add(after.due, 'timestamptz');
  const campaign = parameters.add(after.campaign, 'uuid');
  const looked = `select o.campaign, o.occurrence, o.first_due from occurrence o
     where ${TO_COME('o')} and (o.first_due, o.campaign) > (${due}, ${campaign})
     order by o.first_due, o.campaign limit ${MOST_LOOKED_AT}`;
  const since = parameters.add(after.since, 'timestamptz');
  const match = conditionsOf(filter, parameters);
  const rows = await sql.query<CampaignRow & { begins: Date }>(
    `select ${CAMPAIGN_COLUMNS}, f.first_due as begins
       from (select l.campaign, l.first_due
               from (${looked}) l join campaign s on s.id = l.campaign
              where ${match} and not exists (
                select from occurrence e
                 where e.campaign = l.campaign and e.first_due >= ${since} and ${TO_COME('e')}
                   and (e.first_due, e.occurrence) < (l.first_due, l.occurrence))
              order by l.first_due, l.campaign limit ${limit}) f
       join campaign c on c.id = f.campaign
      order by f.first_due, f.campaign`,
    parameters.all,
  );
  if (rows.length >= limit) return { rows, stoppedAt: undefined };
  const [last] = await sql.query<{ campaign: string; due: Date }>(
    `select l.campaign, l.first_due as due from (${looked}) l
      order by l.first_due, l.campaign offset ${MOST_LOOKED_AT - 1}`,
    [after.due, after.campaign],
  );
  return { rows, stoppedAt: last === undefined ? undefined : { since: after.since, ...last } };
}
