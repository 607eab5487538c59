// Resolving an uncertain send by hand, after somebody found out what became of it. Never asks the push service, never sends; a request
// that the operator names is followed as any other.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/http/problem.js';
import {
  REQUEST_ID_NEEDED,
  RESOLVED,
  resolvedState,
  type Resolution,
} from '../decide/lifecycle/resolution.js';
import { writeAudit } from '../store/audit.store.js';
import { resolveUncertain } from '../store/send/resolve.store.js';
import { noSuchSend, sendById, type SendView } from '../store/read/send-view.store.js';

export interface ResolveAsk {
  readonly send: string;
  readonly resolution: Resolution;
  /** The push service's id of the request. */
  readonly requestId?: string | undefined;
  readonly reason: string | undefined;
  readonly who: string;
  readonly holds: (serviceId: string) => boolean;
}

export class ResolveSend {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws 404, 409 NOT_UNCERTAIN or 409 REQUEST_ID_NEEDED. If it was resolved in the same way before, returns the send as it is. */
  async run({ send, resolution, requestId, reason, who, holds }: ResolveAsk): Promise<SendView> {
    const found = await sendById(this.database, send);
    if (found === undefined || !holds(found.serviceId)) throw await noSuchSend(this.database, send);
    const now = this.clock.now();
    const { code } = RESOLVED[resolution];
    const { mode, requestId: knownId } = found;
    const dueAt = found.dueAt?.getTime() ?? null;
    const state = resolvedState({ resolution, mode, dueAt, now, givenId: requestId, knownId });
    if (state === undefined) throw requestIdNeeded(found);
    const isDone = (view: SendView): boolean =>
      view.state === state && view.code === code && (requestId === undefined || view.requestId === requestId);
    if (isDone(found)) return found;
    await this.database.transaction(async (sql) => {
      if (
        !(await resolveUncertain(sql, { send, state, code, detail: reason ?? null, requestId, now, by: who }))
      ) {
        const current = (await sendById(sql, send)) ?? found;
        // Somebody resolved it in the same way at this moment.
        if (isDone(current)) return;
        const text = `it is ${current.state}; only an uncertain send is resolved`;
        throw new Problem(409, 'NOT_UNCERTAIN', text, { details: { state: current.state } });
      }
      await writeAudit(sql, {
        at: new Date(now),
        who,
        action: 'send.resolve',
        target: send,
        serviceId: found.serviceId,
        before: { state: found.state, code: found.code },
        after: {
          state,
          code,
          ...(requestId !== undefined && { requestId }),
          ...(reason !== undefined && { reason }),
        },
      });
    });
    const resolved = await sendById(this.database, send);
    if (resolved === undefined) throw new Error(`send ${send} is gone`);
    return resolved;
  }
}

function requestIdNeeded({ state }: SendView): Problem {
  if (state !== 'uncertain')
    return new Problem(409, 'NOT_UNCERTAIN', `it is ${state}; only an uncertain send is resolved`, {
      details: { state },
    });
  const text =
    'it is a reservation that is not due yet: give its requestId, so that it is followed and can be canceled';
  return new Problem(409, REQUEST_ID_NEEDED, text);
}
