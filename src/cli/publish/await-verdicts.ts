// Waits for the verdicts of events that went to Kafka, which gives none: asks the scheduler by source, id and service until it has
// seen each event. Arrivals that the scheduler had seen before they were sent do not count.
import { UsageError } from '../shell/usage-error.js';
import type { EventJson } from './read-events.js';
import type { EventName, PublishedEvent, SchedulerClient } from './scheduler-client.js';
import type { Waiting } from './wait-between.js';

/** The most requests under way at once. */
const AT_ONCE = 8;
/** The most characters of a serviceId. */
const MOST_SERVICE_ID = 128;

interface Named extends EventName {
  /** The indexes of the events with this source, id and service: the same event may be given twice. */
  readonly indexes: readonly number[];
}

/** The names by which it asks about the events. Throws UsageError where an event has none: nothing has been sent then. */
export function namesOf(events: readonly EventJson[]): readonly Named[] {
  const names = new Map<string, Named>();
  for (const [index, { source, id, data }] of events.entries()) {
    if (typeof source !== 'string' || typeof id !== 'string' || source === '' || id === '')
      throw new UsageError(
        `event ${index + 1} has no source and id, by which --follow asks for it: nothing was sent`,
      );
    const serviceId = serviceIn(data);
    const key = JSON.stringify([source, id, serviceId]);
    const indexes = [...(names.get(key)?.indexes ?? []), index];
    names.set(key, { source, id, indexes, ...(serviceId !== undefined && { serviceId }) });
  }
  return [...names.values()];
}

/** Without a serviceId it asks for all of the token's services, as for an event that is refused because of its service. */
function serviceIn(data: unknown): string | undefined {
  const given = typeof data === 'object' && data !== null && 'serviceId' in data ? data.serviceId : undefined;
  return typeof given === 'string' && given !== '' && given.length <= MOST_SERVICE_ID ? given : undefined;
}

/** The ids of the events that the scheduler has seen under these names. */
export async function knownBefore(client: SchedulerClient, names: readonly Named[]): Promise<Set<string>> {
  const known = new Set<string>();
  await eachOf(names, async (name) => {
    for (const { eventId } of await client.seen(name)) known.add(eventId);
  });
  return known;
}

/**
 * Calls `seen` for each event that the scheduler has seen. Returns the indexes of the others, once none came for `waitMs`, or the
 * caller ended the waiting.
 */
export async function awaitVerdicts(
  client: SchedulerClient,
  names: readonly Named[],
  {
    before,
    waiting,
    waitMs,
    seen,
  }: {
    readonly before: ReadonlySet<string>;
    readonly waiting: Waiting;
    readonly waitMs: number;
    readonly seen: (event: PublishedEvent) => void;
  },
): Promise<number[]> {
  /** By name, the indexes of events that the scheduler has not seen yet. */
  const missing = new Map<Named, readonly number[]>(names.map((name) => [name, name.indexes]));
  while (missing.size > 0 && !waiting.isOver) {
    let isAnySeen = false;
    await eachOf([...missing], async ([name, indexes]) => {
      const found = (await client.seen(name)).filter(({ eventId }) => !before.has(eventId)).toReversed();
      const fresh = found.slice(name.indexes.length - indexes.length, name.indexes.length);
      for (const [at, { eventId: _, ...verdict }] of fresh.entries()) {
        isAnySeen = true;
        seen({ index: indexes[at] ?? 0, id: name.id, ...verdict });
      }
      if (fresh.length === indexes.length) missing.delete(name);
      else missing.set(name, indexes.slice(fresh.length));
    });
    const count = [...missing.values()].flat().length;
    const what = count === 1 ? '1 event' : `${count} events`;
    if (isAnySeen) waiting.restart();
    else if (waiting.elapsed >= waitMs) break;
    else await waiting.rest(`${what} to be seen by the scheduler`, waitMs - waiting.elapsed);
  }
  return [...missing.values()].flat().toSorted((a, b) => a - b);
}

async function eachOf<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  for (let first = 0; first < all.length; first += AT_ONCE)
    await Promise.all(all.slice(first, first + AT_ONCE).map(work));
}
