// What a whole demo came to, by every way to read it, from the house that is still up. Holds no expectation of its own.
import { Client } from 'pg';
import { z } from 'zod';
import { Management } from '../../tools/demo/management.js';
import { callWithToken } from '../../tools/demo/push-client.js';
import type { Endpoints } from '../../tools/endpoints.js';
import { carillon, type Ended } from '../support/compiled.js';
import {
  csvLines,
  figuresOfCsv,
  figuresOfJson,
  figuresOfLedger,
  figuresOfView,
  sumOfFigures,
  type Figures,
} from '../support/scheduler/report-figures.js';

const counts = z.record(z.string(), z.number());
const Totals = z.object({ sends: counts, devices: counts });
const Report = z.object({ final: z.boolean(), balanced: z.boolean(), rows: z.array(Totals), totals: Totals });
const Summary = z.object({
  balanced: z.boolean(),
  totals: Totals,
  rows: z.array(Totals.extend({ key: z.object({ campaign: z.string() }) })),
});
const Line = z.object({ left: z.number(), right: counts });
const Ledger = z.object({ balanced: z.boolean(), planned: Line, devices: Line });
const Campaigns = z.object({ items: z.array(z.object({ id: z.string() })), nextCursor: z.null() });
const Sends = z.object({
  items: z.array(
    z.object({
      serviceId: z.string(),
      newest: z.boolean(),
      requestId: z.string().nullable(),
    }),
  ),
  nextCursor: z.null(),
});
const SideTotals = z.object({
  messages: z.number(),
  final: z.number(),
  target: z.number(),
  sent: z.number(),
  failed: z.number(),
});
const PushLedger = z.object({
  pushService: z.object({
    agrees: z.boolean(),
    projects: z.array(
      z.object({
        serviceId: z.string(),
        ours: SideTotals,
        theirs: SideTotals,
        differs: z.array(z.unknown()),
        open: z.array(z.string()),
      }),
    ),
  }),
});

export interface CampaignTotals {
  readonly isWhole: boolean;
  readonly totals: Figures;
  /** The same by each other way. */
  readonly ways: Readonly<
    Record<'rows' | 'csv' | 'summary' | 'summaryCsv' | 'viewOfCampaign' | 'viewOfCells', Figures>
  >;
  /** Devices that its newest sends were handed to, by the push service's rows of single devices. */
  readonly delivered: number;
}

export class DemoTotals {
  readonly #management: Management;

  constructor(private readonly endpoints: Endpoints) {
    this.#management = new Management(endpoints);
  }

  /** Of every campaign, in each way. */
  async campaigns(): Promise<CampaignTotals[]> {
    const { items } = Campaigns.parse(await this.#get('/v1/campaigns?limit=500'));
    const summary = Summary.parse(await this.#get('/v1/reports/summary?groupBy=campaign&limit=500'));
    const summaryCsv = await this.#csv('/v1/reports/summary?groupBy=campaign&format=csv');
    const views = {
      campaign: await this.query('select * from report_campaign'),
      cells: await this.query('select * from report_cell'),
    };
    return Promise.all(
      items.map(async ({ id }) => {
        const report = Report.parse(await this.#get(`/v1/reports/campaigns/${id}`));
        const csv = await this.#csv(`/v1/reports/campaigns/${id}?format=csv`);
        const ofView = (rows: readonly Record<string, unknown>[]): Figures =>
          sumOfFigures(rows.filter(({ campaign }) => campaign === id).map(figuresOfView));
        return {
          isWhole: report.final && report.balanced && summary.balanced,
          totals: figuresOfJson(report.totals),
          ways: {
            rows: sumOfFigures(report.rows.map(figuresOfJson)),
            csv: sumOfFigures(csv.map(figuresOfCsv)),
            summary: sumOfFigures(summary.rows.filter(({ key }) => key.campaign === id).map(figuresOfJson)),
            summaryCsv: sumOfFigures(summaryCsv.filter(({ campaign }) => campaign === id).map(figuresOfCsv)),
            viewOfCampaign: ofView(views.campaign),
            viewOfCells: ofView(views.cells),
          },
          delivered: await this.#delivered((await this.#sends(id)).filter(({ newest }) => newest)),
        };
      }),
    );
  }

  async summary(): Promise<Figures> {
    return figuresOfJson(
      Summary.parse(await this.#get('/v1/reports/summary?groupBy=campaign&limit=500')).totals,
    );
  }

  async ledger(): Promise<Figures> {
    return figuresOfLedger(Ledger.parse(await this.#get('/v1/ledger')));
  }

  /** Of the push service, by service: its own ledger beside ours, what `carillon ledger` says of it, and its single devices. */
  async pushServices() {
    const { items } = Campaigns.parse(await this.#get('/v1/campaigns?limit=500'));
    const sends = (await Promise.all(items.map(({ id }) => this.#sends(id)))).flat();
    const { pushService } = PushLedger.parse(JSON.parse((await this.command('--json')).stdout));
    const projects = await Promise.all(
      pushService.projects.map(async (project) => {
        const of = sends.filter(({ serviceId }) => serviceId === project.serviceId);
        return {
          ...project,
          requests: of.filter(({ requestId }) => requestId !== null).length,
          taken: (await this.#management.requestsTaken(project.serviceId)).length,
          delivered: await this.#delivered(of),
        };
      }),
    );
    return { agrees: pushService.agrees, projects };
  }

  /** `carillon ledger`, which asks both sides. */
  command(...args: string[]): Promise<Ended> {
    const { databaseUrl, managementUrl, tokens } = this.endpoints;
    return carillon(['ledger', ...args], {
      DATABASE_URL: databaseUrl,
      MANAGEMENT_URL: managementUrl,
      MANAGEMENT_TOKEN: tokens.management,
    });
  }

  /** In the scheduler's schema. */
  async query(text: string): Promise<Record<string, unknown>[]> {
    const client = new Client({
      connectionString: this.endpoints.databaseUrl,
      options: '-c search_path=scheduler',
    });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async #sends(campaign: string): Promise<z.output<typeof Sends>['items']> {
    return Sends.parse(await this.#get(`/v1/campaigns/${campaign}/sends?limit=500`)).items;
  }

  async #delivered(sends: readonly { readonly requestId: string | null }[]): Promise<number> {
    let devices = 0;
    for (const { requestId } of sends) {
      if (requestId === null) continue;
      const byType = await this.#management.deliveredTo(requestId);
      devices += Object.values(byType).reduce((sum, count) => sum + count, 0);
    }
    return devices;
  }

  #get(path: string): Promise<unknown> {
    const { schedulerUrl: url, tokens } = this.endpoints;
    return callWithToken({ url, token: tokens.analyst }, 'GET', path);
  }

  async #csv(path: string): Promise<Record<string, string>[]> {
    const { schedulerUrl, tokens } = this.endpoints;
    const answer = await fetch(new URL(path, schedulerUrl), {
      headers: { authorization: `Bearer ${tokens.analyst}` },
    });
    return csvLines(await answer.text());
  }
}
