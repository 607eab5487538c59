// GET /v1/reports/summary and /lateness: figures over many campaigns by one or two keys, as JSON and CSV. Reads only; every
// answer is of one moment and says which.
import { Controller, Get, Headers, Inject, Query, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { replicaLag } from '../../platform/database/replica-lag.js';
import { inSnapshot, streamInSnapshot } from '../../platform/database/snapshot.js';
import { Operation } from '../../platform/http/operation.js';
import { pageQuery, readCursor, writeCursor } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import { instantText } from '../../platform/instant.js';
import { CLOCK } from '../../platform/tokens.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { MODES } from '../decide/timing/mode.js';
import { lengthsPage } from '../store/rollup/lengths.store.js';
import { ROW_ORDERS, type GroupKey, type ReportFilter, type RowPlace } from '../store/rollup/report-parts.js';
import { summaryPage, summaryRows, summaryTotals } from '../store/rollup/summary.store.js';
import { holdDays } from '../store/send/read/ledger.store.js';
import { ReportDatabase } from './report-database.js';
import {
  areSums,
  KEYS,
  LatenessReport,
  shownLengths,
  shownLine,
  shownSummary,
  SummaryReport,
} from './summary.js';
import { summaryCsv } from './summary-csv.js';
import { CSV, format, wantsCsv } from './wants-csv.js';

/** Sums are of whole minutes. */
const wholeMinute = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .refine((instant) => instant % 60_000 === 0, 'a whole minute');

const keysOf = (keys: readonly GroupKey[]) =>
  z
    .string()
    .max(40)
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(z.enum(keys))
        .min(1)
        .max(2, 'two keys at most')
        .refine((named) => new Set(named).size === named.length, 'each key once'),
    )
    .describe(`One or two of ${keys.join(', ')}, with a comma between`);

const filterQuery = {
  ...pageQuery,
  from: wholeMinute.optional().describe('Due at or after it, a whole minute'),
  to: wholeMinute.optional().describe('Due before it, a whole minute'),
  serviceId: storableText(128).optional(),
  campaign: z.uuid().optional().describe('Our id'),
  tag: storableText(64).optional().describe('Of the newest revision, as long as that is kept'),
  zone: storableText(64).optional(),
  mode: z.enum(MODES).optional(),
  order: z.enum(ROW_ORDERS).default('key').describe('By the keys, up or down, or the most planned first'),
};
const summaryQuery = z.object({ ...filterQuery, format, groupBy: keysOf(KEYS) });
const latenessQuery = z.object({ ...filterQuery, groupBy: keysOf(KEYS.filter((key) => key !== 'code')) });

const rowPlace = z.tuple([z.string(), z.string(), z.string().regex(/^\d{1,15}$/)]);
const BUSY = { 503: ['REPORTS_AWAY', 'REPORTS_BUSY'] };

@Controller('v1/reports')
@Roles('analyst')
export class SummariesController {
  constructor(
    private readonly database: ReportDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Operation(SummaryReport, {
    summary: 'Sends and devices by one or two keys, also as CSV',
    refusals: BUSY,
    otherMedia: ['text/csv'],
  })
  @Get('summary')
  async summary(
    @Query({ schema: summaryQuery }) query: z.output<typeof summaryQuery>,
    @Headers('accept') accept: string | undefined,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof SummaryReport> | StreamableFile> {
    const { groupBy: by, order, limit } = query;
    const filter = filterOf(query, caller);
    const ask = { by, filter, order };
    if (wantsCsv(accept, query.format)) {
      const asOfNow = (sql: Sql): Promise<string> => this.#asOf(sql);
      const text = await streamInSnapshot(this.database, async function* (sql) {
        await holdDays(sql);
        yield* summaryCsv(by, await asOfNow(sql), summaryRows(sql, ask));
      });
      return new StreamableFile(text, { type: CSV, disposition: 'attachment; filename="summary.csv"' });
    }
    const after = placeOf(query.cursor);
    return inSnapshot(this.database, async (sql) => {
      await holdDays(sql);
      const asOf = await this.#asOf(sql);
      const totals = await summaryTotals(sql, filter);
      const found = await summaryPage(sql, ask, { after, limit: limit + 1 });
      const rows = found.slice(0, limit);
      const isWhole = after === undefined && found.length <= limit;
      const shown = shownSummary(totals);
      return {
        asOf,
        groupBy: by,
        final: totals.final && query.to !== undefined && query.to <= Date.parse(asOf),
        balanced: shown.balanced && (!isWhole || areSums(totals, rows)),
        totals: shown,
        rows: rows.map(shownLine),
        nextCursor: cursorAfter(found, limit),
      };
    });
  }

  @Operation(LatenessReport, {
    summary: 'How late sends were, and how long they were deferred, by one or two keys',
    refusals: BUSY,
  })
  @Get('lateness')
  async lateness(
    @Query({ schema: latenessQuery }) query: z.output<typeof latenessQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof LatenessReport>> {
    const { groupBy: by, order, limit } = query;
    const filter = filterOf(query, caller);
    const after = placeOf(query.cursor);
    return inSnapshot(this.database, async (sql) => {
      await holdDays(sql);
      const asOf = await this.#asOf(sql);
      const [totals] = await lengthsPage(sql, { by: [], filter, order }, { after: undefined, limit: 1 });
      const found = await lengthsPage(sql, { by, filter, order }, { after, limit: limit + 1 });
      return {
        asOf,
        groupBy: by,
        totals: shownLengths(totals?.lengths ?? {}),
        rows: found.slice(0, limit).map(({ key, lengths }) => ({ key, ...shownLengths(lengths) })),
        nextCursor: cursorAfter(found, limit),
      };
    });
  }

  async #asOf(sql: Sql): Promise<string> {
    return instantText(this.clock.now() - (await replicaLag(sql)));
  }
}

function filterOf(
  query: Omit<ReportFilter, 'serviceIds'> & { serviceId?: string | undefined },
  caller: CallerIdentity,
): ReportFilter {
  const { serviceId, from, to, campaign, tag, zone, mode } = query;
  // What is of a foreign service is counted as little as that of an unknown one.
  const held = caller.serviceFilter;
  const serviceIds =
    serviceId === undefined ? held : held === null || held.includes(serviceId) ? [serviceId] : [];
  return { serviceIds, from, to, campaign, tag, zone, mode };
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
