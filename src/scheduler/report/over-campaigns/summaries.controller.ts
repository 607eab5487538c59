// GET /v1/reports/summary and /lateness: figures over many campaigns by one or two keys, as JSON and CSV. Reads only; every
// answer is of one moment and says which.
import { Controller, Get, Headers, Inject, Query, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { replicaLag } from '../../../platform/database/replica-lag.js';
import { inSnapshot, streamInSnapshot } from '../../../platform/database/snapshot.js';
import { Operation, type OperationFacts } from '../../../platform/http/operation.decorator.js';
import { pageOf, readCursor } from '../../../platform/http/paging.js';
import { instantText, instantTextOr } from '../../../platform/instant.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../../scheduler.config.js';
import { campaignById } from '../../store/read/campaign.store.js';
import { holdDays } from '../held-days.js';
import { groupedPage, groupedRows, groupedTotals } from './grouped-report.store.js';
import type { ReportAsk } from './grouped-rows.js';
import { WEEK_BEFORE, withCampaign, withWeekBefore, type Comparison } from './comparison.js';
import { BYTE_ORDER_MARK, CSV, wantsCsv } from '../csv.js';
import {
  besideOf,
  ComparedCampaign,
  groupedCsv,
  lineOf,
  type ComparisonShown,
  type GroupedAnswer,
} from './grouped-answer.js';
import { LATENESS, LatenessReport } from './lateness.js';
import { ReportDatabase } from '../report-database.js';
import { checkedSummary, summaryOf, SummaryReport } from './summary.js';
import {
  filterOf,
  isReported,
  latenessQuery,
  rangeOf,
  summaryQuery,
  type ReportQuery,
} from './summary-query.js';

const rowPlace = z.tuple([z.string(), z.string(), z.string().regex(/^\d{1,15}$/)]);
const FACTS = {
  refusals: { 503: ['REPORTS_AWAY', 'REPORTS_BUSY'] },
  otherMedia: ['text/csv'],
} satisfies Omit<OperationFacts, 'summary'>;

interface Asked {
  readonly asOf: string;
  readonly ask: ReportAsk;
  /** The other side, where the caller asked for one. */
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
    @Query({ schema: summaryQuery }) given: z.output<typeof summaryQuery>,
    @Headers('accept') accept: string | undefined,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof SummaryReport> | StreamableFile> {
    const query = rangeOf(given, this.clock.now());
    const summary = summaryOf(isReported(query));
    if (wantsCsv(accept, query.format)) return this.#csv(summary, query, caller);
    const { answer, isWhole } = await this.#page(summary, query, caller);
    return checkedSummary(answer, { to: instantTextOr(query.to ?? null), isWhole });
  }

  @Operation(LatenessReport, {
    summary: 'How late sends were, and how long they were deferred, by one or two keys, also as CSV',
    ...FACTS,
  })
  @Get('lateness')
  async lateness(
    @Query({ schema: latenessQuery }) given: ReportQuery,
    @Headers('accept') accept: string | undefined,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof LatenessReport> | StreamableFile> {
    const query = rangeOf(given, this.clock.now());
    if (wantsCsv(accept, query.format)) return this.#csv(LATENESS, query, caller);
    return (await this.#page(LATENESS, query, caller)).answer;
  }

  /** `isWhole`: the page has all rows. */
  async #page<Found extends object, Figures, Shown extends object>(
    { report, show }: GroupedAnswer<Found, Figures, Shown>,
    query: ReportQuery,
    caller: CallerIdentity,
  ) {
    const { cursor, limit } = query;
    const [k1, k2, planned] = readCursor(cursor, rowPlace) ?? [];
    const after = k1 === undefined || k2 === undefined ? undefined : { k1, k2, planned: Number(planned) };
    return inSnapshot(this.database.for(caller.owner), async (sql) => {
      const { asOf, ask, other } = await this.#asked(sql, query, caller);
      const found = await groupedPage(sql, report, ask, { after, limit: limit + 1 });
      const { comparison } = other ?? {};
      const compared =
        comparison?.notCompared === null ? await groupedTotals(sql, report, comparison.filter) : undefined;
      const page = pageOf(
        found.rows,
        limit,
        ({ place }) => [place.k1, place.k2, String(place.planned)],
        (row) => lineOf(row, show, comparison),
      );
      const answer = {
        asOf,
        groupBy: ask.by,
        ...(other !== undefined && { comparison: other.shown }),
        totals: {
          ...show(found.totals),
          ...(comparison !== undefined && besideOf(compared, comparison.notCompared, show)),
        },
        rows: page.items,
        nextCursor: page.nextCursor,
      };
      return { answer, isWhole: after === undefined && page.nextCursor === null };
    });
  }

  async #csv<Found extends object, Figures, Shown extends object>(
    answer: GroupedAnswer<Found, Figures, Shown>,
    query: ReportQuery,
    caller: CallerIdentity,
  ): Promise<StreamableFile> {
    const asked = (sql: Sql): Promise<Asked> => this.#asked(sql, query, caller);
    const text = await streamInSnapshot(this.database.streamingFor(caller.owner), async function* (sql) {
      const { asOf, ask, other } = await asked(sql);
      if (query.bom === 'true') yield BYTE_ORDER_MARK;
      const csv = { by: ask.by, asOf, comparison: other?.comparison };
      yield* groupedCsv(answer, csv, groupedRows(sql, answer.report, ask));
    });
    return new StreamableFile(text, { type: CSV, disposition: `attachment; filename="${answer.name}.csv"` });
  }

  /** Reads what the caller asked for and as of when, and holds the days that are read. Call it first in a snapshot. */
  async #asked(sql: Sql, query: ReportQuery, caller: CallerIdentity): Promise<Asked> {
    await holdDays(sql);
    const asOf = instantText(this.clock.now() - (await replicaLag(sql)));
    const { groupBy: by, order, compareWith, from, to } = query;
    const ask = { by, filter: filterOf(query, caller), order };
    if (compareWith === undefined) return { asOf, ask, other: undefined };
    const found = compareWith === WEEK_BEFORE ? undefined : await campaignById(sql, compareWith);
    // A campaign of a foreign service counts as unknown.
    const known = found !== undefined && caller.holds(found.serviceId) ? found : undefined;
    const comparison =
      compareWith === WEEK_BEFORE && from !== undefined && to !== undefined
        ? withWeekBefore(ask, { from, to }, { now: this.clock.now(), kept: this.config.kept })
        : withCampaign(ask.filter, compareWith, known !== undefined);
    const shown = {
      with: compareWith,
      campaign: known === undefined ? null : ComparedCampaign.parse(known),
      from: instantTextOr(comparison.filter.from ?? null),
      to: instantTextOr(comparison.filter.to ?? null),
    };
    return { asOf, ask: { ...ask, against: comparison.against }, other: { comparison, shown } };
  }
}
