// Makes chunks of targets from firings (push-interface.md §3 PROCESSING → DONE). SQL judges consent and night here, at the moment
// of sending. It is one transaction with one snapshot: a process that dies half-way leaves the firings READY and nothing else,
// and a device that moves to another user meanwhile gets the message once.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import { databaseFault } from '../gateway/database-fault.js';
import { retryingRaces } from '../gateway/retry-races.js';
import { traceOfKept } from '../messages/kept-request.js';
import type { MessageRequest } from '../messages/message-request.js';
import { deadlinesOf } from './deadlines.js';
import { expandRun } from './expand-run.store.js';
import {
  countAttempts,
  endFiring,
  expandPage,
  lockReadyFirings,
  markExpanded,
  type FiringOrder,
  type ReadyFiring,
  type TargetFilter,
} from './firing.store.js';

export interface ExpandContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** A firing that could not start for this long becomes STALE; milliseconds of the wall clock. */
  readonly timeoutMs: number;
  /** A device that is not handed over this long after the firing fails; milliseconds of the wall clock. */
  readonly deliveryMs: number;
  /** The sandbox's faults: how a reservation's firing is to end. */
  readonly endingOf?: ((firing: ReadyFiring) => 'FAIL' | 'STALE' | undefined) | undefined;
}

/** A firing that breaks this often becomes FAIL. While the database is away it does not count as broken. */
const MAX_ATTEMPTS = 5;

/** Expands the READY firing that is first in `order`, or a run of small firings. Returns how many it expanded. */
export async function expandNext(context: ExpandContext, order: FiringOrder): Promise<number> {
  let firings: readonly ReadyFiring[] = [];
  try {
    return await retryingRaces(async () => {
      firings = [];
      // With a snapshot for each page, a device that moves to a later user between two pages would be in both. A row that has
      // changed since the snapshot gives SQLSTATE 40001 when it is locked here.
      return context.database.transaction(async (sql) => {
        firings = await lockReadyFirings(sql, order);
        if (firings.length > 0) await expandLocked(sql, firings, context);
        return firings.length;
      }, 'begin isolation level repeatable read');
    });
  } catch (error) {
    await giveUpOrRetry(context, firings, error);
    throw error;
  }
}

async function expandLocked(
  sql: Sql,
  firings: readonly ReadyFiring[],
  context: ExpandContext,
): Promise<void> {
  const at = new Date(context.clock.now());
  const going: TargetFilter[] = [];
  for (const firing of firings) {
    const ending = endingOf(firing, at.getTime(), context);
    if (ending === undefined) going.push(targetFilterOf(firing, at, context));
    else await endFiring(sql, firing, ending, at);
  }
  const [first] = going;
  if (first === undefined) return;
  // A firing that is not small comes alone.
  if (firings.every(({ small }) => small)) await expandRun(sql, going, at);
  else await expandInPages(sql, first, at);
}

async function expandInPages(sql: Sql, filter: TargetFilter, at: Date): Promise<void> {
  const laid = { afterKey: '0', targets: 0, chunks: 0 };
  for (;;) {
    const { lastKey, more, targets, chunks } = await expandPage(sql, filter, at, laid);
    laid.targets += targets;
    laid.chunks += chunks;
    if (!more || lastKey === null) break;
    laid.afterKey = lastKey;
  }
  await markExpanded(sql, filter.firingId, laid, at);
}

function endingOf(
  firing: ReadyFiring,
  now: EpochMs,
  context: ExpandContext,
): 'FAIL' | 'STALE' | 'CANCELED' | undefined {
  if (firing.messageState === 'CANCELED') return 'CANCELED';
  if (firing.kind !== 'immediate' && now - firing.dueAt.getTime() >= context.timeoutMs) return 'STALE';
  return firing.kind === 'reserved' ? context.endingOf?.(firing) : undefined;
}

function targetFilterOf(firing: ReadyFiring, at: Date, { deliveryMs }: ExpandContext): TargetFilter {
  const { target, messageType, message } = JSON.parse(firing.request) as MessageRequest;
  return {
    firingId: firing.id,
    serviceId: firing.serviceId,
    type: target.type,
    to: target.to ?? [],
    deviceType: target.deviceType ?? null,
    countries: target.country ?? null,
    timezones: target.timezone ?? null,
    quarter: firing.timezone,
    advertising: messageType === 'AD',
    deadlines: deadlinesOf(message, at.getTime(), deliveryMs),
  };
}

/**
 * Counts an attempt of each firing of a run that broke. Each is tried alone from then on, so that only a broken one ends as FAIL.
 * If the database undid the transaction in favour of another one, that is no attempt: it says nothing about the firing.
 */
async function giveUpOrRetry(
  context: ExpandContext,
  firings: readonly ReadyFiring[],
  error: unknown,
): Promise<void> {
  if (firings.length === 0 || databaseFault(error) !== undefined) return;
  const ids = await countAttempts(
    context.database,
    firings.map(({ id }) => id),
    MAX_ATTEMPTS,
  );
  for (const firing of firings.filter(({ id }) => ids.includes(id))) {
    // Another process may have expanded it meanwhile.
    if (await endFiring(context.database, firing, 'FAIL', new Date(context.clock.now())))
      context.log.error(
        { firing: firing.id, message: firing.messageId, err: error, trace: traceOfKept(firing.request) },
        'a firing failed for good',
      );
  }
}
