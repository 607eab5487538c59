// Settles a rejection: replays its event, as it came or edited, or discards it. A replay is a new event, judged like any other.
// The rejection is settled in the transaction that takes the replay, so that it is never taken twice.
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import { LONG_BODY_BYTES } from '../../../platform/http/body-turns.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { writeAudit, type AuditEntry } from '../../store/audit.store.js';
import type { AcceptEvents } from '../accept-events.js';
import { readEnvelope, type RawEvent } from '../parse/raw-event.js';
import type { Verdict } from '../write-batch.js';
import { eventDifference, notKept } from './edited-event.js';
import {
  bodyOf,
  lockRejection,
  rejectionById,
  settleRejection,
  type ReadRejection,
} from './rejection.store.js';

export interface SettledRejection {
  readonly rejection: ReadRejection;
  /** false: it was settled so before, or its replay was refused. */
  readonly changed: boolean;
  /** The verdict of a replay that was refused in its turn: the rejection stays open. */
  readonly refused?: Verdict;
}

export class SettleRejection {
  constructor(
    private readonly intake: Pick<AcceptEvents, 'accept' | 'inTurn' | 'plansOf'>,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * `admit` throws where no more may be planned for the caller. Throws 404 for an unknown or foreign rejection, 403 and 400 for an
   * edited event that the caller may not publish in its place, 409 REJECTION_CLOSED for a rejection that was discarded, or replayed
   * with other content. A repeat of the same replay is answered with the verdict of the first.
   */
  async replay(
    id: string,
    edited: Readonly<Record<string, unknown>> | undefined,
    caller: CallerIdentity,
    admit: (plans: Awaited<ReturnType<AcceptEvents['plansOf']>>) => void,
  ): Promise<SettledRejection> {
    const rejection = await ownRejection(this.database, id, caller);
    if (edited !== undefined) mayEdit(rejection, edited, caller);
    const raw = await this.#replayOf(rejection, edited, caller);
    const isEdited = edited !== undefined;
    if (rejection.state !== 'open') return this.#replayedBefore(rejection, raw, isEdited);
    admit((await this.intake.plansOf([raw])).filter(({ serviceId }) => caller.holds(serviceId)));
    let isSettled = false;
    const within: Parameters<AcceptEvents['accept']>[1] = {
      before: async (sql) => {
        isSettled = (await lockRejection(sql, id)) !== 'open';
        if (isSettled) throw closed('settled meanwhile');
      },
      after: (sql, verdicts) => this.#settle(sql, rejection, caller, { verdict: verdicts[0], edited }),
    };
    const [verdict] = await this.intake
      .inTurn(caller.owner, () => this.intake.accept([raw], within))
      .catch((error: unknown) => {
        if (isSettled) return [];
        throw error;
      });
    const now = await ownRejection(this.database, id, caller);
    if (isSettled) return this.#replayedBefore(now, raw, isEdited);
    return {
      rejection: now,
      changed: now.state === 'replayed',
      ...(verdict?.kind === 'rejected' && { refused: verdict }),
    };
  }

  /** Throws 404 as replay() does, 409 REJECTION_CLOSED for one that was replayed. */
  async discard(id: string, reason: string | undefined, caller: CallerIdentity): Promise<SettledRejection> {
    const rejection = await ownRejection(this.database, id, caller);
    const changed = await this.database.transaction(async (sql) => {
      const state = await lockRejection(sql, id);
      if (state === 'replayed') throw closed('replayed');
      if (state !== 'open') return false;
      const at = new Date(this.clock.now());
      await settleRejection(sql, { id, state: 'discarded', at, by: caller.who, reason });
      const after = { state: 'discarded', ...(reason !== undefined && { reason }) };
      await this.#audit(sql, rejection, caller, { at, action: 'rejection.discard', after });
      return true;
    });
    return { rejection: await ownRejection(this.database, id, caller), changed };
  }

  async #settle(
    sql: Sql,
    rejection: ReadRejection,
    caller: CallerIdentity,
    { verdict, edited }: { verdict: Verdict | undefined; edited: object | undefined },
  ): Promise<void> {
    if (verdict === undefined || verdict.kind === 'read-before') return;
    const { kind, event } = verdict;
    const { id } = rejection;
    const at = new Date(this.clock.now());
    const state = kind === 'rejected' ? 'open' : 'replayed';
    if (state === 'replayed') {
      await settleRejection(sql, { id, state, at, by: caller.who, replay: event });
    }
    const isEdited = edited !== undefined;
    const after = {
      state,
      event,
      verdict: kind,
      edited: isEdited,
      ...(isEdited && state === 'replayed' && { difference: eventDifference(eventOf(rejection), edited) }),
    };
    await this.#audit(sql, rejection, caller, { at, action: 'rejection.replay', after });
  }

