// The search for what replicas that are gone left in flight, as a replica makes it that finds nobody else alive.
import { pino } from 'pino';
import { v4 } from 'uuid';
import type { Clock } from '../../../src/platform/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { WHOLE } from '../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { RecoverLost, type RecoverDeps } from '../../../src/scheduler/dispatch/recover-lost.js';

/** Looks in its first round. Whose row stands in `replica` lives. */
export function recoveryOf(sql: Sql, clock: Clock, more: Partial<RecoverDeps> = {}): RecoverLost {
  return new RecoverLost({
    sql,
    clock,
    log: pino({ level: 'silent' }),
    replicas: { id: v4(), dead: () => [], goneCount: 1, slice: () => WHOLE },
    aheadMs: 60_000,
    ...more,
  });
}
