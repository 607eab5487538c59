// Asks for the result of uncertain sends whose requestId is known (life-of-a-send.md: "a result after all"): the answer
// named another status than was asked for, or nothing was final within the window. Never sends, never repeats.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';
import type { PushApi } from '../decide/push-api.js';
import { readResult, type ResultReading } from '../decide/read-result.js';
import { uncertainWaitMs } from '../decide/next-look.js';
import { nextState } from '../decide/send.js';
import { recordLooks, releaseLooks, type LookRow } from '../store/look.store.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import { claimUncertainLooks, type UncertainLook } from '../store/uncertain-look.store.js';
import { gatewayInstant } from './gateway-instant.js';
import { NOTHING_SEEN } from './judge-look.js';

export interface AskUncertainParts {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly calls: ProjectCalls;
  readonly projects: { get(serviceId: string): Promise<{ readonly gatewayZone: string } | undefined> };
  readonly clock: Clock;
  /** Real milliseconds; longer than a call may take and wait for its turn. */
  readonly leaseMs: number;
}

const BY = 'follow-uncertain';
/** Of one project at once: results that can still be expected go first. */
const AT_ONCE = 16;
const LONGEST_WAIT_MS = 3_600_000;
/** Then only an operator's word ends it. */
const ASKED_FOR_MS = 7 * 86_400_000;

export class AskUncertain {
  constructor(private readonly parts: AskUncertainParts) {}

  /** What waits for the rate goes back; nothing more is asked. */
  stop(): void {
    this.parts.calls.release();
  }

  /** Ends when what it asked is written down. Returns how many sends it asked about. */
  async runOnce(): Promise<number> {
    const { sql, clock, leaseMs } = this.parts;
    const now = clock.now();
    const looks = await claimUncertainLooks(sql, { now, leaseMs, limit: AT_ONCE });
    const rows = await Promise.all(looks.map((look) => this.#look(look)));
    const starved = looks.filter((_, index) => rows[index] === undefined);
    if (starved.length > 0) {
      await releaseLooks(
        sql,
        starved.map(({ id }) => id),
      );
    }
    const found = rows.filter((row) => row !== undefined);
    await recordLooks(sql, found, BY);
    return found.length;
  }

  /** undefined: the rate left it no turn. */
  async #look(look: UncertainLook): Promise<LookRow | undefined> {
    const { pushApi, calls, projects, clock } = this.parts;
    const { serviceId, requestId } = look;
    const called = await calls.call(serviceId, 'poll', () => pushApi.result(serviceId, requestId));
    if (called.kind !== 'called') return undefined;
    const zone = (await projects.get(serviceId))?.gatewayZone ?? 'UTC';
    return judgeUncertain(look, readResult(called.answer), clock.now(), zone);
  }
}

/** Only a final result moves it; of one that is not, its reason stays and it is asked again, ever more rarely. */
function judgeUncertain(look: UncertainLook, reading: ResultReading, now: EpochMs, zone: string): LookRow {
  const waitMs = Math.min(
    uncertainWaitMs(look.requestId) * 2 ** Math.min(look.looks + 1, 20),
    LONGEST_WAIT_MS,
  );
  const row: LookRow = {
    id: look.id,
    isStanding: look.mode === 'scheduled',
    changes: look.changes,
    looksBefore: look.looks,
    from: 'uncertain',
    to: null,
    code: null,
    detail: look.detail,
    at: now,
    nextAt: now + waitMs > look.stateAt + ASKED_FOR_MS ? null : now + waitMs,
    looks: look.looks + 1,
    ...NOTHING_SEEN,
  };
  if (reading.kind === 'unread') return row;
  const { status: gatewayStatus, targetCount, sentCount } = reading;
  if (reading.kind === 'pending') return { ...row, gatewayStatus };
  const observation = reading.observation === 'schedule-ended' ? 'result-failed' : reading.observation;
  return {
    ...row,
    to: nextState('uncertain', observation) ?? null,
    code: reading.code,
    detail: null,
    nextAt: null,
    looks: 0,
    gatewayStatus,
    targetCount,
    sentCount,
    completeTime: reading.completeTime === null ? null : gatewayInstant(reading.completeTime, zone),
  };
}
