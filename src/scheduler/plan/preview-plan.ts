// The dry run (planning.md §9): plans a draft as the planner would, stores the plan under its hash, and says how a plan
// differs from the one that was previewed. Never writes a campaign; looks zones up outside only where that was asked for.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { instantText } from '../../platform/instant.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type {
  CampaignDraft,
  DraftReader,
  LookUps,
  PlanChecker,
  PlanDifference,
} from '../decide/plan/plan-ports.js';
import type { PlanningProject, PlanProblem, PlanWarning } from '../decide/plan/plan-types.js';
import { MAX_PLANNED_CELLS, planSize } from '../decide/plan/plan-size.js';
import type { PlanView, PreviewedCell } from '../store/read/plan-view.js';
import { fingerprint } from '../decide/plan/plan-hash.js';
import { changedPlan, previewedAt } from './changed-plan.js';
import { knownAudience, namesAsked } from './known-audience.js';
import { planFrom, type PlannedFrom } from './plan-from.js';
import { savePreview } from './plan-preview.store.js';
import { shownCells, shownPlan } from './shown-plan.js';

interface PreviewPlanParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  /** How long a registered offset counts as known. */
  readonly offsetCacheMs: number;
  /** Bytes of previews that one service may have kept. */
  readonly mostPreviewBytes: number;
  /** MAX_PLANNED_CELLS [its default]. */
  readonly mostCells?: number | undefined;
  readonly drafts: DraftReader;
  readonly lookUps: LookUps;
  readonly projects: {
    get(serviceId: string): Promise<(PlanningProject & { readonly lookupMax: number }) | undefined>;
  };
}

/** The service has as many bytes of previews kept as it may. */
interface NoRoom {
  readonly kind: 'no-room';
  readonly serviceId: string;
  readonly mostBytes: number;
  readonly now: EpochMs;
  /** When enough of them have expired; undefined: this one alone is too large. */
  readonly roomAt: EpochMs | undefined;
}

export type PreviewAnswer = Preview | NoRoom | Exclude<CampaignDraft, { kind: 'campaign' }>;

/** Who asks for a preview. */
interface PreviewCaller {
  readonly holds: (serviceId: string) => boolean;
  /** Throws where no more may be planned for them. */
  readonly admit: (plan: { readonly serviceId: string; readonly cells: number }) => void;
  /** Whether zones that are not known are asked for [no]. */
  readonly lookUp?: boolean;
}

interface Preview {
  readonly kind: 'plan';
  readonly planHash: string;
  readonly serviceId: string;
  readonly expiresAt: string;
  /** The whole plan except its cells. */
  readonly plan: PlanView & { readonly refusal: PlanProblem | null };
  readonly cells: readonly PreviewedCell[];
}

/** A preview has neither a campaign's id nor a revision; no decision depends on them. */
const NO_CAMPAIGN = { id: '00000000-0000-0000-0000-000000000000', revision: 1 };

export class PreviewPlan implements PlanChecker {
  constructor(private readonly parts: PreviewPlanParts) {}

  async preview(bytes: Uint8Array, { holds, admit, lookUp = false }: PreviewCaller): Promise<PreviewAnswer> {
    const draft = await this.parts.drafts.read(bytes, holds);
    if (draft.kind !== 'campaign') return draft;
    const { campaign } = draft;
    const { clock, rules, mostCells = MAX_PLANNED_CELLS } = this.parts;
    // One that is too large is refused before it is expanded.
    const asked = Math.min(mostCells, planSize({ campaign, now: clock.now(), rules }).cells);
    admit({ serviceId: campaign.serviceId, cells: asked });
    if (lookUp) await this.parts.lookUps.lookUp(campaign);
    const from = await this.#plan(campaign, { isTaken: false });
    if (from === undefined) return { kind: 'unknown-service' };
    const { serviceId } = from.campaign;
    const { hash, digests, cells: decided } = fingerprint(from.plan, from);
    const cells = from.plan.occurrences.flatMap(shownCells);
    // Both are of the same cells, in the same order.
    const kept = cells.flatMap((shown, index) => {
      const known = decided[index]?.decided;
      return known === undefined ? [] : [{ shown, decided: known }];
    });
    const plan = { ...shownPlan(from.plan), refusal: from.plan.refusal ?? null };
    const { database, mostPreviewBytes: mostBytes } = this.parts;
    const saved = await database.transaction((sql) =>
      savePreview(sql, { serviceId, hash, digests, plan, cells: kept }, { now: from.now, mostBytes }),
    );
    if (saved.kind === 'no-room') return { ...saved, serviceId, mostBytes, now: from.now };
    const expiresAt = instantText(saved.expiresAt);
    return { kind: 'plan', planHash: hash, serviceId, expiresAt, plan, cells };
  }

  async changed(campaign: Campaign): Promise<PlanDifference | undefined> {
    if (campaign.planHash === undefined) return undefined;
    const { database, clock } = this.parts;
    const lookedAt = await previewedAt(database, campaign, clock.now());
    const from = await this.#plan(campaign, { isTaken: false, lookedAt });
    return from === undefined ? undefined : changedPlan(database, from);
  }

  async warnings(campaign: Campaign): Promise<readonly PlanWarning[]> {
    return (await this.#plan(campaign, { isTaken: true }))?.plan.warnings ?? [];
  }

  async #plan(
    campaign: Campaign,
    how: Pick<PlannedFrom, 'isTaken' | 'lookedAt'>,
  ): Promise<PlannedFrom | undefined> {
    const { database, clock, rules, offsetCacheMs, mostCells } = this.parts;
    const { serviceId } = campaign;
    const project = await this.parts.projects.get(serviceId);
    if (project === undefined) return undefined;
    const now = clock.now();
    const [names = { unknown: [], unasked: [] }] = await namesAsked(database, [{ serviceId, campaign }], now);
    const lookUps = campaign.planHash === undefined ? project.lookupMax : 0;
    const question = { campaign, project, now, offsetCacheMs, names, lookUps };
    const known = await knownAudience(database, question);
    const audience = known.facts;
    return planFrom({ ...NO_CAMPAIGN, campaign, project, rules, now, audience, mostCells, ...how });
  }
}