  /** The event as if the caller had published it. It has no place in Kafka: with one it would count as a record that is read again. */
  async #replayOf(
    { id, eventId, via, headers, body }: ReadRejection,
    edited: object | undefined,
    { tokenId, holds, takes }: CallerIdentity,
  ): Promise<RawEvent> {
    const again = { via: 'http', caller: { tokenId, holds, takes }, replayOf: id } as const;
    if (edited !== undefined) {
      const type = { 'content-type': 'application/cloudevents+json' };
      return { ...again, headers: type, body: Buffer.from(JSON.stringify(edited)) };
    }
    const whole = body ?? (await bodyOf(this.database, eventId));
    if (whole === undefined) throw notFound('event of the rejection');
    return { ...again, headers: via === 'http' ? headers : encoded(headers), body: whole };
  }

  /** The same answer as the first time; 409 where this request asks for something else. */
  async #replayedBefore(
    rejection: ReadRejection,
    raw: RawEvent,
    isEdited: boolean,
  ): Promise<SettledRejection> {
    if (rejection.replay === null) throw closed(rejection.state);
    const taken = isEdited ? await bodyOf(this.database, rejection.replay.eventId) : undefined;
    if (isEdited && taken?.equals(raw.body) !== true) throw closed(rejection.state);
    return { rejection, changed: false };
  }

  async #audit(
    sql: Sql,
    { id, serviceId }: ReadRejection,
    { who }: CallerIdentity,
    entry: Pick<AuditEntry, 'at' | 'action' | 'after'>,
  ): Promise<void> {
    const before = { state: 'open' };
    await writeAudit(sql, { ...entry, who, target: id, serviceId: serviceId ?? undefined, before });
  }
}

/** Throws 404 for a rejection that the caller may not see. Only tokens for all services see one that has no service. */
export async function ownRejection(
  sql: Sql,
  id: string,
  { holds, holdsEverything }: CallerIdentity,
): Promise<ReadRejection> {
  const rejection = await rejectionById(sql, id, LONG_BODY_BYTES);
  const serviceId = rejection?.serviceId;
  if (rejection === undefined || !(serviceId ? holds(serviceId) : holdsEverything))
    throw notFound('rejection');
  return rejection;
}

/** Editing an event publishes one, so it needs the role publisher too. */
function mayEdit(
  { serviceId, seen }: ReadRejection,
  edited: Readonly<Record<string, unknown>>,
  caller: CallerIdentity,
): void {
  if (!caller.may(['publisher'])) {
    const text =
      'an edited replay publishes an event: this needs a token with the role publisher beside operator';
    throw new Problem(403, 'ROLE_MISSING', text);
  }
  const problems = notKept({ serviceId, subject: seen.subject }, edited);
  if (problems.length === 0) return;
  throw new Problem(400, 'INVALID_REQUEST', 'the edited event is another one than the rejected', {
    problems,
  });
}

/** The event of a rejection as a whole CloudEvent; undefined where it is long (LONG_BODY_BYTES), or cannot be read. */
export function eventOf({ via, headers, body }: ReadRejection): Record<string, unknown> | undefined {
  if (body === null) return undefined;
  const { attributes, data, usable } = readEnvelope({ via, headers, body });
  return usable ? { ...attributes, ...(data !== undefined && { data }) } : undefined;
}

function closed(state: string): Problem {
  return new Problem(409, 'REJECTION_CLOSED', `the rejection was ${state} already`, { details: { state } });
}

/** Attributes are plain in Kafka's headers, percent-encoded in HTTP's (raw-event.ts). */
function encoded(headers: Readonly<Record<string, string>>): Record<string, string> {
  const valueOf = (name: string, value: string): string =>
    /^ce[_-]/.test(name) ? encodeURIComponent(value) : value;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, valueOf(name, value)]));
}
