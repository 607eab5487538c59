// What carillon ledger does: reads one moment of the database, and ends with 1 when something is missing; with --watch again and
// again, and prints what has changed.
import { setTimeout as rest } from 'node:timers/promises';
import { SystemClock } from '../platform/clock.js';
import { messageOf } from '../platform/error-code.js';
import { readLedger, type Balance, type Ledger } from '../scheduler/store/send/read/ledger.store.js';
import { withDatabase } from './cli-database.js';
import { print, type JsonOption } from './output.js';

export interface LedgerOptions extends JsonOption {
  readonly service: readonly string[];
  /** Seconds between two readings. */
  readonly watch?: number;
}

export async function printLedger(options: LedgerOptions): Promise<void> {
  if (options.watch !== undefined) return watchLedger(options, options.watch);
  const ledger = await ledgerOf(options);
  print(options, shown(ledger), humanLedger(ledger));
  if (!ledger.balanced) process.exitCode = 1;
}

/** Until Ctrl-C or SIGTERM; the exit code is that of the last reading, as if it had been the only one. */
async function watchLedger(options: LedgerOptions, seconds: number): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    let last: string | undefined;
    while (!over.signal.aborted) {
      try {
        last = tellChange(options, await ledgerOf(options), last);
      } catch (error) {
        // Of the first reading: there is nothing to watch. Later it is told, and the next one may be better.
        if (last === undefined) throw error;
        process.stderr.write(`${messageOf(error)}\n`);
        process.exitCode = 1;
      }
      await rest(seconds * 1_000, undefined, { signal: over.signal }).catch(() => undefined);
    }
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
  }
}

/** What it tells now, by which the next reading is told to be another. JSON: a line each. */
function tellChange(options: LedgerOptions, ledger: Ledger, last: string | undefined): string {
  const human = humanLedger(ledger);
  process.exitCode = ledger.balanced ? 0 : 1;
  if (human === last) return human;
  const { asOf } = shown(ledger);
  const isScreen = options.json !== true && process.stdout.isTTY;
  if (options.json === true) process.stdout.write(`${JSON.stringify(shown(ledger))}\n`);
  else
    process.stdout.write(
      `${isScreen ? '\u001B[H\u001B[J' : ''}as of ${asOf}\n${human}\n${isScreen ? '' : '\n'}`,
    );
  return human;
}

function ledgerOf({ service }: LedgerOptions): Promise<Ledger> {
  const serviceIds = service.length === 0 ? null : service;
  return withDatabase((dataSource) => readLedger(dataSource, { serviceIds }, new SystemClock().now()));
}

function shown(ledger: Ledger): Omit<Ledger, 'asOf'> & { asOf: string } {
  return { ...ledger, asOf: new Date(ledger.asOf).toISOString() };
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
    line('devices', ledger.devices),
    ...missing,
    ledger.balanced ? 'balanced' : 'NOT balanced',
  ].join('\n');
}

function line<Terms extends object>(
  name: string,
  { left, right, sum, gone, balanced }: Balance<Terms>,
): string {
  const terms = Object.entries(right)
    .filter(([, count]) => count !== 0)
    .map(([term, count]) => `${term} ${count}`);
  const ofSums = gone === 0 ? '' : ` (${gone} of them as sums)`;
  return `${name} ${left} ${balanced ? '=' : '≠'} ${terms.length === 0 ? sum : terms.join(' + ')}${ofSums}`;
}
