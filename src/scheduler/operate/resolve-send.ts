// Resolving an uncertain send by hand, after somebody found out what became of it. Never asks the push service, never sends.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/http/problem.js';
import { RESOLVED, type Resolution } from '../decide/lifecycle/resolution.js';
import { writeAudit } from '../store/audit.store.js';
import { resolveUncertain } from '../store/send/resolve.store.js';
import { noSuchSend, sendById, type SendView } from '../store/read/send-view.store.js';

export interface ResolveAsk {
  readonly send: string;
  readonly resolution: Resolution;
  readonly reason: string | undefined;
  readonly who: string;
  readonly holds: (serviceId: string) => boolean;
}

export class ResolveSend {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 or 409 NOT_UNCERTAIN. If it was resolved in the same way before, returns the send as it is. */
  async run({ send, resolution, reason, who, holds }: ResolveAsk): Promise<SendView> {
    const found = await sendById(this.database, send);
    if (found === undefined || !holds(found.serviceId)) throw await noSuchSend(this.database, send);
    const { state, code } = RESOLVED[resolution];
    if (found.state === state && found.code === code) return found;
    const now = this.clock.now();
    await this.database.transaction(async (sql) => {
      if (!(await resolveUncertain(sql, { send, state, code, detail: reason ?? null, now, by: who }))) {
        const current = (await sendById(sql, send)) ?? found;
        // Somebody resolved it in the same way at this moment.
        if (current.state === state && current.code === code) return;
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
        after: { state, code, ...(reason !== undefined && { reason }) },
      });
    });
    const resolved = await sendById(this.database, send);
    if (resolved === undefined) throw new Error(`send ${send} is gone`);
    return resolved;
  }
}
