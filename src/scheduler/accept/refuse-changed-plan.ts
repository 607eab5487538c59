// Over HTTP an event that names a planHash is compared with that plan before it is taken: 409 with the difference, and
// nothing kept (planning.md §9). Over Kafka there is nobody to answer: planning rejects the campaign.
import type { Sql } from '../../platform/database/database.js';
import { Problem } from '../../platform/http/problem.js';
import type { DraftReader, PlanChecker } from '../decide/plan/campaign-draft.js';
import { keyIsTaken } from './inbox.store.js';
import type { RawEvent } from './parse/raw-event.js';
import { readEnvelope } from './parse/read-envelope.js';

export interface RefuseChangedPlanParts {
  readonly sql: Sql;
  readonly drafts: DraftReader;
  readonly plans: PlanChecker;
}

export class RefuseChangedPlan {
  constructor(private readonly parts: RefuseChangedPlanParts) {}

  /** Throws a 409 PLAN_CHANGED. An event that was taken before passes: it is a duplicate, whatever time has changed. */
  async check(raw: RawEvent, holds: (serviceId: string) => boolean): Promise<void> {
    if (!raw.body.includes('"planHash"')) return;
    const draft = await this.parts.drafts.read(raw.body, holds);
    // What cannot be taken anyway is told by the intake, and kept.
    if (draft.kind !== 'campaign') return;
    const difference = await this.parts.plans.changed(draft.campaign);
    if (difference === undefined) return;
    const { source, id } = readEnvelope(raw).attributes;
    if (
      typeof source === 'string' &&
      typeof id === 'string' &&
      (await keyIsTaken(this.parts.sql, source, id))
    )
      return;
    throw new Problem(409, 'PLAN_CHANGED', 'the campaign would not be planned as it was previewed', {
      details: { difference },
    });
  }
}
