// carillon zones list and drift.
import { z } from 'zod';
import { printList, printRows, withQuery, type ListOptions } from '../shell/list-of.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';

export interface ZonesOptions extends ListOptions {
  readonly like?: string;
}
export interface DriftOptions extends ListOptions {
  readonly service: string;
}

const Zone = z.looseObject({ zone: z.string(), offsetSeconds: z.number() });
const Zones = z.looseObject({ now: z.string(), items: z.array(Zone) });
const Drift = z.looseObject({
  userId: z.string(),
  zone: z.string(),
  zoneOffsetSeconds: z.number(),
  registeredOffsetSeconds: z.number(),
  lookedUpAt: z.string(),
});

/** `+09:00`, and `+00:00:10` where it has seconds. */
function offsetText(seconds: number): string {
  const sign = seconds < 0 ? '-' : '+';
  const all = Math.abs(seconds);
  const parts = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, ...(all % 60 === 0 ? [] : [all % 60])];
  return sign + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** The scheduler answers all zones at once. */
export async function listZones(options: ZonesOptions): Promise<void> {
  const { now, items } = await callScheduler(schedulerApi({ role: 'analyst' }), '/v1/zones', Zones);
  const like = options.like?.toLowerCase() ?? '';
  const found = items.filter(({ zone }) => zone.toLowerCase().includes(like));
  const shown = found.slice(0, options.limit);
  printRows(
    {
      columns: [
        { title: 'zone', of: ({ zone }) => zone },
        { title: 'offset', of: ({ offsetSeconds }) => offsetText(offsetSeconds) },
        {
          title: 'clock',
          of: ({ offsetSeconds }) =>
            new Date(Date.parse(now) + offsetSeconds * 1_000).toISOString().slice(0, 16).replace('T', ' '),
        },
      ],
      id: ({ zone }) => zone,
      none: 'no such zones',
    },
    { items: shown, nextCursor: null },
    options,
  );
  if (shown.length < found.length && options.json !== true)
    process.stderr.write(`there are ${found.length}: --limit prints more\n`);
}

export function listDrift(options: DriftOptions): Promise<void> {
  return printList(
    {
      role: 'analyst',
      path: withQuery('/recipients/drift', { serviceId: options.service }),
      row: Drift,
      columns: [
        { title: 'user', of: ({ userId }) => userId },
        { title: 'zone', of: ({ zone }) => zone },
        { title: 'offset', of: ({ zoneOffsetSeconds }) => offsetText(zoneOffsetSeconds) },
        { title: 'registered', of: ({ registeredOffsetSeconds }) => offsetText(registeredOffsetSeconds) },
        { title: 'looked up', of: ({ lookedUpAt }) => lookedUpAt, as: 'instant' },
      ],
      id: ({ userId }) => userId,
      none: 'the directory and the push service agree',
    },
    options,
  );
}
