// The lines of the tour: instants as the clock of the services shows them, and the plan of a zone in words.
import { DateTime } from 'luxon';
import type { EpochMs } from '../../../src/platform/clock.js';
import type { Terminal } from '../terminal.js';
import type { DayCell } from './day-api.js';
import type { DayCampaign } from './day-campaigns.js';

const DST_WORDS: Readonly<Record<string, string>> = {
  'moved-forward': 'that night its clock skips the time asked for: moved forward',
  first: 'that night its clock shows the time asked for twice: the first counts',
  second: 'that night its clock shows the time asked for twice: the second counts',
  skipped: 'that night its clock skips the time asked for: skipped',
};

export function shownInstant(at: EpochMs): string {
  return DateTime.fromMillis(at, { zone: 'UTC' }).toFormat("MM-dd HH:mm'Z'");
}

export function dayLine(at: EpochMs, sentence: string): string {
  return `${shownInstant(at)}  ${sentence}`;
}

/** As the clock of the zone shows it: `03-28 09:00 (+02:00)`. */
export function readingIn(zone: string, at: EpochMs): string {
  return DateTime.fromMillis(at, { zone }).toFormat('MM-dd HH:mm (ZZ)');
}

/** What the plan says of one zone. */
export function cellLine(
  { wallTime }: Pick<DayCampaign, 'wallTime'>,
  { zone, dueAt, skipped, verdicts, local }: DayCell,
  paint: Terminal['paint'],
): string {
  const name = `  ${zone.padEnd(20)}`;
  if (skipped !== null || dueAt === null) {
    const why = skipped === 'PASSED_ZONE' ? `${wallTime} is over there` : (skipped ?? 'no due');
    return `${name} ${paint('yellow', `skipped: ${why}`)}`;
  }
  const reading = local === null ? '' : `${local.reading.date.slice(5)} ${local.reading.time.slice(0, 5)}`;
  const said = [
    DST_WORDS[verdicts.dst],
    verdicts.night.kind === 'deferred' ? `${wallTime} is night there: deferred` : undefined,
  ];
  const words = said.filter((one) => one !== undefined).join('; ');
  return `${name} ${reading} there, ${shownInstant(dueAt)}${words === '' ? '' : `  ${paint('yellow', words)}`}`;
}
