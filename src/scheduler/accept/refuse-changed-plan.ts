// Compares an event over HTTP that names a planHash with that plan before the event is taken. Where they differ, the answer is a
// 409 with the difference, and nothing is kept (planning.md §9). Over Kafka nobody waits for an answer: planning rejects the campaign.
import type { Sql } from '../../platform/database/database.js';
import { Problem } from '../../platform/http/problem.js';
import type { DraftCaller, DraftReader, PlanChecker } from '../decide/plan/plan-ports.js';
import { keyIsTaken } from './inbox.store.js';
import type { SeenEnvelope } from './parse/parse-event.js';
import type { RawEvent } from './parse/raw-event.js';

export class RefuseChangedPlan {
  constructor(
    private readonly sql: Sql,
    private readonly drafts: DraftReader,
    private readonly plans: Pick<PlanChecker, 'changed'>,
  ) {}

  /** Throws a 409 PLAN_CHANGED. An event that was taken before passes: it is a duplicate, however much has changed since. */
  async check(raw: RawEvent, seen: Pick<SeenEnvelope, 'source' | 'id'>, caller: DraftCaller): Promise<void> {
    if (!raw.body.includes('"planHash"')) return;
    const draft = await this.drafts.read(raw.body, caller);
    // The intake says why it cannot be taken, and keeps it.
    if (draft.kind !== 'campaign') return;
    const difference = await this.plans.changed(draft.campaign);
    if (difference === undefined) return;
    const { source, id } = seen;
    const { serviceId } = draft.campaign;
    if (source !== null && id !== null && (await keyIsTaken(this.sql, { source, id, serviceId }))) return;
    throw new Problem(409, 'PLAN_CHANGED', 'the campaign would not be planned as it was previewed', {
      details: { difference },
    });
  }
}
