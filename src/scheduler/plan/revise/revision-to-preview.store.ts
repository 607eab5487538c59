// A campaign as the planner would read it once a revision of these data were taken. Only reads.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { CANCELABLE_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import type { Campaign } from '../../decide/plan/campaign.js';
import { leftOut, type CampaignToPlan } from '../plan.store.js';

export interface RevisionToPreview {
  readonly one: CampaignToPlan;
  /** The project asks for an approval. */
  readonly asksApproval: boolean;
}

// Primary keys. A campaign that was never planned is planned by its newest revision in the first place.
const READ = `
select jsonb_build_object('id', c.id, 'serviceId', c.service_id, 'trace', null, 'plan', null, 'after', null, 'moved', false,
         'revision', (select max(n.revision) + 1 from revision n where n.campaign = c.id),
         'state', case c.state when 'accepted' then 'planning' else c.state end,
         'before', case when c.state not in ('accepted', 'planning') then r.data end,
         'canceled', ${leftOut('true')},
         'resumedAt', (extract(epoch from c.resumed_at) * 1000)::float8) as one,
       coalesce(p.approval = 'required', false) as "asksApproval"
  from campaign c join revision r on r.campaign = c.id and r.revision = c.revision
  left join project p on p.service_id = c.service_id
 where c.id = $1 and c.state in ${sqlList(CANCELABLE_CAMPAIGN)}`;

/** Undefined where the campaign is closed, or there is none. */
export async function revisionToPreview(
  sql: Sql,
  campaign: string,
  data: Campaign,
): Promise<RevisionToPreview | undefined> {
  const row = await firstRow<RevisionToPreview>(sql, READ, [campaign]);
  return row && { ...row, one: { ...row.one, data } };
}
