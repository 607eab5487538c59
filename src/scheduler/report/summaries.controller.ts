// GET /v1/reports/summary and /lateness: figures over many campaigns by one or two keys, as JSON and CSV. Reads only; every
// answer is of one moment and says which.
import { Controller, Get, Headers, Inject, Query, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { replicaLag } from '../../platform/database/replica-lag.js';
import { inSnapshot, streamInSnapshot } from '../../platform/database/snapshot.js';
import { Operation, type OperationFacts } from '../../platform/http/operation.js';
import { readCursor, writeCursor } from '../../platform/http/paging.js';
import { instantText, instantTextOr } from '../../platform/instant.js';
import { CLOCK } from '../../platform/tokens.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { lengthsPage, lengthsRows, lengthsTotals } from '../store/rollup/lengths.store.js';
import type { ReportAsk, RowPlace } from '../store/rollup/report-parts.js';
import { summaryPage, summaryRows, summaryTotals } from '../store/rollup/summary.store.js';
import { campaignById } from '../store/send/read/campaign.store.js';
import { holdDays } from '../store/send/read/ledger.store.js';
import { WEEK_BEFORE, withCampaign, withWeekBefore, type Comparison } from './comparison.js';
import { LatenessReport, shownLengths, shownLengthsLine } from './lateness.js';
import { ReportDatabase } from './report-database.js';
import { besideOf, type ComparisonShown } from './report-rows.js';
import { areSums, shownLine, shownSummary, SummaryReport } from './summary.js';
import { LATENESS_COLUMNS, rowsCsv, summaryColumns, type CsvAsk } from './summary-csv.js';
import { filterOf, isTold, latenessQuery, summaryQuery, type ReportQuery } from './summary-query.js';
import { CSV, wantsCsv } from './wants-csv.js';

const rowPlace = z.tuple([z.string(), z.string(), z.string().regex(/^\d{1,15}$/)]);
const FACTS = {
  refusals: { 503: ['REPORTS_AWAY', 'REPORTS_BUSY'] },
  otherMedia: ['text/csv'],
} satisfies Omit<OperationFacts, 'summary'>;

/** Of one moment. */
interface Asked {
  readonly asOf: string;
  readonly ask: ReportAsk;
  /** Where one was asked for. */
  readonly other: { readonly comparison: Comparison; readonly shown: ComparisonShown } | undefined;
}

@Controller('v1/reports')
@Roles('analyst')
export class SummariesController {
  constructor(
    private readonly database: ReportDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SCHEDULER_CONFIG) private readonly config: SchedulerConfig,
  ) {}

  @Operation(SummaryReport, { summary: 'Sends and devices by one or two keys, also as CSV', ...FACTS })
  @Get('summary')
  async summary(
    @Query({ schema: summaryQuery }) query: z.output<typeof summaryQuery>,
    @Headers('accept') accept: string | undefined,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof SummaryReport> | StreamableFile> {
    const told = isTold(query);
    if (wantsCsv(accept, query.format))
      return this.#csv('summary', query, caller, (sql, csv, ask) =>
        rowsCsv(
          csv,
          summaryColumns(told),
          shownPages(summaryRows(sql, { ...ask, told }), (row) => shownLine(row, csv.comparison)),
        ),
      );
    const { limit } = query;
    const after = placeOf(query.cursor);
    return inSnapshot(this.database, async (sql) => {
      const { asOf, ask, other } = await this.#asked(sql, query, caller);
      const found = await summaryPage(sql, { ...ask, told }, { after, limit: limit + 1 });
      const compared = await ofOther(other, (filter) => summaryTotals(sql, filter, told));
      const { totals } = found;
      const rows = found.rows.slice(0, limit);
      const isWhole = after === undefined && found.rows.length <= limit;
      const shown = shownSummary(totals);
      const isOver = (to: number | undefined): boolean => to !== undefined && to <= Date.parse(asOf);
      const comparedRows = rows.flatMap((row) => row.compared ?? []);
      return {
        asOf,
        groupBy: ask.by,
        final: totals.final && isOver(ask.filter.to),
        balanced: shown.balanced && (!isWhole || areSums(totals, rows)),
        ...(other !== undefined && {
          comparison: {
            ...other.shown,
            final: compared === undefined ? null : compared.final && isOver(other.comparison.filter.to),
            balanced:
              compared === undefined
                ? null
                : shownSummary(compared).balanced &&
                  (!isWhole || !areAllCompared(other.comparison, rows) || areSums(compared, comparedRows)),
          },
        }),
        totals: { ...shown, ...besideTotals(other, compared, shownSummary) },
        rows: rows.map((row) => shownLine(row, other?.comparison)),
        nextCursor: cursorAfter(found.rows, limit),
      };
    });
  }

  @Operation(LatenessReport, {
    summary: 'How late sends were, and how long they were deferred, by one or two keys, also as CSV',
    ...FACTS,
  })
  @Get('lateness')
  async lateness(
    @Query({ schema: latenessQuery }) query: ReportQuery,
    @Headers('accept') accept: string | undefined,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof LatenessReport> | StreamableFile> {
    if (wantsCsv(accept, query.format))
      return this.#csv('lateness', query, caller, (sql, csv, ask) =>
        rowsCsv(
          csv,
          LATENESS_COLUMNS,
          shownPages(lengthsRows(sql, ask), (row) => shownLengthsLine(row, csv.comparison)),
        ),
      );
    const { limit } = query;
    const after = placeOf(query.cursor);
    return inSnapshot(this.database, async (sql) => {
      const { asOf, ask, other } = await this.#asked(sql, query, caller);
      const { totals, rows } = await lengthsPage(sql, ask, { after, limit: limit + 1 });
      const compared = await ofOther(other, (filter) => lengthsTotals(sql, filter));
      return {
        asOf,
        groupBy: ask.by,
        ...(other !== undefined && { comparison: other.shown }),
        totals: { ...shownLengths(totals), ...besideTotals(other, compared, shownLengths) },
        rows: rows.slice(0, limit).map((row) => shownLengthsLine(row, other?.comparison)),
        nextCursor: cursorAfter(rows, limit),
      };
    });
  }

  async #csv(
    name: string,
    query: ReportQuery,
    caller: CallerIdentity,
    linesOf: (sql: Sql, csv: CsvAsk, ask: ReportAsk) => AsyncIterable<string>,
  ): Promise<StreamableFile> {
    const asked = (sql: Sql): Promise<Asked> => this.#asked(sql, query, caller);
    const text = await streamInSnapshot(this.database, async function* (sql) {
      const { asOf, ask, other } = await asked(sql);
      yield* linesOf(sql, { by: ask.by, asOf, comparison: other?.comparison }, ask);
    });
    return new StreamableFile(text, { type: CSV, disposition: `attachment; filename="${name}.csv"` });
  }

  /** Holds the days that are read, too. */
  async #asked(sql: Sql, query: ReportQuery, caller: CallerIdentity): Promise<Asked> {
    await holdDays(sql);
    const asOf = instantText(this.clock.now() - (await replicaLag(sql)));
    const { groupBy: by, order, compareWith } = query;
    const filter = filterOf(query, caller);
    const ask = { by, filter, order };
    if (compareWith === undefined) return { asOf, ask, other: undefined };
    const other = await this.#other(sql, { query, ask, compareWith }, caller);
    return { asOf, ask: { ...ask, against: other.comparison.against }, other };
  }

  async #other(
    sql: Sql,
    { query, ask, compareWith }: { query: ReportQuery; ask: ReportAsk; compareWith: string },
    caller: CallerIdentity,
  ): Promise<NonNullable<Asked['other']>> {
    const shown = ({ filter }: Comparison, campaign: ComparisonShown['campaign']): ComparisonShown => ({
      with: compareWith,
      campaign,
      from: instantTextOr(filter.from ?? null),
      to: instantTextOr(filter.to ?? null),
    });
    const { from, to } = query;
    if (compareWith === WEEK_BEFORE && from !== undefined && to !== undefined) {
      const { kept } = this.config;
      const comparison = withWeekBefore(ask, { from, to }, { now: this.clock.now(), kept });
      return { comparison, shown: shown(comparison, null) };
    }
    const found = await campaignById(sql, compareWith);
    // A foreign campaign is as little known as one that there is not.
    const known = found !== undefined && caller.holds(found.serviceId) ? found : undefined;
    const comparison = withCampaign(ask.filter, compareWith, known !== undefined);
    if (known === undefined) return { comparison, shown: shown(comparison, null) };
    const { id, serviceId, campaignId, name } = known;
    return { comparison, shown: shown(comparison, { id, serviceId, campaignId, name }) };
  }
}

