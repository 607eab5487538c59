// The checks behind the ledger's balance. Each names the rows that it finds missing or wrong. Two faults that cancel each other out
// leave the balance right; these checks still find them. Reads only, in the ledger's transaction.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { RETRYABLE_STATES } from '../../decide/lifecycle/send-state.js';
import { keptFrom } from '../../store/kept-from.js';
import { unreadBehind } from '../../store/unread-outcomes.js';
import { COUNTS, measuredSends, MEASURES } from '../../store/send/measured-send.js';
import { inWindow, ofService, parametersOf, type LedgerFilter } from './ledger-filter.js';
import { inPage, parametersIn, type CellPage } from './ledger-pages.js';
import { kindOf } from '../figures/report-figures.js';

/** The most rows that a check names; it counts all of them. */
const NAMED = 100;

/** By table, the verdict that the event of a row must have. */
const FILED_AS = {
  campaign: 'campaign',
  revision: 'revision',
  command: 'command',
  parked_command: 'parked',
  rejection: 'rejected',
  duplicate: 'duplicate',
};

/** Rows `i` of a table, named by their key, whose event is missing or has another verdict. */
function withoutEvent(table: keyof typeof FILED_AS, key: string, where: string): string {
  return `select concat_ws(' ', '${table}', ${key}) as row, 'its event ' || i.event || ' is missing or filed otherwise' as text
    from ${table} i left join event e on e.id = i.event and e.verdict = '${FILED_AS[table]}'
   where e.id is null and i.event >= ${keptFrom()} and ${where} and ${inWindow('i.event')}`;
}

const OF_CAMPAIGN = ofService('(select c.service_id from campaign c where c.id = i.campaign)');
/** Only the missing event has the service of these rows, so only a holder of all services sees them. */
const OF_EVERYTHING = '$1::text[] is null';

/** Whether the send `s` may still be sent, or sent again. */
const KEEPS_RECIPIENTS = `s.next_send is null and (s.ended_at = 'infinity' or s.state in ${sqlList(RETRYABLE_STATES)})`;

const SUMMED = 'array[sum(sends), sum(target), sum(sent)]::bigint[] as sums';

const CHECKS = {
  EVENT_WITHOUT_COUNTERPART: `
    select 'event ' || e.id as row, 'filed as ' || e.verdict || ', but there is no such row' as text
      from event e
      left join campaign c on e.verdict = 'campaign' and c.event = e.id
      left join revision r on e.verdict = 'revision' and r.event = e.id and r.revision > 1
      left join command m on e.verdict = 'command' and m.event = e.id
      left join parked_command p on e.verdict = 'parked' and p.event = e.id
      left join rejection j on e.verdict = 'rejected' and j.event = e.id
      left join duplicate d on e.verdict = 'duplicate' and d.event = e.id
     where coalesce(c.id, r.campaign, m.id, p.event, j.id, d.event) is null
       and ${inWindow('e.id')} and ${ofService('e.service_id')}`,
  CAMPAIGN_WITHOUT_EVENT: withoutEvent('campaign', 'i.id', ofService('i.service_id')),
  REVISION_WITHOUT_EVENT: withoutEvent(
    'revision',
    'i.campaign, i.revision',
    `i.revision > 1 and ${OF_CAMPAIGN}`,
  ),
  COMMAND_WITHOUT_EVENT: withoutEvent('command', 'i.id', `i.event is not null and ${OF_CAMPAIGN}`),
  PARKED_WITHOUT_EVENT: withoutEvent('parked_command', 'i.event', ofService('i.service_id')),
  REJECTION_WITHOUT_EVENT: withoutEvent('rejection', 'i.id', OF_EVERYTHING),
  DUPLICATE_WITHOUT_EVENT: withoutEvent('duplicate', 'i.event', OF_EVERYTHING),
  CAMPAIGN_WITHOUT_REVISION: `
    select 'campaign ' || c.id as row, 'its revision ' || c.revision || ' is missing' as text
      from campaign c left join revision r on r.campaign = c.id and r.revision = c.revision
     where r.campaign is null and c.event >= ${keptFrom()} and ${inWindow('c.id')} and ${ofService('c.service_id')}`,
  CAMPAIGN_HISTORY_GAP: `
    select 'campaign ' || c.id as row,
           coalesce(h.rows, 0) || ' rows of history for ' || c.history || ' states, the last ' || coalesce(h.last, 'none') as text
      from campaign c left join (
        select campaign, count(*) as rows, max(sequence) as top, (array_agg(to_state order by sequence desc))[1] as last
          from campaign_history group by campaign) h on h.campaign = c.id
     where (h.campaign is null or h.rows <> c.history or h.top <> c.history or h.last <> c.state)
       and ${inWindow('c.id')} and ${ofService('c.service_id')}`,
  PLAN_WITHOUT_CELLS: `
    select 'campaign ' || c.id as row, coalesce(k.cells, 0) || ' of ' || (r.plan->>'cells') || ' planned cells' as text
      from campaign c
      join revision r on r.campaign = c.id and r.revision = c.revision and r.state in ('awaiting-approval', 'in-force')
      left join (select campaign, count(*) as cells from cell where occurrence not like 'test-%' group by campaign) k on k.campaign = c.id
     where coalesce(k.cells, 0) <> (r.plan->>'cells')::int
       and not exists (select from campaign_act a where a.campaign = c.id and a.mark = 'revision') and ${inWindow('c.id')} and ${ofService('c.service_id')}`,
} as const satisfies Record<string, string>;

