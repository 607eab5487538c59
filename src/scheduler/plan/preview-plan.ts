// The dry run (planning.md §9): plans a draft as the planner would, stores the plan under its hash, and says how a plan
// differs from the one that was previewed. Never writes a campaign; asks the push service for zones only where the caller wants it.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { instantText } from '../../platform/instant.js';
import { TimedCache } from '../../platform/timed-cache.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import type { Load } from '../decide/forecast/send-queue.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type {
  CampaignDraft,
  DraftCaller,
  DraftReader,
  LookUps,
  PlanChecker,
  PlanDifference,
} from '../decide/plan/plan-ports.js';
import type { PlanningProject, PlanProblem, PlanWarning } from '../decide/plan/plan-types.js';
import { MAX_PLANNED_CELLS, planSize } from '../decide/plan/plan-size.js';
import type { PlanView } from '../store/read/plan-view.js';
import { minuteLoads, type MinuteOfCampaign } from './forecast/planned-load.store.js';
import { changedPlan, previewedAt } from './changed-plan.js';
import { knownAudience, namesAsked } from './known-audience.js';
import { listedFacts } from './listed-facts.js';
import { planningFacts, type PlanJob } from './make-plan.js';
import { pageOf, type PagedPlan, type PlanMaker } from './plan-maker.js';
import { previewCells, savePreview, type CellTexts, type PreviewCell } from './plan-preview.store.js';

interface PreviewPlanDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly plans: PlanMaker;
  /** How long a registered offset counts as known. */
  readonly offsetCacheMs: number;
  /** Bytes of previews that one service may have kept. */
  readonly mostPreviewBytes: number;
  /** MAX_PLANNED_CELLS [its default]. */
  readonly mostCells?: number | undefined;
  /** PLAN_AHEAD_HOURS in milliseconds [its default]. */
  readonly planAheadMs?: number | undefined;
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

/** The caller of a preview. */
interface PreviewCaller extends DraftCaller {
  /** Throws where no more may be planned for them. */
  readonly admit: (plan: { readonly serviceId: string; readonly cells: number }) => void;
  /** How many of the plan's cells the answer has at most. */
  readonly cells: number;
  /** Whether zones that are not known are asked for [no]. */
  readonly lookUp?: boolean;
}

interface Preview {
  readonly kind: 'plan';
  readonly planHash: string;
  readonly serviceId: string;
  /** What was planned, as acceptance reads it. */
  readonly campaign: Campaign;
  readonly expiresAt: string;
  /** The whole plan except its cells. */
  readonly plan: PlanView & { readonly refusal: PlanProblem | null };
  /** The first page, with as many cells as the caller asked for. */
  readonly cells: readonly PreviewCell[];
}

/** A warning may be that old, real milliseconds; reading a long queue takes some tens of milliseconds. */
const QUEUE_KEPT_MS = 10_000;
const QUEUES_KEPT = 100;

/** A preview has neither a campaign's id nor a revision; no decision depends on them. */
const NO_CAMPAIGN = { id: '00000000-0000-0000-0000-000000000000', revision: 1 };

export class PreviewPlan implements PlanChecker {
  readonly #queues: TimedCache<readonly MinuteOfCampaign[]>;

  constructor(private readonly deps: PreviewPlanDeps) {
    this.#queues = new TimedCache({ ttlMs: QUEUE_KEPT_MS, max: QUEUES_KEPT, clock: deps.clock });
  }

  /** Throws WorkersBusyError where no thread becomes free. */
  async preview(bytes: Uint8Array, caller: PreviewCaller): Promise<PreviewAnswer> {
    const draft = await this.deps.drafts.read(bytes, caller);
    if (draft.kind !== 'campaign') return draft;
    const { campaign } = draft;
    const { clock, rules, mostCells = MAX_PLANNED_CELLS } = this.deps;
    // A plan that is too large is refused before it is expanded.
    const asked = Math.min(mostCells, planSize({ campaign, now: clock.now(), rules }).cells);
    caller.admit({ serviceId: campaign.serviceId, cells: asked });
    if (caller.lookUp === true) await this.deps.lookUps.lookUp(campaign);
    const queue = await this.#queueBeside(campaign);
    const job = await this.#job(campaign, { want: 'cells', isTaken: false, queue });
    return job === undefined ? { kind: 'unknown-service' } : this.#keep(job, caller.cells);
  }

