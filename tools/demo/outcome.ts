// Gathers what became of a campaign from both sides: the scheduler's report, and the push service's own deliveries.
import { z } from 'zod';
import type { ReportedCampaign } from './report-table.js';
import type { Outcome } from './verify.js';
import type { Watched } from './watch.js';

const counts = z.record(z.string(), z.number());
const Figures = z.object({
  sends: counts,
  devices: counts,
  modes: counts,
  lateness: z.record(z.string(), z.object({ p50Ms: z.number().nullable() })),
});

const Report = z.object({
  balanced: z.boolean(),
  final: z.boolean(),
  rows: z.array(
    Figures.extend({
      zone: z.string(),
      mode: z.string().nullable(),
      skipped: z.string().nullable(),
      local: z.object({ reading: z.object({ date: z.string(), time: z.string() }) }).nullable(),
    }),
  ),
  totals: Figures,
});
export type Report = z.output<typeof Report>;

export async function fetchReport(
  get: (path: string) => Promise<unknown>,
  campaign: string,
): Promise<Report> {
  return Report.parse(await get(`/v1/reports/campaigns/${campaign}`));
}

/** `deliveredTo` answers how many devices of each type took the message of a requestId. */
export async function outcomeOf(
  watched: Watched,
  report: Report,
  deliveredTo: (requestId: string) => Promise<Readonly<Record<string, number>>>,
): Promise<Outcome> {
  const requestIds = watched.sends.flatMap((send) =>
    send.newest && send.requestId !== null ? [send.requestId] : [],
  );
  const delivered: Record<string, number> = {};
  for (const requestId of requestIds) {
    for (const [type, count] of Object.entries(await deliveredTo(requestId))) {
      delivered[type] = (delivered[type] ?? 0) + count;
    }
  }
  return {
    state: watched.state,
    modes: Object.keys(report.totals.modes),
    balanced: report.balanced,
    final: report.final,
    cells: report.rows,
    totals: report.totals,
    delivered,
  };
}

export function tableRows(watched: Watched, report: Report): ReportedCampaign {
  return {
    campaignId: watched.example.event.subject,
    state: watched.state,
    cells: report.rows.map((row) => ({
      ...row,
      mode: Object.keys(row.modes).join(', ') || (row.mode ?? ''),
      local: row.local === null ? '' : `${row.local.reading.date} ${row.local.reading.time}`,
      lateMs: row.lateness['immediate']?.p50Ms ?? row.lateness['reserved']?.p50Ms ?? null,
    })),
  };
}
