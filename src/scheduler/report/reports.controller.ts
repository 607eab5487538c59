// GET /v1/reports/campaigns/{id}, as JSON and as CSV, and GET /v1/ledger. Reads only; every answer says of which moment it is.
import { Controller, Get, Headers, Inject, Param, Query, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { instantText } from '../../platform/instant.js';
import { replicaLag } from '../../platform/database/replica-lag.js';
import { streamInSnapshot } from '../../platform/database/snapshot.js';
import { instantWithOffset } from '../../platform/http/given-instant.js';
import { Operation } from '../../platform/http/operation.decorator.js';
import { storableText } from '../../platform/http/storable-text.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { campaignById } from '../store/read/campaign.store.js';
import { ourCampaignId } from '../store/read/our-ids.js';
import { skippedOccurrences } from '../store/occurrence.store.js';
import { holdDays } from './held-days.js';
import { Ledger, readLedger } from './ledger/ledger.store.js';
import { funnelOf } from './campaign/funnel.js';
import { funnelCounts } from './campaign/funnel.store.js';
import { reportRows, reportTotals } from './campaign/report-rows.store.js';
import { standingDays } from '../store/read/standing.store.js';
import { CampaignReport, reportJson, type CountedRows } from './campaign/report-json.js';
import { bom, BYTE_ORDER_MARK, CSV, format, wantsCsv } from './csv.js';
import { reportCsv } from './campaign/report-csv.js';
import { ReportDatabase } from './report-database.js';

const reportQuery = z.object({ occurrence: storableText(64).optional(), format, bom });
const instant = instantWithOffset.transform((text) => Date.parse(text));
const ledgerQuery = z.object({
  serviceId: storableText(128).optional(),
  /** Events received and campaigns made at or after it … */
  from: instant.optional(),
  /** … and before it. */
  to: instant.optional(),
});

const LedgerAnswer = Ledger.extend({ asOf: z.iso.datetime() }).meta({ id: 'LedgerAnswer' });

@Controller('v1')
@Roles('analyst')
export class ReportsController {
  constructor(
    private readonly database: ReportDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Operation(CampaignReport, {
    summary: "A campaign's report, also as CSV",
    refusals: { 503: ['REPORTS_AWAY', 'REPORTS_BUSY'] },
    otherMedia: ['text/csv'],
  })
  @Get('reports/campaigns/:id')
  async campaign(
    @Param('id', { schema: ourCampaignId }) id: string,
    @Query({ schema: reportQuery }) query: z.output<typeof reportQuery>,
    @Headers('accept') accept: string | undefined,
    @Caller() caller: CallerIdentity,
  ): Promise<StreamableFile> {
    const csv = wantsCsv(accept, query.format);
    const now = this.clock.now();
    const text = await streamInSnapshot(this.database.streamingFor(caller.owner), async function* (sql) {
      await holdDays(sql);
      const asOf = instantText(now - (await replicaLag(sql)));
      const found = caller.own(await campaignById(sql, id), 'campaign');
      const { serviceId, campaignId, name, state, revision } = found;
      const counted: CountedRows = {
        campaign: { id, serviceId, campaignId, name, state, revision },
        asOf,
        rows: reportRows(sql, id, query.occurrence),
      };
      if (csv && query.bom === 'true') yield BYTE_ORDER_MARK;
      if (csv) yield* reportCsv(counted);
      else {
        const totals = await reportTotals(sql, id, query.occurrence);
        yield* reportJson({
          ...counted,
          totals,
          funnel:
            query.occurrence === undefined
              ? funnelOf({ ...(await funnelCounts(sql, id)), campaign: id, devices: totals.devices })
              : null,
          standing: await standingDays(sql, id, query.occurrence),
          skipped: await skippedOccurrences(sql, id, query.occurrence),
        });
      }
    });
    if (!csv) return new StreamableFile(text, { type: 'application/json; charset=utf-8' });
    return new StreamableFile(text, {
      type: CSV,
      disposition: `attachment; filename="report-${id}.csv"`,
    });
  }

  @Operation(LedgerAnswer, {
    summary: 'Every event and every planned request accounted for',
    refusals: { 503: ['REPORTS_AWAY', 'REPORTS_BUSY'] },
  })
  @Get('ledger')
  async ledger(
    @Query({ schema: ledgerQuery }) query: z.output<typeof ledgerQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof LedgerAnswer>> {
    const { serviceId, from, to } = query;
    const filter = { serviceIds: caller.heldOf(serviceId), from, to };
    const ledger = await this.database.shared(caller.owner, JSON.stringify(filter), (database) =>
      readLedger(database, filter, this.clock.now()),
    );
    return { ...ledger, asOf: instantText(ledger.asOf) };
  }
}
