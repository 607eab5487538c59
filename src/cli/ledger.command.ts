// carillon ledger: whether every event and every planned chunk is accounted for, for people and for cron.
import { Command } from 'commander';
import { collect } from './arguments.js';
import { withJson } from './output.js';
import type { LedgerOptions } from './print-ledger.js';

export function ledgerCommand(): Command {
  const command = new Command('ledger')
    .description(
      'print the balance of events and sends, and every row that is missing; exit code 1 if one is',
    )
    .option('--service <serviceId>', 'only this service; may be given several times [all]', collect, []);
  return withJson(command).action(async (options: LedgerOptions) => {
    const { printLedger } = await import('./print-ledger.js');
    await printLedger(options);
  });
}
