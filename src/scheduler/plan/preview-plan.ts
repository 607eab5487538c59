// The dry run (planning.md §9): plans a draft as the planner would, keeps the plan under its hash, and says how a plan
// differs from the one that was previewed. Never writes a campaign and never looks anything up outside.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { instantText } from '../../platform/instant.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { DraftReader, PlanChecker, PlanDifference } from '../decide/plan/campaign-draft.js';
import type { PlanningProject, PlanProblem, PlanWarning } from '../decide/plan/plan-types.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import { savePreview } from './plan-preview.store.js';
import { changedPlan, hashOf, previewedAt } from './changed-plan.js';
import { knownAudience, namesAsked } from './known-audience.js';
import { planFrom, type PlannedFrom } from './plan-from.js';
import type { PlanView, PreviewedCell } from '../store/send/read/plan-view.js';
import { shownCells, shownPlan } from './shown-plan.js';

export interface PreviewPlanParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  /** How long a registered offset is believed. */
  readonly offsetCacheMs: number;
  readonly drafts: DraftReader;
  readonly projects: { get(serviceId: string): Promise<PlanningProject | undefined> };
}

export interface Preview {
  readonly planHash: string;
  readonly serviceId: string;
  readonly expiresAt: string;
  /** All of the plan but its cells. */
  readonly plan: PlanView & { readonly refusal: PlanProblem | null };
  readonly cells: readonly PreviewedCell[];
}

export type PreviewAnswer =
  | { readonly kind: 'plan'; readonly preview: Preview }
  | { readonly kind: 'rejected'; readonly reasons: readonly PlanProblem[] }
  | { readonly kind: 'unknown-service' };

/** A preview has no campaign and no revision yet; neither takes part in any decision. */
const NO_CAMPAIGN = '00000000-0000-0000-0000-000000000000';
const FIRST_REVISION = 1;

export class PreviewPlan implements PlanChecker {
  constructor(private readonly parts: PreviewPlanParts) {}

  async preview(bytes: Uint8Array, holds: (serviceId: string) => boolean): Promise<PreviewAnswer> {
    const draft = await this.parts.drafts.read(bytes, holds);
    if (draft.kind !== 'campaign') return draft;
    const from = await this.#plan(draft.campaign);
    if (from === undefined) return { kind: 'unknown-service' };
    const hash = hashOf(from);
    const cells = from.plan.occurrences.flatMap(shownCells);
    const { refusal } = from.plan;
    const plan = { ...shownPlan(from.plan), refusal: refusal ?? null };
    const { serviceId, now } = from;
    const expiresAt = await this.parts.database.transaction((sql) =>
      savePreview(sql, { serviceId, hash, plan, cells }, now),
    );
    return {
      kind: 'plan',
      preview: { planHash: hash, serviceId, expiresAt: instantText(expiresAt), plan, cells },
    };
  }

  async changed(campaign: Campaign): Promise<PlanDifference | undefined> {
    if (campaign.planHash === undefined) return undefined;
    const { database, clock } = this.parts;
    const from = await this.#plan(campaign, await previewedAt(database, campaign, clock.now()));
    return from === undefined ? undefined : changedPlan(database, from);
  }

  async warnings(campaign: Campaign): Promise<readonly PlanWarning[]> {
    return (await this.#plan(campaign))?.plan.warnings ?? [];
  }

  async #plan(campaign: Campaign, lookedAt?: EpochMs): Promise<PlannedFrom | undefined> {
    const { database, clock, rules, offsetCacheMs } = this.parts;
    const { serviceId } = campaign;
    const project = await this.parts.projects.get(serviceId);
    if (project === undefined) return undefined;
    const now = clock.now();
    const [names = { unknown: [], unasked: [] }] = await namesAsked(database, [{ serviceId, campaign }], now);
    const known = await knownAudience(database, { serviceId, campaign, project, now, offsetCacheMs, names });
    const order = { id: NO_CAMPAIGN, serviceId, revision: FIRST_REVISION, campaign, project, rules, now };
    return planFrom({ ...order, audience: known.facts, before: { lookedAt } });
  }
}
