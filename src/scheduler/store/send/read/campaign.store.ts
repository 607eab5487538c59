// Reads of campaigns for the API: pages, one campaign with its revisions and occurrences, its history, its stored plan.
// Never writes. Instants come as Date and leave as ISO text with milliseconds and Z.
import type { Sql } from '../../../../platform/database/database.js';

/** What is read of a campaign; it is shown as selected. */
export interface CampaignRow {
  readonly id: string;
  readonly serviceId: string;
  readonly campaignId: string;
  readonly name: string | null;
  readonly state: string;
  readonly revision: number;
}

const CAMPAIGN_COLUMNS = `c.id, c.service_id as "serviceId", c.campaign_id as "campaignId", c.name, c.state, c.paused,
  c.revision, c.code, c.detail, c.state_at as "stateAt", c.state_by as "stateBy", c.created_at as "createdAt"`;

export interface CampaignFilter {
  /** null: every service. */
  readonly serviceIds: readonly string[] | null;
  readonly serviceId?: string | undefined;
  /** The publisher's id. */
  readonly campaignId?: string | undefined;
  readonly state?: string | undefined;
}

/** Newest first, from below `beforeId`. Index campaign_service, or campaign_campaign_id where both ids are named. */
export async function campaignPage(
  sql: Sql,
  filter: CampaignFilter,
  page: { beforeId: string | undefined; limit: number },
): Promise<CampaignRow[]> {
  return sql.query<CampaignRow>(
    `select ${CAMPAIGN_COLUMNS} from campaign c
      where ($1::text[] is null or c.service_id = any($1)) and ($2::text is null or c.service_id = $2)
        and ($3::text is null or c.campaign_id = $3) and ($4::text is null or c.state = $4)
        and ($5::uuid is null or c.id < $5)
      order by c.id desc limit $6`,
    [filter.serviceIds, filter.serviceId, filter.campaignId, filter.state, page.beforeId, page.limit],
  );
}

export async function campaignById(sql: Sql, id: string): Promise<CampaignRow | undefined> {
  const [row] = await sql.query<CampaignRow>(`select ${CAMPAIGN_COLUMNS} from campaign c where c.id = $1`, [
    id,
  ]);
  return row;
}

export async function revisionsOf(sql: Sql, campaign: string): Promise<object[]> {
  return sql.query(
    `select revision, event, state, request->>'messageType' as "messageType", taken_at as "takenAt", reasons
       from revision where campaign = $1 order by revision`,
    [campaign],
  );
}

/** The latest `limit` occurrences, in order. */
export async function occurrencesOf(
  sql: Sql,
  campaign: string,
  limit: number,
): Promise<{ occurrence: string; state: string }[]> {
  return sql.query(
    `select * from (
       select occurrence, revision, state, code, first_due as "firstDueAt", last_due as "lastDueAt", state_at as "stateAt"
         from occurrence where campaign = $1 order by occurrence desc limit $2) o
      order by occurrence`,
    [campaign, limit],
  );
}

/** State → count over the newest send of every chunk. */
export async function sendStatesOf(sql: Sql, campaign: string): Promise<Record<string, number>> {
  const rows = await sql.query<{ state: string; count: number }>(
    `select state, count(*)::int as count from send
      where campaign = $1 and next_send is null group by state order by state`,
    [campaign],
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

export interface HistoryRow {
  readonly sequence: number;
  readonly from: string | null;
  readonly to: string;
  readonly code: string | null;
  readonly detail: string | null;
  readonly at: Date;
  readonly by: string;
}

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

/** Of the revision in force: its state, its plan but for the cells (null until planned), and why planning refused it. */
export async function storedPlan(
  sql: Sql,
  campaign: string,
): Promise<Record<'state' | 'plan' | 'refusal', unknown> | undefined> {
  const [row] = await sql.query<Record<'state' | 'plan' | 'refusal', unknown>>(
    `select r.state, r.plan, r.reasons -> 0 as refusal from campaign c
       join revision r on r.campaign = c.id and r.revision = c.revision where c.id = $1`,
    [campaign],
  );
  return row;
}

/** By which a cell is found again. */
export interface CellName {
  readonly occurrence: string;
  readonly cell: string;
}

/** Cells of a campaign in order of (occurrence, cell), from above `after`. Primary key. */
export async function cellPage(
  sql: Sql,
  campaign: string,
  page: { after: readonly [occurrence: string, cell: string] | undefined; limit: number },
): Promise<CellName[]> {
  return sql.query(
    `select occurrence, cell, revision, zone, zone_source as "zoneSource", segment, device_type as "deviceType", country,
            target, local_reading as "local", intended_at as "intendedAt", due_at as "dueAt",
            hand_off_at as "handOffAt", mode, mode_rule as "rule", verdicts, skipped_code as "skipped",
            chunks as "requests", recipients
       from cell where campaign = $1 and ($2::text is null or (occurrence, cell) > ($2, $3))
      order by occurrence, cell limit $4`,
    [campaign, page.after?.[0], page.after?.[1], page.limit],
  );
}
