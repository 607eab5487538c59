// Reads a campaign for the API: its revisions and occurrences, its history, its stored plan; campaign-list.store.ts reads pages.
// Instants are Dates here, and ISO text with milliseconds and Z in the API.
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import type { CommonMessage } from '../../../push-contract/messages.js';
import { MESSAGE_TYPES } from '../../../push-contract/statuses.js';
import { OCCURRENCE_STATES } from '../../decide/lifecycle/campaign-state.js';
import { REVISION_STATES } from '../../decide/lifecycle/revision.js';
import { SEND_STATES } from '../../decide/lifecycle/send-state.js';
import type { PlannedSoFar } from '../../decide/recurrence/occurrences.js';
import { APPROVAL_HASH } from '../approval.store.js';
import { PLANNED_UNTIL } from '../occurrence.store.js';
import { RevisionDifference } from '../send/revise.store.js';
import { ShownMessages } from './shown-messages.js';
import { PlanProblemView, PlanView } from './plan-view.js';
import { CampaignStateView } from './state-views.js';

export const Attention = z.object({ code: z.string(), text: z.string() }).meta({ id: 'Attention' });

/** The members of a campaign that the API shows as they are read. */
export const CampaignRow = z.object({
  id: z.uuid().describe('Ours'),
  serviceId: z.string(),
  campaignId: z.string().describe("The publisher's, unique within the serviceId"),
  name: z.string().nullable(),
  state: CampaignStateView,
  paused: z.boolean(),
  revision: z.int().min(1),
  code: z.string().nullable().describe('Why it is in this state, if there is a reason to give'),
  detail: z.string().nullable(),
  stateAt: z.date(),
  stateBy: z.string().describe('Who or what brought it there'),
  createdAt: z.date(),
});
export type CampaignRow = z.output<typeof CampaignRow>;

/** The columns of CampaignRow, of a row `c` of campaign. */
export const CAMPAIGN_COLUMNS = `c.id, c.service_id as "serviceId", c.campaign_id as "campaignId", c.name, c.state, c.paused,
  c.revision, c.code, c.detail, c.state_at as "stateAt", c.state_by as "stateBy", c.created_at as "createdAt"`;

export async function campaignById(sql: Sql, id: string): Promise<CampaignRow | undefined> {
  return firstRow<CampaignRow>(sql, `select ${CAMPAIGN_COLUMNS} from campaign c where c.id = $1`, [id]);
}

export const RevisionState = z.enum(REVISION_STATES);
type RevisionState = z.output<typeof RevisionState>;
type PlanProblem = z.output<typeof PlanProblemView>;

export const RevisionRow = z
  .object({
    revision: z.int().min(1),
    event: z.uuid().describe('The event that made it'),
    hash: z
      .string()
      .describe('Over its message, audience, delivery and policy: whoever approves it says which they saw'),
    state: RevisionState,
    messageType: z.enum(MESSAGE_TYPES).nullable(),
    takenAt: z.date(),
    publishedBy: z
      .string()
      .describe(
        'Over HTTP token:name (id), as in audit rows; over Kafka kafka:source, as long as its event is kept',
      ),
    reasons: listOf(PlanProblemView).nullable().describe('Why it is rejected'),
  })
  .meta({ id: 'Revision' });
export type RevisionRow = z.output<typeof RevisionRow>;

/** Of a row of revision. Primary keys; the event itself is kept for some days only. */
function publishedBy(row: string): string {
  return `coalesce((select 'token:' || t.name || ' (' || t.id || ')' from api_token t where t.id = ${row}.token_id),
    'token:(' || ${row}.token_id || ')', (select 'kafka:' || e.source from event e where e.id = ${row}.event), 'kafka')`;
}

const REVISION_COLUMNS = `r.revision, r.event, ${APPROVAL_HASH} as hash, r.state, r.request->>'messageType' as "messageType",
  r.taken_at as "takenAt", r.reasons, ${publishedBy('r')} as "publishedBy"`;

export async function revisionsOf(sql: Sql, campaign: string): Promise<RevisionRow[]> {
  return sql.query<RevisionRow>(
    `select ${REVISION_COLUMNS} from revision r where r.campaign = $1 order by r.revision`,
    [campaign],
  );
}

const RevisionContent = RevisionRow.extend({
  difference: RevisionDifference.nullable().describe(
    'How its plan differed from the one in force when it was planned; null: it is the first, or is not planned yet',
  ),
  zoneRules: z
    .string()
    .nullable()
    .describe('The zone rules that moved its cells later: the difference is that from its own plan before'),
  plan: PlanView.nullable().describe('Its plan without the cells; null until it is planned'),
});
export const RevisionView = RevisionContent.extend({
  data: z
    .looseObject({})
    .describe('The data of its event as it came, with at most three ids of each list of recipients'),
  cut: z
    .record(z.string(), count)
    .describe('How many ids a list had that is cut, by its JSON pointer in data'),
  ...ShownMessages.shape,
}).meta({ id: 'RevisionView' });
export type RevisionView = z.output<typeof RevisionView>;