/** Checks of the cells and sends of a page. */
const CHECKS_OF_PAGE = {
  CELL_WITHOUT_OCCURRENCE: `
    select concat_ws(' ', 'cell', k.campaign, k.occurrence, k.cell) as row, 'its occurrence is missing' as text
      from cell k left join campaign c on c.id = k.campaign
      left join occurrence o on o.campaign = k.campaign and o.occurrence = k.occurrence
     where o.campaign is null and ${inPage('k')} and ${ofService('c.service_id')}`,
  CELL_WITHOUT_SENDS: `
    select concat_ws(' ', 'cell', k.campaign, k.occurrence, k.cell) as row,
           coalesce(n.chunks, 0) || ' of ' || k.chunks || ' requests have a send' as text
      from cell k left join campaign c on c.id = k.campaign
      left join (
        select campaign, occurrence, cell, sum(sends) as chunks
          from (select campaign, occurrence, cell, 1 as sends from send where next_send is null and state <> 'superseded'
                union all select campaign, occurrence, cell, sends from send_gone) s
         where ${inPage('s')}
         group by campaign, occurrence, cell) n
        on n.campaign = k.campaign and n.occurrence = k.occurrence and n.cell = k.cell
     where coalesce(n.chunks, 0) <> k.chunks and ${inPage('k')} and ${ofService('c.service_id')}`,
  SEND_WITHOUT_CELL: `
    select 'send ' || s.id as row, 'its cell is missing' as text
      from send s left join cell k on k.campaign = s.campaign and k.occurrence = s.occurrence and k.cell = s.cell
     where k.campaign is null and s.state <> 'superseded' and ${inPage('s')} and ${ofService('s.service_id')}`,
  NEXT_SEND_MISSING: `
    select 'send ' || s.id as row, 'the next of its chunk, ' || s.next_send || ', is missing or of another chunk' as text
      from send s left join send n on n.id = s.next_send and n.campaign = s.campaign and n.occurrence = s.occurrence
                                  and n.cell = s.cell and n.chunk = s.chunk
     where s.next_send is not null and n.id is null and ends_from(s.next_send) >= (select kept_from('send')) and ${inPage('s')} and ${ofService('s.service_id')}`,
  CHUNK_COUNTED_TWICE: `
    select concat_ws(' ', 'chunk', s.campaign, s.occurrence, s.cell, s.chunk) as row,
           count(*) || ' sends of it are the newest' as text
      from send s
     where s.next_send is null and s.state <> 'superseded' and ${inPage('s')} and ${ofService('s.service_id')}
     group by s.campaign, s.occurrence, s.cell, s.chunk having count(*) > 1`,
  SEND_TWICE: `
    select 'send ' || s.id as row, count(*) || ' rows have this id' as text
      from send s where ${inPage('s')} and ${ofService('s.service_id')} group by s.id having count(*) > 1`,
  // Only shards that are completely rolled up in this snapshot. Index send_event_position, one look-up for each hole.
  SUMS_DIFFER: `
    with whole as materialized (
      select c.shard from outcome_cursor c
       where c.consumer = 'rollup' and not exists (select from rollup_retry r where r.shard = c.shard)
         and not exists (
           select from ${unreadBehind({})})),
    counted as (
      select campaign, occurrence, cell, state, ${SUMMED}
        from (${measuredSends('send', `${COUNTS} and s.ended_at < 'infinity' and ${inPage('s')} and ${ofService('s.service_id')}`)}) m
       group by 1, 2, 3, 4),
    summed as (
      select campaign, occurrence, cell, state, ${SUMMED}
        from send_rollup r
       where r.day >= (select kept_from('send') at time zone 'UTC')::date and ${inPage('r')} and ${ofService('r.service_id')}
       group by 1, 2, 3, 4)
    select concat_ws(' ', 'cell', campaign, occurrence, cell, state) as row,
           coalesce(c.sums, '{0,0,0}')::text || ' sends, devices and devices taken, '
             || coalesce(r.sums, '{0,0,0}')::text || ' in the rollups' as text
      from counted c full join summed r using (campaign, occurrence, cell, state)
     where coalesce(c.sums, '{0,0,0}') <> coalesce(r.sums, '{0,0,0}')
       and campaign_shard(campaign) in (select w.shard from whole w)`,
  RECIPIENTS_MISSING: `
    select 'send ' || s.id as row, 'whom it goes to is missing' as text
      from cell k join send s on s.campaign = k.campaign and s.occurrence = k.occurrence and s.cell = k.cell
      left join send_recipients r on r.send = s.id
     where k.target->>'type' = 'USER' and r.send is null and ${KEEPS_RECIPIENTS} and ${inPage('s')} and ${ofService('s.service_id')}`,
  // The columns of most sends have their whole history: only the history of the others is looked up.
  SEND_HISTORY_GAP: `
    select 'send ' || s.id as row,
           h.rows || ' rows of history for ' || s.changes || ' states, the last ' || coalesce(h.last, 'none') as text
      from send s cross join lateral (
        select count(*) as rows, max(c.sequence) as top, (array_agg(c.to_state order by c.sequence desc))[1] as last
          from send_change c where c.send = s.id) h
     where (s.changes <> 1 + (s.changes > 1)::int + (s.changes > 2 and s.handed_off_at is not null)::int
                           + (s.changes > 3 and s.answered_at is not null)::int
            or exists (select from send_note n where n.send = s.id))
       and (h.rows <> s.changes or h.top <> s.changes or h.last <> s.state)
       and ${inPage('s')} and ${ofService('s.service_id')}`,
  // The newest attempt stands in the send itself.
  ATTEMPTS_MISSING: `
    select 'send ' || s.id as row, a.attempts || ' of ' || s.attempts || ' attempts' as text
      from send s cross join lateral (select count(*) as attempts from send_attempt t where t.send = s.id) a
     where (s.attempts > 1 or s.attempts = 1 and s.handed_off_at is null)
       and a.attempts < s.attempts and ${inPage('s')} and ${ofService('s.service_id')}`,
  // A provider took more devices than were targeted.
  DEVICES_UNBALANCED: `
    select 'send ' || s.id as row, ${MEASURES.sent} || ' devices taken of ' || ${MEASURES.target} || ' targeted' as text
      from send s
     where ${COUNTS} and (${kindOf('s')}) = 'settled' and ${MEASURES.sent} > ${MEASURES.target} and s.occurrence not like 'test-%'
       and ${inPage('s')} and ${ofService('s.service_id')}
    union all
    select concat_ws(' ', 'cell', g.campaign, g.occurrence, g.cell),
           sum(g.sent) || ' devices taken, ' || sum(g.failed) || ' not, of ' || sum(g.target) || ' targeted by sends that are gone'
      from send_gone g
     where (${kindOf('g')}) = 'settled' and g.occurrence not like 'test-%'
       and ${inPage('g')} and ${ofService('g.service_id')}
     group by g.campaign, g.occurrence, g.cell having sum(g.sent) + sum(g.failed) <> sum(g.target)`,
} as const satisfies Record<string, string>;
type CodeOfPage = keyof typeof CHECKS_OF_PAGE;
export type MissingCode = keyof typeof CHECKS | CodeOfPage;
const CODES = [...Object.keys(CHECKS), ...Object.keys(CHECKS_OF_PAGE)] as MissingCode[];

