// Changes of the clock in a cell's zone on the local day of its due: why that day has 23 or 25 hours. Pure.
import { z } from 'zod';
import { DAY_MS, formatOffset, splitLocal } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';

export const OffsetChange = z
  .object({ at: z.date(), from: z.string().describe('+09:00'), to: z.string() })
  .meta({ id: 'OffsetChange' });
export type OffsetChange = z.output<typeof OffsetChange>;

/** In order; in most zones empty on all but two days of a year. A change at midnight belongs to the day that it begins. */
export function offsetChanges(due: EpochMs, table: ZoneOffsets): OffsetChange[] {
  const { days } = splitLocal(table.toLocal(due));
  const changes = table.between(startOfDay(days, table), startOfDay(days + 1, table));
  return changes.map(({ at, offsetMs }) => ({
    at: new Date(at),
    from: formatOffset(table.offsetAt(at - 1)),
    to: formatOffset(offsetMs),
  }));
}

function startOfDay(days: number, table: ZoneOffsets): EpochMs {
  const found = table.candidates(days * DAY_MS);
  if (found.kind === 'unique') return found.instant;
  return found.kind === 'gap' ? found.end : found.first;
}
