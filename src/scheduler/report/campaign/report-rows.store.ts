// Reads the numbers of a campaign's report: its totals and a row for each cell, which the database counts separately, over the newest
// send of every chunk (reports.md, "One campaign"). report-figures.ts has the figures. Never writes; leaves tests out.
import type { z } from 'zod';
import { cursorPages } from '../../../platform/database/cursor-pages.js';
import type { Sql } from '../../../platform/database/database.js';
import { PreviewedCell } from '../../store/read/plan-view.js';
import { goneOf } from '../../store/rollup/counted-sends.js';
import {
  FIGURES,
  figuresOf,
  measuredWhere,
  type CountedFigures,
  type ReportFigures,
} from '../figures/report-figures.js';

/** The cell as it was planned; `modes` shows how its sends were handed off in the end. */
export const ReportCell = PreviewedCell.omit({ target: true, handOffAt: true, requests: true });
export type ReportCell = z.output<typeof ReportCell>;
export type ReportRow = ReportCell & ReportFigures;

/** The sends that the report of campaign $1 counts, of one occurrence where $2 names it. */
const MEASURED = measuredWhere('m.campaign = $1 and ($2::text is null or m.occurrence = $2)', goneOf);

function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

const CHOSEN = `k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%'`;
const TOTALS = `
select (select coalesce(sum(k.chunks), 0)::float8 from cell k where ${CHOSEN}) as planned, ${FIGURES} from ${MEASURED} m`;

/** The totals of a campaign, or of one occurrence. */
export async function reportTotals(sql: Sql, campaign: string, occurrence?: string): Promise<ReportFigures> {
  const [counted] = await sql.query<CountedFigures>(TOTALS, [campaign, occurrence ?? null]);
  if (counted === undefined) throw new Error('the totals of a report have no row');
  return figuresOf(counted);
}

// Both sides are read in the order of an index (cell_pkey, send_cell), so that the first row comes before the others are counted.
const ROWS = `
select jsonb_build_object(
         'occurrence', k.occurrence, 'cell', k.cell, 'zone', k.zone, 'zoneSource', k.zone_source, 'segment', k.segment,
         'deviceType', k.device_type, 'country', k.country, 'local', k.local_reading,
         'intendedAt', ${instantText('k.intended_at')}, 'dueAt', ${instantText('k.due_at')}, 'mode', k.mode,
         'rule', k.mode_rule, 'verdicts', k.verdicts, 'skipped', k.skipped_code, 'recipients', k.recipients) as cell,
       k.chunks::float8 as planned, f.*
  from cell k
  left join (select m.occurrence as of_occurrence, m.cell as of_cell, ${FIGURES} from ${MEASURED} m
              group by m.occurrence, m.cell) f on f.of_occurrence = k.occurrence and f.of_cell = k.cell
 where ${CHOSEN}
 order by k.occurrence, k.cell`;

/**
 * Most rows of so small a page are garbage before the collector moves them to the old generation: while it wrote the CSV of a million
 * cells, a process grew by 31 MB. With pages of 500 rows it grew by 51 MB and took as long.
 */
const PAGE = 100;

/** The rows of a campaign by occurrence and cell, in pages; `sql` is a transaction that sees one moment. */
export async function* reportRows(
  sql: Sql,
  campaign: string,
  occurrence?: string,
): AsyncGenerator<readonly ReportRow[], void, void> {
  const pages = cursorPages<CountedFigures & { cell: ReportCell }>(
    sql,
    ROWS,
    [campaign, occurrence ?? null],
    PAGE,
  );
  for await (const page of pages) yield page.map(({ cell, ...row }) => ({ ...cell, ...figuresOf(row) }));
}
