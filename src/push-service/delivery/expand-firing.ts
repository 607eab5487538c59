// A firing becomes chunks of targets (§3 PROCESSING → DONE): consent and night are judged here, at the moment of
// sending, set by set in SQL. One transaction; a process that dies half-way leaves the firing READY and nothing else.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { databaseFault } from '../gateway/database-fault.js';
import type { MessageRequest } from '../messages/message-request.js';
import {
  countAttempt,
  endFiring,
  expandPage,
  lockReadyFiring,
  markExpanded,
  type ReadyFiring,
  type TargetFilter,
} from './firing.store.js';

export interface ExpandContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** A firing that could not start for so long is STALE, milliseconds of the wall clock. */
  readonly timeoutMs: number;
  /** The sandbox's faults: how the next reservation's firing is to end. */
  readonly endingOf?: ((firing: ReadyFiring) => 'FAIL' | 'STALE' | undefined) | undefined;
}

/** A firing that breaks as often for reasons other than the database's absence is FAIL. */
const MAX_ATTEMPTS = 5;

/** Expands the oldest READY firing. Returns false when there was none. */
export async function expandNext(context: ExpandContext): Promise<boolean> {
  const { database, clock } = context;
  let firing: ReadyFiring | undefined;
  try {
    return await database.transaction(async (sql) => {
      firing = await lockReadyFiring(sql);
      if (firing === undefined) return false;
      const now = clock.now();
      const ending = endingOf(firing, now, context);
      if (ending !== undefined) {
        await endFiring(sql, firing, ending, new Date(now));
        return true;
      }
      const filter = filterOf(firing, new Date(now));
      let [afterKey, targets, chunks] = ['0', 0, 0];
      for (;;) {
        const page = await expandPage(sql, filter, afterKey, chunks);
        targets += page.targets;
        chunks += page.chunks;
        if (!page.more || page.lastKey === null) break;
        afterKey = page.lastKey;
      }
      await markExpanded(sql, firing, targets, chunks, new Date(now));
      return true;
    });
  } catch (error) {
    if (firing !== undefined) await giveUpOrRetry(context, firing, error);
    throw error;
  }
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

function filterOf(firing: ReadyFiring, at: Date): TargetFilter {
  const { target, messageType } = JSON.parse(firing.request) as Pick<
    MessageRequest,
    'target' | 'messageType'
  >;
  const asked = target.timezone ?? null;
  const own = firing.timezone;
  return {
    firingId: firing.id,
    serviceId: firing.serviceId,
    type: target.type,
    to: target.to ?? [],
    deviceType: target.deviceType ?? null,
    countries: target.country ?? null,
    // A LOCALTIME firing is for one offset; a message may ask for some as well.
    timezones: own === null ? asked : asked === null || asked.includes(own) ? [own] : [],
    advertising: messageType === 'AD',
    at,
  };
}

async function giveUpOrRetry(context: ExpandContext, firing: ReadyFiring, error: unknown): Promise<void> {
  if (databaseFault(error) !== undefined) return;
  const attempts = await countAttempt(context.database, firing.id);
  if (attempts < MAX_ATTEMPTS) return;
  context.log.error({ firing: firing.id, message: firing.messageId, err: error }, 'a firing broke for good');
  await endFiring(context.database, firing, 'FAIL', new Date(context.clock.now()));
}
