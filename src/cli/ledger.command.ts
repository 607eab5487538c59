// carillon ledger: whether every event and every planned chunk is accounted for. Reads one moment of the database and
// ends with 1 when something is missing, so that a cron job can ask.
import { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { readLedger, type Balance, type Ledger } from '../scheduler/store/ledger.store.js';
import { collect } from './arguments.js';
import { withDatabase } from './cli-database.js';
import { print, withJson, type JsonOption } from './output.js';

interface LedgerOptions extends JsonOption {
  readonly service: readonly string[];
}

export function ledgerCommand(): Command {
  const command = new Command('ledger')
    .description(
      'print the balance of events and sends, and every row that is missing; exit code 1 if one is',
    )
    .option('--service <serviceId>', 'only this service; may be given several times [all]', collect, []);
  return withJson(command).action(async (options: LedgerOptions) => {
    const serviceIds = options.service.length === 0 ? null : options.service;
    const ledger = await withDatabase((dataSource) =>
      readLedger(dataSource, { serviceIds }, new SystemClock().now()),
    );
    print(options, { ...ledger, asOf: new Date(ledger.asOf).toISOString() }, humanLedger(ledger));
    if (!ledger.balanced) process.exitCode = 1;
  });
}

export function humanLedger(ledger: Ledger): string {
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
