// Counts sends that need attention in groups; each group leads to the list of its sends. Never writes.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { lookedAt, MOST_LOOKED_AT, type Counted } from '../../../platform/database/bounded-pages.js';
import { ATTENTION_STATES, RETRYABLE_STATES, type SendState } from '../../decide/lifecycle/send-state.js';
import { count } from '../../../platform/http/zod-schemas.js';
import { MODES } from '../../decide/timing/send-mode.js';
import { lookForSends, ZONE_OF_SEND, type SendFilter } from '../../store/read/send-filter.js';

/** The keys by which failures are grouped beside their state, as expressions on a row `s` of send. */
const KEYS = {
  code: 's.code',
  project: 's.service_id',
  campaign: 's.campaign',
  zone: `(${ZONE_OF_SEND})`,
  mode: 's.mode',
  httpStatus: 's.http_status',
} as const;
export type FailureKey = keyof typeof KEYS;
export const FAILURE_KEYS = Object.keys(KEYS) as readonly FailureKey[];

const IF_GROUPED = 'where groups are by it';
export const FailureGroup = z.object({
  state: z.enum(ATTENTION_STATES),
  code: z.string().nullable().optional().describe(IF_GROUPED),
  project: z.string().optional().describe(`Its serviceId, ${IF_GROUPED}`),
  campaign: z.uuid().optional().describe(`Our id, ${IF_GROUPED}`),
  campaignId: z.string().nullable().optional().describe(`The publisher's, ${IF_GROUPED}`),
  zone: z.string().nullable().optional().describe(IF_GROUPED),
  mode: z.enum(MODES).optional().describe(IF_GROUPED),
  httpStatus: z.int().nullable().optional().describe(`Of the newest attempt's answer, ${IF_GROUPED}`),
  sends: count,
  firstAt: z.date().describe('When the first of them came to this state'),
  lastAt: z.date(),
  retryable: z.boolean().describe('Whether sends of this state may be retried'),
});
export type FailureGroup = z.output<typeof FailureGroup>;

/** `place`: the group's place among the groups with as many sends. */
type PlacedGroup = FailureGroup & { readonly place: string };

/**
 * The largest groups of the newest sends that need attention and have one of the states, by index send_attention. `sends`: how many
 * were grouped, no more than a page may read. Call it in a snapshot: lookForSends first finds the bounds of a campaign's ids, and a
 * retry that is made after that would be missing together with the send that it replaces.
 */
export async function failureGroups(
  sql: Sql,
  filter: SendFilter & { readonly state: readonly SendState[] },
  groupBy: readonly FailureKey[],
  page: { readonly after: readonly [sends: number, place: string] | undefined; readonly limit: number },
): Promise<{ readonly groups: readonly PlacedGroup[]; readonly sends: Counted }> {
  const look = await lookForSends(sql, filter, { newest: true, from: undefined });
  const { parameters } = look;
  const keys = groupBy.map((key) => `${KEYS[key]} as "${key}"`);
  const names = ['state', ...groupBy.map((key) => `"${key}"`)];
  const [sends, place] = page.after ?? [];
  const after = parameters.all.length;
  const name = groupBy.includes('campaign')
    ? '(select c.campaign_id from campaign c where c.id = g.campaign) as "campaignId", '
    : '';
  // One statement: with many days in a table, PostgreSQL needs longer to plan than to read.
  const rows = await sql.query<PlacedGroup & { total: number; looked: number }>(
    `with looked as materialized (
       select ${['s.state', ...keys, 's.state_at as at', `${look.match} as matches`].join(', ')} from ${lookedAt(look)}),
     grouped as (
       select ${names.join(', ')}, count(*)::int as sends, min(at) as "firstAt", max(at) as "lastAt",
              jsonb_build_array(${names.join(', ')})::text collate "C" as place
         from looked where matches group by ${names.join(', ')})
     select ${name} g.*, (select count(*)::int from looked where matches) as total, (select count(*)::int from looked) as looked
       from (select) one left join grouped g
         on $${after + 1}::int is null or g.sends < $${after + 1} or g.sends = $${after + 1} and g.place > $${after + 2}::text
      order by g.sends desc, g.place limit $${after + 3}`,
    [...parameters.all, sends ?? null, place ?? null, page.limit],
  );
  const [{ total, looked } = { total: 0, looked: 0 }] = rows;
  return {
    groups: rows
      // Without any group there is still one row, with the counts only.
      .filter(({ place: at }) => at !== null)
      .map((row) => {
        const { total: _, looked: __, ...group } = row;
        return { ...group, retryable: RETRYABLE_STATES.includes(group.state) };
      }),
    sends: { value: total, atLeast: looked === MOST_LOOKED_AT },
  };
}
