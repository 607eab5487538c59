// carillon retention: prints what is kept, since when and how fast it grows, and with --dry-run what would go now.
import { processEnvironment, readConfig } from '../platform/env.js';
import { dueBy } from '../scheduler/outcomes/retention/retention.js';
import { schedulerEnvironment } from '../scheduler/scheduler.config.js';
import {
  daysUntilFull,
  dueDays,
  growthOf,
  keptBytes,
  type DueDay,
  type Kept,
} from '../scheduler/store/kept-bytes.store.js';
import { commandClock } from './shell/command-clock.js';
import { withDatabase } from './shell/cli-database.js';
import { print, type JsonOption } from './shell/output.js';

export interface RetentionOptions extends JsonOption {
  readonly dryRun?: boolean;
}

export async function printRetention(options: RetentionOptions): Promise<void> {
  const settings = schedulerEnvironment.pick({
    SEND_RETENTION_DAYS: true,
    REPORT_RETENTION_DAYS: true,
    DATABASE_DISK_GB: true,
  });
  const read = readConfig(settings, processEnvironment());
  const { SEND_RETENTION_DAYS: sendDays, REPORT_RETENTION_DAYS: reportDays, DATABASE_DISK_GB: disk } = read;
  const now = commandClock().now();
  const sendsMs = sendDays * 86_400_000;
  await withDatabase(async (sql) => {
    const kept = await keptBytes(sql, new Date(now));
    const fullInDays = await daysUntilFull(sql, kept, disk === undefined ? undefined : disk * GIGA);
    const due = options.dryRun === true ? await dueDays(sql, dueBy(now, sendsMs)) : undefined;
    const lines = [
      `sends ${sendDays} days, campaigns and reports ${reportDays} days`,
      ...kept.map(keptLine),
      growthText(kept, fullInDays),
      ...(due === undefined ? [] : dueLines(due)),
    ];
    const growthADay = growthOf(kept);
    print(options, { sendDays, reportDays, kept, growthADay, fullInDays, due }, lines.join('\n'));
  });
}

function keptLine({ kind, oldestDay, days, bytes, bytesADay }: Kept): string {
  const name = (kind === '' ? 'all others' : kind).padEnd(16);
  const since = oldestDay === null ? '' : `  ${days} days since ${oldestDay}, ${sizeText(bytesADay)} a day`;
  return `${name}  ${sizeText(bytes).padStart(10)}${since}`;
}

function dueLines(due: readonly DueDay[]): string[] {
  if (due.length === 0) return ['nothing would go now'];
  return due.map(({ day, sends, bytes }) => {
    const count = sends === null ? '' : `, some ${sends} sends`;
    return `would go: ${day}, ${sizeText(bytes)}${count}`;
  });
}

const GIGA = 1e9;

/** `left`: days until the disk is full; undefined without DATABASE_DISK_GB, since PostgreSQL does not know the disk's size. */
export function growthText(kept: readonly Kept[], left: number | undefined): string {
  const aDay = growthOf(kept);
  if (aDay === 0) return 'no day is over yet: how fast it grows is not known';
  if (left !== undefined)
    return `grows by ${sizeText(aDay)} a day: the disk is full in ${left} days at this rate`;
  const lasts = Math.floor((100 * GIGA) / aDay);
  return `grows by ${sizeText(aDay)} a day: each 100 GB that are free last ${lasts} days (set DATABASE_DISK_GB to see when the disk is full)`;
}

export function sizeText(bytes: number): string {
  const [unit, name] = bytes >= GIGA ? [GIGA, 'GB'] : bytes >= 1e6 ? [1e6, 'MB'] : [1e3, 'KB'];
  return `${(bytes / unit).toFixed(1)} ${name}`;
}
