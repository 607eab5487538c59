// What carillon ledger does: reads one moment of the database, and ends with 1 when something is missing.
import { SystemClock } from '../platform/clock.js';
import { readLedger, type Balance, type Ledger } from '../scheduler/store/send/read/ledger.store.js';
import { withDatabase } from './cli-database.js';
import { print, type JsonOption } from './output.js';

export interface LedgerOptions extends JsonOption {
  readonly service: readonly string[];
}

export async function printLedger(options: LedgerOptions): Promise<void> {
  const serviceIds = options.service.length === 0 ? null : options.service;
  const ledger = await withDatabase((dataSource) =>
    readLedger(dataSource, { serviceIds }, new SystemClock().now()),
  );
  print(options, { ...ledger, asOf: new Date(ledger.asOf).toISOString() }, humanLedger(ledger));
  if (!ledger.balanced) process.exitCode = 1;
}

function humanLedger(ledger: Ledger): string {
  const missing = ledger.missing.flatMap(({ code, count, rows }) => [
    `${code}: ${count}`,
    ...rows.map(({ row, text }) => `  ${row}  ${text}`),
    ...(count > rows.length ? [`  … and ${count - rows.length} more`] : []),
  ]);
  return [
    line('events', ledger.events),
    line('planned', ledger.planned),
    ...(ledger.tests.left > 0 ? [line('tests', ledger.tests)] : []),
    ...missing,
    ledger.balanced ? 'balanced' : 'NOT balanced',
  ].join('\n');
}

function line<Terms extends object>(name: string, { left, right, sum, balanced }: Balance<Terms>): string {
  const terms = Object.entries(right)
    .filter(([, count]) => count !== 0)
    .map(([term, count]) => `${term} ${count}`);
  return `${name} ${left} ${balanced ? '=' : '≠'} ${terms.length === 0 ? sum : terms.join(' + ')}`;
}
