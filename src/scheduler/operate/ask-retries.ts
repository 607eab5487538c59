// A preview's pages of questions: asks once more for the result of each send that somebody may have got, at most at a
// quarter of its project's rate, so that what is due goes first. Changes no send.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database.js';
import type { ProjectStore } from '../store/project.store.js';
import {
  holdRetryBatch,
  moveRetryItems,
  openRetryItems,
  stepRetryBatch,
  type MovedRetryItem,
  type OpenRetryItem,
  type RetryBatch,
} from '../store/retry-batch.store.js';
import type { AskDelivered, Delivered } from './ask-delivered.js';
import { PREVIEW_GOOD_FOR_MS } from './gather-retries.js';
import { withLeftOut } from './retry-counts.js';

export interface AskParts {
  readonly database: Database;
  readonly projects: Pick<ProjectStore, 'getMany'>;
  readonly askDelivered: AskDelivered;
  readonly clock: Clock;
}

/** Questions of one page, over all projects. */
const PAGE = 256;
const AT_ONCE = 64;
/** Pages follow each other at this distance, real milliseconds: a page takes a quarter of a second's worth of the rate. */
const EVERY_MS = 1_000;
/** A result that could not be read this often is left out. */
const MOST_TRIES = 3;

/** Answers the real milliseconds until the next page, undefined where another process took the set over. */
export async function askRetries(
  parts: AskParts,
  batch: RetryBatch,
  token: string,
): Promise<number | undefined> {
  const { database, clock } = parts;
  const open = await openRetryItems(database, { batch: batch.id, state: 'ask', limit: PAGE });
  const asked = await askWithinRate(parts, open);
  const moved = asked.map(({ item, delivered }) => movedBy(item, delivered));
  const settled = moved.filter(({ state }) => state !== 'ask');
  const leftOut = settled.flatMap(({ code }) => code ?? []);
  const counts = {
    ...batch.counts,
    asked: batch.counts.asked + settled.length,
    retry: batch.counts.retry - leftOut.length,
    leftOut: withLeftOut(batch.counts.leftOut, leftOut),
  };
  const ready = counts.asked >= counts.toAsk;
  return database.transaction(async (sql) => {
    if (!(await holdRetryBatch(sql, batch.id, token))) return undefined;
    await moveRetryItems(sql, batch.id, moved);
    const pauseMs = ready ? 0 : EVERY_MS;
    await stepRetryBatch(sql, batch.id, {
      state: ready ? 'ready' : 'asking',
      services: [],
      afterSend: null,
      counts,
      expiresAt: ready ? new Date(clock.now() + PREVIEW_GOOD_FOR_MS) : null,
      doneAt: null,
      pauseMs,
    });
    return pauseMs;
  });
}

interface AskedItem {
  readonly item: OpenRetryItem;
  readonly delivered: Delivered;
}

/** Those of the items that their project's rate, and what blocks it, let through. */
async function askWithinRate(parts: AskParts, open: readonly OpenRetryItem[]): Promise<AskedItem[]> {
  const { projects, askDelivered } = parts;
  const services = [...new Set(open.map((item) => item.serviceId))];
  const known = await projects.getMany(services);
  let waiting = services.flatMap((serviceId) => {
    const project = known.get(serviceId);
    const items = open.filter((item) => item.serviceId === serviceId);
    return project === undefined ? [] : items.slice(0, Math.ceil(project.ratePerSecond / 4));
  });
  const asked: AskedItem[] = [];
  while (waiting.length > 0) {
    const answers = await Promise.all(
      waiting.slice(0, AT_ONCE).map(async (item) => {
        return { item, delivered: await askDelivered(item.serviceId, item.requestId ?? '') };
      }),
    );
    asked.push(...answers);
    const held = new Set(
      answers.filter(({ delivered }) => isHeld(delivered)).map(({ item }) => item.serviceId),
    );
    waiting = waiting.slice(AT_ONCE).filter((item) => !held.has(item.serviceId));
  }
  return asked;
}

/** Not asked now: its project is blocked, or its rate left no turn. */
function isHeld({ kind }: Delivered): boolean {
  return kind === 'blocked' || kind === 'no-turn';
}

function movedBy({ send, tries }: OpenRetryItem, delivered: Delivered): MovedRetryItem {
  const still: MovedRetryItem = { send, state: 'ask', code: null, sentCount: null, tries, retry: null };
  if (delivered.kind === 'blocked' || delivered.kind === 'no-turn') return still;
  if (delivered.kind === 'pending') return { ...still, state: 'left-out', code: 'RESULT_NOT_FINAL' };
  if (delivered.kind === 'final') {
    const { sentCount } = delivered;
    return sentCount > 0
      ? { ...still, state: 'left-out', code: 'DELIVERED_TO_SOME', sentCount }
      : { ...still, state: 'retry', sentCount };
  }
  const tried = { ...still, tries: tries + 1 };
  return tried.tries < MOST_TRIES ? tried : { ...tried, state: 'left-out', code: 'RESULT_UNREAD' };
}