  async #keep(job: PlanJob, wanted: number): Promise<Preview | NoRoom> {
    const { database, plans, mostPreviewBytes: mostBytes } = this.deps;
    const made = await plans.make(job);
    const { fingerprint, cellBytes } = made;
    if (fingerprint === undefined) throw new RangeError('a dry run was made without its hash');
    const { serviceId } = job.campaign;
    const plan = { ...made.shown, refusal: made.refusal ?? null };
    const kept = { serviceId, ...fingerprint, plan, cells: pagesOf(made), cellBytes };
    const { hash } = fingerprint;
    return database.transaction(async (sql) => {
      const saved = await savePreview(sql, kept, { now: job.now, mostBytes });
      if (saved.kind === 'no-room') return { ...saved, serviceId, mostBytes, now: job.now };
      const cells = await previewCells(sql, { serviceId, hash }, { after: 0, limit: wanted });
      return {
        kind: 'plan',
        planHash: hash,
        serviceId,
        expiresAt: instantText(saved.expiresAt),
        plan,
        cells,
        campaign: job.campaign,
      };
    });
  }

  async changed(campaign: Campaign): Promise<PlanDifference | undefined> {
    if (campaign.planHash === undefined) return undefined;
    const { database, clock, plans } = this.deps;
    const lookedAt = await previewedAt(database, campaign, clock.now());
    const job = await this.#job(campaign, { want: 'hash', isTaken: false, lookedAt });
    return job === undefined ? undefined : changedPlan(database, plans, job, await plans.make(job));
  }

  async warnings(campaign: Campaign): Promise<readonly PlanWarning[]> {
    const queue = await this.#queueBeside(campaign);
    const job = await this.#job(campaign, { want: 'warnings', isTaken: true, queue });
    return job === undefined ? [] : (await this.deps.plans.make(job)).warnings;
  }

  /** What the other campaigns of its project are to hand off. The campaign itself may be planned already. */
  async #queueBeside({ serviceId, campaignId }: Campaign): Promise<Load[]> {
    const loads = await this.#queues.get(serviceId, () => minuteLoads(this.deps.database, serviceId));
    return loads
      .filter((load) => load.campaignId !== campaignId)
      .map(({ at, requests }): Load => ({ at, requests }));
  }

  async #job(
    campaign: Campaign,
    how: Pick<PlanJob, 'want' | 'isTaken' | 'lookedAt' | 'queue'>,
  ): Promise<PlanJob | undefined> {
    const { database, clock, offsetCacheMs, mostCells, planAheadMs } = this.deps;
    const { serviceId } = campaign;
    const project = await this.deps.projects.get(serviceId);
    if (project === undefined) return undefined;
    const now = clock.now();
    const [names = { unknown: [], unasked: [] }] = await namesAsked(database, [{ serviceId, campaign }], now);
    const lookUps = campaign.planHash === undefined ? project.lookupMax : 0;
    const question = { campaign, project, now, offsetCacheMs, names, lookUps };
    const { facts: known } = await knownAudience(database, question);
    const ofList = { campaign, now, since: now - offsetCacheMs };
    const listed = await listedFacts(database, ofList, how.want === 'warnings' ? 'quick' : 'count');
    const audience = { ...known, ...listed };
    const facts = { campaign, project: planningFacts(project), audience, now };
    return { ...NO_CAMPAIGN, ...facts, aheadMs: planAheadMs, mostCells, ...how };
  }
}

/** Decodes one page at a time, when it is asked for. */
function* pagesOf({ cells }: Pick<PagedPlan, 'cells'>): Generator<CellTexts> {
  for (const page of cells) yield pageOf(page);
}
