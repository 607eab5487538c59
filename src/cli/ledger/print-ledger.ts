// carillon ledger: reads one moment of the database, and with MANAGEMENT_TOKEN the push service's own ledger too; ends with 1 when
// something is missing or the two differ. With --watch it reads again and again, and prints when something has changed.
import { setTimeout as rest } from 'node:timers/promises';
import { messageOf } from '../../platform/logging/error-code.js';
import { readLedger, type Balance, type Ledger } from '../../scheduler/report/ledger/ledger.store.js';
import type { Database } from '../../platform/database/database.js';
import { viewProject } from '../../scheduler/admin/projects/project-write.store.js';
import { commandClock } from '../shell/command-clock.js';
import { withDatabase } from '../shell/cli-database.js';
import { print, type JsonOption } from '../shell/output.js';
import { UsageError } from '../shell/usage-error.js';
import { agrees, humanPushLedger, readPushLedger, type PushLedger } from './push-ledger.js';

export interface LedgerOptions extends JsonOption {
  readonly service: readonly string[];
  /** Seconds between two readings. */
  readonly watch?: number;
}

export async function printLedger(options: LedgerOptions): Promise<void> {
  if (options.watch !== undefined) return watchLedger(options, options.watch);
  const read = await readBoth(options);
  print(options, shown(read), human(read));
  if (!isRight(read)) process.exitCode = 1;
}

interface Both {
  readonly ledger: Ledger;
  /** Undefined without MANAGEMENT_TOKEN. */
  readonly push: PushLedger | undefined;
}

const isRight = ({ ledger, push }: Both): boolean => ledger.balanced && agrees(push);

/** Reads until Ctrl-C or SIGTERM; the exit code is that of the last reading, as if it had been the only one. */
async function watchLedger(options: LedgerOptions, seconds: number): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    let last: string | undefined;
    while (!over.signal.aborted) {
      try {
        last = printChange(options, await readBoth(options), last);
      } catch (error) {
        // If the first reading fails there is nothing to watch. A later failure is printed, and the next reading may succeed.
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

/** Prints the reading if its text is not `last`, and returns its text. JSON: a line for each reading. */
function printChange(options: LedgerOptions, read: Both, last: string | undefined): string {
  const text = human(read);
  process.exitCode = isRight(read) ? 0 : 1;
  if (text === last) return text;
  const clear = process.stdout.isTTY ? '\u001B[H\u001B[J' : '';
  const end = process.stdout.isTTY ? '' : '\n';
  if (options.json === true) process.stdout.write(`${JSON.stringify(shown(read))}\n`);
  else process.stdout.write(`${clear}as of ${shown(read).asOf}\n${text}\n${end}`);
  return text;
}

function readBoth({ service }: LedgerOptions): Promise<Both> {
  const serviceIds = service.length === 0 ? null : service;
  const now = commandClock().now();
  return withDatabase(async (dataSource) => {
    for (const serviceId of service) await mustBeThere(dataSource, serviceId, now);
    return {
      ledger: await readLedger(dataSource, { serviceIds }, now),
      push: await readPushLedger(dataSource, serviceIds, now),
    };
  });
}

/** The ledger of a project that nobody added is empty and balances, so a typing error in its name would look like good news. */
async function mustBeThere(database: Database, serviceId: string, now: number): Promise<void> {
  if ((await viewProject(database, serviceId, new Date(now))) === undefined)
    throw new UsageError(`there is no push project ${serviceId}`);
}

function shown({ ledger, push }: Both): Omit<Ledger, 'asOf'> & { asOf: string; pushService: object | null } {
  const asOf = new Date(ledger.asOf).toISOString();
  return { ...ledger, asOf, pushService: push === undefined ? null : { ...push, agrees: agrees(push) } };
}

function human({ ledger, push }: Both): string {
  return [humanLedger(ledger), ...(push === undefined ? [] : humanPushLedger(push))].join('\n');
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
