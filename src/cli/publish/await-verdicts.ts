// What became of events that went to Kafka, which gives no verdict: asked of the scheduler by source and id until each was
// seen. What it knew of them before they were sent does not count.
import { UsageError } from '../usage-error.js';
import type { EventJson } from './read-events.js';
import type { PublishedEvent, SchedulerClient, SeenEvent } from './scheduler-client.js';
import type { Waiting } from './wait-between.js';

/** Questions under way at once. */
const AT_ONCE = 8;

interface Named {
  readonly source: string;
  readonly id: string;
  /** Of the events, those of this source and id: the same one may stand there twice. */
  readonly indexes: readonly number[];
}

/** By what an event can be asked for. Throws UsageError where one lacks it: nothing of it has been sent then. */
export function namesOf(events: readonly EventJson[]): readonly Named[] {
  const names = new Map<string, Named>();
  for (const [index, { source, id }] of events.entries()) {
    if (typeof source !== 'string' || typeof id !== 'string' || source === '' || id === '')
      throw new UsageError(
        `event ${index + 1} has no source and id, by which --follow asks for it: nothing was sent`,
      );
    const key = JSON.stringify([source, id]);
    names.set(key, { source, id, indexes: [...(names.get(key)?.indexes ?? []), index] });
  }
  return [...names.values()];
}

/** The ids of what the scheduler has seen under these names. */
export async function knownBefore(client: SchedulerClient, names: readonly Named[]): Promise<Set<string>> {
  const known = new Set<string>();
  await eachOf(names, async (name) => {
    for (const { eventId } of await client.seen(name)) known.add(eventId);
  });
  return known;
}

/**
 * Hands each to `told` as it is seen. Returns the indexes of those that were not: nothing more of them came for `waitMs`, or
 * the waiting was ended.
 */
export async function awaitVerdicts(
  client: SchedulerClient,
  names: readonly Named[],
  {
    before,
    waiting,
    waitMs,
    told,
  }: {
    readonly before: ReadonlySet<string>;
    readonly waiting: Waiting;
    readonly waitMs: number;
    readonly told: (event: PublishedEvent) => void;
  },
): Promise<number[]> {
  const found = new Map<Named, number>(names.map((name) => [name, 0]));
  while (found.size > 0 && !waiting.isOver) {
    let more = false;
    await eachOf([...found.keys()], async (name) => {
      const seen = (await client.seen(name)).filter(({ eventId }) => !before.has(eventId)).toReversed();
      const done = found.get(name) ?? 0;
      const fresh = seen.slice(done, name.indexes.length);
      for (const [at, one] of fresh.entries()) {
        more = true;
        told(publishedOf(name, name.indexes[done + at] ?? 0, one));
      }
      if (done + fresh.length === name.indexes.length) found.delete(name);
      else found.set(name, done + fresh.length);
    });
    if (more) waiting.restart();
    else if (waiting.elapsed >= waitMs) break;
    else await waiting.rest(`${countOf(found)} to be seen by the scheduler`, waitMs - waiting.elapsed);
  }
  return [...found].flatMap(([{ indexes }, done]) => indexes.slice(done)).toSorted((a, b) => a - b);
}

function countOf(found: ReadonlyMap<Named, number>): string {
  let events = 0;
  for (const [{ indexes }, done] of found) events += indexes.length - done;
  return events === 1 ? '1 event' : `${events} events`;
}

function publishedOf({ id }: Named, index: number, seen: SeenEvent): PublishedEvent {
  const { verdict, campaignId, rejectionId, problems } = seen;
  return {
    index,
    id,
    verdict,
    campaignId,
    ...(rejectionId !== undefined && { rejectionId }),
    ...(problems && { problems }),
  };
}

async function eachOf<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  for (let first = 0; first < all.length; first += AT_ONCE)
    await Promise.all(all.slice(first, first + AT_ONCE).map(work));
}
