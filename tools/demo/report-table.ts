// The delivery report as a table for a terminal: a row per cell, as the scheduler counts it.
import Table from 'cli-table3';
import type { ReportedCell } from './verify.js';

export interface ReportedCampaign {
  campaignId: string;
  state: string;
  cells: readonly (ReportedCell & {
    mode: string;
    local: string;
    lateMs: number | null;
    skipped: string | null;
  })[];
}

function sendsText(sends: ReportedCell['sends']): string {
  const states = Object.entries(sends).filter(([state, count]) => state !== 'planned' && count > 0);
  return states.map(([state, count]) => `${count} ${state}`).join(', ');
}

function lateText(lateMs: number | null): string {
  if (lateMs === null) return '–';
  return lateMs < 10_000 ? `${lateMs} ms` : `${(lateMs / 1_000).toFixed(1)} s`;
}

/** Plain text without colours, at most 140 columns with the demo's names. */
export function reportTable(campaigns: readonly ReportedCampaign[]): string {
  const table = new Table({
    head: [
      'campaign',
      'state',
      'zone',
      'due there',
      'mode',
      'sends',
      'target',
      'sent',
      'failed',
      'late (p50)',
    ],
    colAligns: ['left', 'left', 'left', 'left', 'left', 'left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const { campaignId, state, cells } of campaigns) {
    for (const [index, cell] of cells.entries()) {
      const { target = 0, sent = 0, failed = 0 } = cell.devices;
      table.push([
        index === 0 ? campaignId : '',
        index === 0 ? state : '',
        cell.zone,
        cell.local,
        cell.mode,
        cell.skipped === null ? sendsText(cell.sends) : `${sendsText(cell.sends)}: ${cell.skipped}`,
        target,
        sent,
        failed,
        lateText(cell.lateMs),
      ]);
    }
  }
  return table.toString();
}