export const Missing = z
  .object({
    code: z.enum(CODES),
    count,
    rows: listOf(z.object({ row: z.string(), text: z.string() })).describe(
      'The first of them: which row, and what is wrong with it',
    ),
  })
  .meta({ id: 'Missing' });
export type Missing = z.output<typeof Missing>;

/** The missing rows of events, campaigns and plans, in the order of the checks. */
export function findMissing(sql: Sql, filter: LedgerFilter): Promise<Missing[]> {
  return found(sql, CHECKS, parametersOf(filter));
}

/** The missing rows of the cells and sends of a page. */
export function findMissingIn(sql: Sql, page: CellPage, filter: LedgerFilter): Promise<Missing[]> {
  return found(sql, CHECKS_OF_PAGE, parametersIn(page, filter));
}

async function found(
  sql: Sql,
  checks: Readonly<Record<string, string>>,
  parameters: readonly unknown[],
): Promise<Missing[]> {
  const missing: Missing[] = [];
  for (const [code, check] of Object.entries(checks)) {
    const rows = await sql.query<{ row: string; text: string; count: number }>(
      `select row, text, count(*) over ()::float8 as count from (${check}) found order by row limit ${NAMED}`,
      parameters,
    );
    const [first] = rows;
    if (first === undefined) continue;
    missing.push({
      code: code as MissingCode,
      count: first.count,
      rows: rows.map(({ row, text }) => ({ row, text })),
    });
  }
  return missing;
}

/** Adds two findings up, one for each code. It names no more rows than a check names. */
export function addMissing(one: readonly Missing[], another: readonly Missing[]): Missing[] {
  return CODES.flatMap((code) => {
    const both = [...one, ...another].filter((missing) => missing.code === code);
    if (both.length === 0) return [];
    const rows = both.flatMap((missing) => missing.rows).slice(0, NAMED);
    return { code, count: both.reduce((sum, { count: counted }) => sum + counted, 0), rows };
  });
}
