// Pages of the cells of a campaign's plan, with the sends of each cell counted by state. Never writes.
import type { Sql } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/bounded-pages.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';
import type { SendStates } from '../../store/read/campaign.store.js';
import type { CellRow } from '../../store/read/plan-view.js';

export interface CellFilter {
  readonly campaign: string;
  readonly occurrence?: string | undefined;
  readonly zone?: string | undefined;
  /** Only cells with a newest send of any of these states. */
  readonly state?: readonly SendState[] | undefined;
}

type Place = readonly [occurrence: string, cell: string];

/** The most cells that a page reads; fewer where the sends of each are looked up. */
const MOST_CELLS = 20_000;
const MOST_ASKED = 1_000;

/**
 * In order of (occurrence, cell), from above `after`. Primary key; the sends by index send_cell, and those that are kept as sums
 * alone by send_rollup_key. Two statements: call it in a snapshot, because cells that retention removes between them would move
 * `stoppedAt` past cells that were not read.
 */
export async function cellPage(
  sql: Sql,
  filter: CellFilter,
  page: { readonly after: Place | undefined; readonly limit: number },
): Promise<{ readonly cells: readonly CellRow[]; readonly stoppedAt: Place | undefined }> {
  const parameters = new Parameters();
  const campaign = parameters.add(filter.campaign, 'uuid');
  const looked = [`campaign = ${campaign}`];
  if (filter.occurrence !== undefined)
    looked.push(`occurrence = ${parameters.add(filter.occurrence, 'text')}`);
  if (page.after !== undefined) {
    const [occurrence, cell] = page.after.map((key) => parameters.add(key, 'text'));
    looked.push(`(occurrence, cell) > (${occurrence}, ${cell})`);
  }
  const most = filter.state === undefined ? MOST_CELLS : MOST_ASKED;
  const rows = `(select * from cell where ${looked.join(' and ')} order by occurrence, cell limit ${most})`;
  const ofRows = [...parameters.all];
  const match = ['true'];
  if (filter.zone !== undefined) match.push(`c.zone = ${parameters.add(filter.zone, 'text')}`);
  if (filter.state !== undefined) match.push(hasSends(parameters.add(filter.state, 'text[]')));
  const cells = await sql.query<CellRow>(
    `select c.occurrence, c.cell, c.revision, c.zone, c.zone_source as "zoneSource", c.segment,
            c.device_type as "deviceType", c.country, c.target, c.local_reading as "local", c.intended_at as "intendedAt",
            c.due_at as "dueAt", c.hand_off_at as "handOffAt", c.mode, c.mode_rule as "rule", c.verdicts,
            c.skipped_code as "skipped", c.chunks as "requests", c.recipients
       from ${rows} c where ${match.join(' and ')} order by c.occurrence, c.cell limit ${page.limit}`,
    parameters.all,
  );
  if (cells.length === page.limit) return { cells, stoppedAt: undefined };
  const [last] = await sql.query<{ occurrence: string; cell: string }>(
    `select occurrence, cell from ${rows} c order by occurrence, cell offset ${most - 1}`,
    ofRows,
  );
  return { cells, stoppedAt: last && [last.occurrence, last.cell] };
}

// A condition on a send `s`, and on sums `g`: they are of the row `c` of cell.
const OF_CELL = 's.campaign = c.campaign and s.occurrence = c.occurrence and s.cell = c.cell';
const GONE_OF_CELL = 'g.campaign = c.campaign and g.occurrence = c.occurrence and g.cell = c.cell';

/**
 * A condition on a row `c` of cell: one of its sends, as cellSends() shows them, has one of the states. A union within EXISTS makes
 * PostgreSQL look it up for each cell: it could hash two EXISTS in an OR, and would then read all sends of these states.
 */
const hasSends = (states: string): string => `exists (select from (
  select 1 from send s where ${OF_CELL} and s.next_send is null and s.state = any(${states})
  union all select 1 from send_gone g where ${GONE_OF_CELL} and g.state = any(${states})) n)`;

/** The most sends that are read to count those of a page. */
const MOST_COUNTED = 50_000;

export interface CellSends {
  readonly occurrence: string;
  readonly cell: string;
  readonly sends: SendStates;
  readonly sendsAtLeast: boolean;
}

/**
 * The sends of these cells of a campaign, in the order of the cells, with those that are kept as sums alone. The more cells, the
 * fewer sends of each are read, so that a page costs the same however large its cells are. Index send_cell.
 */
export async function cellSends(
  sql: Sql,
  campaign: string,
  cells: readonly Pick<CellRow, 'occurrence' | 'cell'>[],
): Promise<CellSends[]> {
  if (cells.length === 0) return [];
  const most = Math.ceil(MOST_COUNTED / cells.length);
  return sql.query<CellSends>(
    `select c.occurrence, c.cell, coalesce(n.sends, '{}') as sends, coalesce(n.looked > ${most}, false) as "sendsAtLeast"
       from unnest($2::text[], $3::text[]) with ordinality as p(occurrence, cell, place)
       cross join lateral (select $1::uuid as campaign, p.occurrence, p.cell) c
       cross join lateral (
         select json_object_agg(t.state, t.sends) filter (where t.sends > 0) as sends, sum(t.looked) as looked from (
           select l.state, sum(l.sends)::int as sends, sum(l.looked) as looked from (
             (select s.state, (s.next_send is null)::int as sends, 1 as looked from send s where ${OF_CELL}
               order by s.chunk limit ${most + 1})
             union all select g.state, g.sends, 0 from send_gone g
              where ${GONE_OF_CELL}) l
            group by l.state order by l.state) t) n
      order by p.place`,
    [campaign, cells.map(({ occurrence }) => occurrence), cells.map(({ cell }) => cell)],
  );
}
