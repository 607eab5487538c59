// Reads what is still to be handed off, for the forecast (forecast.md). Reads only.
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import type { ForecastProject } from '../../decide/forecast/forecast.js';
import type { LoadGroup } from '../../decide/forecast/load-group.js';

/** Open sends that are read: of one project, and of all. */
export const MOST_SENDS = { ofOne: 200_000, ofAll: 1_000_000 };
/** Groups of sends that come out of the database. */
export const MOST_GROUPS = 50_000;
/** Open sends that a warning at publishing looks at. */
const MOST_FOR_WARNING = 50_000;

export interface ReadProject extends ForecastProject {
  /** Nothing of it leaves now, and why. */
  readonly blocked: string | null;
  /** Campaigns with further occurrences that nobody has planned yet. */
  readonly notPlannedYet: number;
}

/** `services`: null for all. By the primary key; the count by index campaign_to_plan. */
export async function forecastProjects(
  sql: Sql,
  services: readonly string[] | null,
  { now, to }: { readonly now: EpochMs; readonly to: EpochMs },
): Promise<ReadProject[]> {
  return sql.query<ReadProject>(
    `with later as (
       select service_id, count(*)::int as campaigns from campaign
        where plan_at > '-infinity' and plan_at < to_timestamp($3::float8 / 1000) group by 1)
     select p.service_id as "serviceId", p.rate_per_second as "ratePerSecond",
            case when p.blocked_until > to_timestamp($2::float8 / 1000) then p.blocked_code end as blocked,
            coalesce(l.campaigns, 0) as "notPlannedYet"
       from project p left join later l using (service_id)
      where $1::text[] is null or p.service_id = any($1) order by 1`,
    [services, now, to],
  );
}

interface GroupRow extends Omit<LoadGroup, 'zone'> {
  readonly zone: string | null;
}

export interface PlannedLoad {
  readonly groups: readonly LoadGroup[];
  /** Everything before it is counted; undefined: everything that was asked for. */
  readonly coveredTo: EpochMs | undefined;
}

// Index send_work (service_id, work, next_at, chunk, id), in its order, so that a limit leaves out what is furthest away. Groups: a
// cell, by the minute of the hand-off and the minute of the due. Then the cells by their primary key, and the policy of each campaign
// once, because data may be a megabyte. Locks nothing.
const PLANNED = `
with found as materialized (
  select s.* from unnest($1::text[]) as p(service_id) cross join lateral (
    select o.service_id, o.campaign, o.revision, o.occurrence, o.cell, o.next_at, o.due_at from send_open o
     where o.service_id = p.service_id and o.work = 'f' and o.state = 'planned' and o.next_at < to_timestamp($2::float8 / 1000)
     order by o.next_at, o.chunk, o.id limit $3) s
   limit $4),
grouped as materialized (
  select service_id, campaign, max(revision) as revision, occurrence, cell, count(*)::int as requests, min(next_at) as at,
         min(due_at) as due
    from found group by 1, 2, 4, 5, date_trunc('minute', next_at, 'UTC'), date_trunc('minute', due_at, 'UTC')
   order by 7 limit $5),
policy as materialized (
  select g.campaign, g.revision, coalesce(r.data #>> '{policy,lateness,beyond}', '${policyDefaults.lateness.beyond}') as beyond,
         coalesce((r.data #>> '{policy,lateness,maxMs}')::float8, ${policyDefaults.lateness.maxMs}) as most
    from (select distinct campaign, revision from grouped) g join revision r using (campaign, revision))
select g.service_id as "serviceId", g.campaign, g.occurrence, c.zone, g.requests,
       extract(epoch from g.at)::float8 * 1000 as at, extract(epoch from coalesce(g.due, g.at))::float8 * 1000 as "dueAt",
       extract(epoch from (c.verdicts->>'deadlineAt')::timestamptz)::float8 * 1000 as "deadlineAt",
       p.most as "maxLateMs", p.beyond
  from grouped g left join cell c on c.campaign = g.campaign and c.occurrence = g.occurrence and c.cell = g.cell
  join policy p on p.campaign = g.campaign and p.revision = g.revision`;

/** What the projects are to hand off before `to`; late work too. Beyond MOST_SENDS or MOST_GROUPS the nearest counts. */
export async function plannedLoad(
  sql: Sql,
  services: readonly string[],
  to: EpochMs,
  most = { ...MOST_SENDS, groups: MOST_GROUPS },
): Promise<PlannedLoad> {
  if (services.length === 0) return { groups: [], coveredTo: undefined };
  const rows = await sql.query<GroupRow>(PLANNED, [services, to, most.ofOne, most.ofAll, most.groups]);
  const groups = rows.map((row): LoadGroup => ({ ...row, zone: row.zone ?? '' }));
  return { groups, coveredTo: coveredTo(groups, most) };
}

function coveredTo(
  groups: readonly LoadGroup[],
  most: { readonly ofOne: number; readonly ofAll: number; readonly groups: number },
): EpochMs | undefined {
  const last = new Map<string, { sends: number; at: EpochMs }>();
  let [all, latest] = [0, -Infinity];
  for (const { serviceId, requests, at } of groups) {
    const known = last.get(serviceId);
    last.set(serviceId, { sends: (known?.sends ?? 0) + requests, at: Math.max(known?.at ?? at, at) });
    all += requests;
    latest = Math.max(latest, at);
  }
  const cut = [...last.values()].filter(({ sends }) => sends >= most.ofOne).map(({ at }) => at);
  // Which projects the limit of all left out is not known.
  if (all >= most.ofAll || groups.length >= most.groups) cut.push(latest);
  return cut.length === 0 ? undefined : Math.min(...cut);
}

export interface MinuteOfCampaign {
  /** The publisher's id. */
  readonly campaignId: string;
  readonly at: EpochMs;
  readonly requests: number;
}

/** The requests that a project is to hand off, by campaign and minute; the nearest MOST_FOR_WARNING. Index send_work. */
export async function minuteLoads(sql: Sql, serviceId: string): Promise<MinuteOfCampaign[]> {
  return sql.query(
    `select c.campaign_id as "campaignId", extract(epoch from s.minute)::float8 * 1000 as at, s.requests
       from (select campaign, date_trunc('minute', next_at, 'UTC') as minute, count(*)::int as requests
               from (select campaign, next_at from send_open
                      where service_id = $1 and work = 'f' and state = 'planned' and next_at > '-infinity'
                      order by next_at, chunk, id limit $2) o
              group by 1, 2) s
       join campaign c on c.id = s.campaign`,
    [serviceId, MOST_FOR_WARNING],
  );
}

export interface CampaignName {
  readonly id: string;
  readonly campaignId: string;
  readonly name: string | null;
}

/** By the primary key. */
export async function campaignNames(sql: Sql, ids: readonly string[]): Promise<CampaignName[]> {
  if (ids.length === 0) return [];
  return sql.query('select id, campaign_id as "campaignId", name from campaign where id = any($1::uuid[])', [
    ids,
  ]);
}