/** Of the other side's totals; undefined where there is none, or it is not kept. */
async function ofOther<Totals>(
  other: Asked['other'],
  read: (filter: ReportAsk['filter']) => Promise<Totals>,
): Promise<Totals | undefined> {
  if (other === undefined || other.comparison.notCompared !== null) return undefined;
  return read(other.comparison.filter);
}

function besideTotals<Totals, Shown>(
  other: Asked['other'],
  compared: Totals | undefined,
  show: (totals: Totals) => Shown,
): Partial<ReturnType<typeof besideOf<Totals, Shown>>> {
  return other === undefined ? {} : besideOf(compared, other.comparison.notCompared, show);
}

const areAllCompared = (
  comparison: Comparison,
  rows: readonly { readonly key: Parameters<Comparison['keyOf']>[0] }[],
): boolean => rows.every(({ key }) => comparison.notComparedOf(key) === null);

async function* shownPages<Row, Line>(
  pages: AsyncIterable<readonly Row[]>,
  show: (row: Row) => Line,
): AsyncGenerator<readonly Line[], void, void> {
  for await (const page of pages) yield page.map(show);
}

function placeOf(cursor: string | undefined): RowPlace | undefined {
  const place = readCursor(cursor, rowPlace);
  return place && { k1: place[0], k2: place[1], planned: Number(place[2]) };
}

function cursorAfter(found: readonly { readonly place: RowPlace }[], limit: number): string | null {
  const last = found[limit - 1]?.place;
  return found.length <= limit || last === undefined
    ? null
    : writeCursor([last.k1, last.k2, String(last.planned)]);
}
