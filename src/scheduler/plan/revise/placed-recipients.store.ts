// Where the recipients of a campaign are, for a revision that leaves them there (decide/lifecycle/revision.ts). Only reads.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { ONCE } from '../../decide/recurrence/occurrences.js';
import type { PlacedRecipients } from '../../decide/plan/plan-types.js';

export interface Places {
  readonly placed: readonly PlacedRecipients[];
  /** How many ids a full request of them has; null: none is full, so all have one request. */
  readonly maxTo: number | null;
}

// Primary key of cell; index send_cell. A full request is any but the last of its cell.
const PLACES = `
select coalesce(jsonb_agg(p.place order by p.zone, p."zoneSource", p.segment), '[]') as placed,
       (select max(s.recipients) from send s
         where s.campaign = $1 and s.occurrence = '${ONCE}' and s.next_send is null and s.chunk = 0
           and exists (select from cell c where c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell and c.chunks > 1)
       ) as "maxTo"
  from (select zone, zone_source as "zoneSource", segment,
               jsonb_build_object('zone', zone, 'zoneSource', zone_source, 'segment', segment, 'recipients', max(recipients)) as place
          from cell where campaign = $1 and occurrence = '${ONCE}' group by 1, 2, 3) p`;

export async function readPlaces(sql: Sql, campaign: string): Promise<Places> {
  const places = await firstRow<Places>(sql, PLACES, [campaign]);
  if (places === undefined) throw new Error('an aggregate has no row');
  return places;
}
