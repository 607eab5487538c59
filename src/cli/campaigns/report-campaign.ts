// carillon campaigns report: what a campaign came to, in sum and by cell; as CSV it is the scheduler's own.
import { z } from 'zod';
import { callApi, refusalOf } from '../shell/call-api.js';
import { tableOf, withQuery, type Column } from '../shell/list-of.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';

export interface ReportOptions extends JsonOption {
  readonly occurrence?: string;
  readonly csv?: true;
}

const counts = z.record(z.string(), z.unknown());
const Figures = z.looseObject({
  sends: counts,
  devices: z.looseObject({
    target: z.number(),
    sent: z.number(),
    failed: z.number(),
    pending: z.number(),
    unknown: z.number(),
  }),
});
const Row = Figures.extend({ occurrence: z.string(), cell: z.string(), zone: z.string().nullable() });
type Row = z.output<typeof Row>;
const Report = z.looseObject({
  campaign: z.looseObject({ serviceId: z.string(), campaignId: z.string(), state: z.string() }),
  asOf: z.string(),
  final: z.boolean(),
  balanced: z.boolean(),
  rows: z.array(Row),
  totals: Figures,
});

export async function reportCampaign(id: string, options: ReportOptions): Promise<void> {
  const api = schedulerApi({ role: 'analyst' });
  const path = withQuery(`/v1/reports/campaigns/${encodeURIComponent(id)}`, {
    occurrence: options.occurrence,
    format: options.csv === true ? 'csv' : undefined,
  });
  if (options.csv === true) {
    const answer = await callApi(api, 'GET', path);
    if (!answer.ok) throw refusalOf(api, answer);
    process.stdout.write(answer.text);
    return;
  }
  const report = await callScheduler(api, path, Report);
  const { campaign, final, balanced, totals, rows, asOf } = report;
  const { target, sent, failed, pending, unknown } = totals.devices;
  const lines = [
    `${campaign.serviceId}/${campaign.campaignId}: ${campaign.state}, as of ${asOf}${final ? ', final' : ', not final yet'}`,
    `sends: ${sendsText(totals.sends)}`,
    `devices: ${target} targeted = ${sent} taken by a provider + ${failed} failed + ${pending} pending + ${unknown} unknown`,
    ...(balanced ? [] : ['NOT balanced: "carillon ledger" names what is missing']),
    ...(rows.length === 0 ? [] : ['', tableOf(COLUMNS, rows)]),
  ];
  print(options, report, lines.join('\n'));
}

function sendsText(sends: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(sends).filter(([, count]) => typeof count === 'number' && count > 0);
  return shown.map(([term, count]) => `${String(count)} ${term}`).join(', ') || 'none';
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'occurrence', of: ({ occurrence }) => occurrence },
  { title: 'zone', of: ({ zone }) => zone },
  { title: 'sends', of: ({ sends }) => sendsText(sends), as: 'cut' },
  { title: 'devices', of: ({ devices }) => devices.target },
  { title: 'taken', of: ({ devices }) => devices.sent },
  { title: 'failed', of: ({ devices }) => devices.failed },
];