/** A revision as it is stored: its data with all ids, and the message that its requests carry. */
type StoredRevision = z.output<typeof RevisionContent> & {
  readonly data: Readonly<Record<string, unknown>>;
  readonly message: CommonMessage;
};

/** Primary key. */
export function storedRevision(
  sql: Sql,
  campaign: string,
  revision: number,
): Promise<StoredRevision | undefined> {
  return firstRow(
    sql,
    `select ${REVISION_COLUMNS}, r.difference, r.zone_rules as "zoneRules", r.plan, r.data, r.request -> 'message' as message
       from revision r where r.campaign = $1 and r.revision = $2`,
    [campaign, revision],
  );
}

export const OccurrenceRow = z
  .object({
    occurrence: z.string().describe('once, the local date and time of the firing, or test-<revision>'),
    revision: z.int().min(1),
    state: z.enum(OCCURRENCE_STATES),
    code: z.string().nullable(),
    firstDueAt: z.date().nullable(),
    lastDueAt: z.date().nullable(),
    stateAt: z.date(),
  })
  .meta({ id: 'Occurrence' });
export type OccurrenceRow = z.output<typeof OccurrenceRow>;

/** The latest `limit` occurrences, in order. */
export async function occurrencesOf(sql: Sql, campaign: string, limit: number): Promise<OccurrenceRow[]> {
  return sql.query<OccurrenceRow>(
    `select * from (
       select occurrence, revision, state, code, first_due as "firstDueAt", last_due as "lastDueAt", state_at as "stateAt"
         from occurrence where campaign = $1 order by occurrence desc limit $2) o
      order by occurrence`,
    [campaign, limit],
  );
}

export const SendStates = z
  .partialRecord(z.enum(SEND_STATES), count)
  .describe('The newest send of every chunk, counted by state');
export type SendStates = z.output<typeof SendStates>;

/**
 * The sends of one campaign, by state. `kept` leaves out those that are kept only as sums: nobody can retry or resolve them any more.
 * Indexes send_cell and send_rollup_key.
 */
export async function sendStatesOf(
  sql: Sql,
  campaign: string,
): Promise<{ readonly all: SendStates; readonly kept: SendStates }> {
  const rows = await sql.query<{ state: string; all: number; kept: number }>(
    `select state, sum(sends)::int as all, sum(kept)::int as kept
       from (select state, 1 as sends, 1 as kept from send where campaign = $1 and next_send is null
             union all select state, sends, 0 from send_gone where campaign = $1) s group by state order by state`,
    [campaign],
  );
  return {
    all: Object.fromEntries(rows.map((row) => [row.state, row.all])),
    kept: Object.fromEntries(rows.filter((row) => row.kept > 0).map((row) => [row.state, row.kept])),
  };
}

export const HistoryRow = z
  .object({
    sequence: z.int().describe('Rises with every change, with gaps'),
    from: z.string().nullable(),
    to: z.string(),
    code: z.string().nullable(),
    detail: z.string().nullable(),
    at: z.date(),
    by: z.string(),
  })
  .meta({ id: 'Change' });
export type HistoryRow = z.output<typeof HistoryRow>;

const HISTORY_COLUMNS = 'sequence, from_state as "from", to_state as "to", code, detail, at, by';

export async function campaignHistory(
  sql: Sql,
  campaign: string,
  page: { after: number; limit: number },
): Promise<HistoryRow[]> {
  return sql.query<HistoryRow>(
    `select ${HISTORY_COLUMNS} from campaign_history where campaign = $1 and sequence > $2 order by sequence limit $3`,
    [campaign, page.after, page.limit],
  );
}

export async function sendHistory(sql: Sql, send: string): Promise<HistoryRow[]> {
  return sql.query(`select ${HISTORY_COLUMNS} from send_history where send = $1 order by sequence`, [send]);
}

interface StoredPlan extends PlannedSoFar {
  /** Of the revision in force. */
  readonly state: RevisionState;
  /** Without the cells; null until it is planned. */
  readonly plan: PlanView | null;
  /** Why planning refused it. */
  readonly refusal: PlanProblem | null;
  /** Whether further occurrences may be planned. */
  readonly goesOn: boolean;
}

/** `shownTo`: the id of the first occurrence that is not shown any more; cancels of later ones are left out. */
export async function storedPlan(
  sql: Sql,
  campaign: string,
  shownTo: string,
): Promise<StoredPlan | undefined> {
  return firstRow(
    sql,
    `select r.state, r.plan, r.reasons -> 0 as refusal, r.data -> 'delivery' as delivery, r.data -> 'policy' -> 'dst' as dst,
            c.plan_at is not null and c.state in ('awaiting-approval', 'planned', 'running') as "goesOn",
            p.until as "plannedUntil",
            array(select o.occurrence from occurrence o
                   where o.campaign = c.id and o.state = 'canceled' and o.occurrence > coalesce(p.until, '') and o.occurrence < $2) as canceled
       from campaign c join revision r on r.campaign = c.id and r.revision = c.revision
      cross join lateral (select ${PLANNED_UNTIL} as until) p where c.id = $1`,
    [campaign, shownTo],
  );
}
