// Parsed events and what the database knows → what becomes of each, in order: a later event of a batch sees what an
// earlier one did. Pure: it neither reads nor writes.
import { timePassed } from '../decide/plan/plan-refusals.js';
import { isNamed } from '../decide/source-patterns.js';
import type { Campaign } from '../decide/plan/campaign.js';
import {
  judgeOccurrenceCancel,
  type OccurrenceCancel,
  type OccurrenceContext,
  type OccurrenceFacts,
} from '../decide/lifecycle/cancel-occurrence.js';
import { EVENT_TYPES } from './parse/campaign-event.js';
import { REVISIONS_OFFERED } from './parse/not-yet-offered.js';
import type { CampaignEvent, ParsedEvent } from './parse/parse-event.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { RawEvent } from './parse/raw-event.js';
import { shown } from '../decide/quote-value.js';
import { MAX_REASONS, reason, type Reason } from './parse/reason.js';
import { campaignOf } from './parse/to-campaign.js';
import { CLOSED_CAMPAIGN, isCanceled } from '../decide/lifecycle/campaign-state.js';

export interface ArrivedEvent {
  /** Our id of the event. */
  readonly id: string;
  readonly raw: RawEvent;
  readonly parsed: ParsedEvent;
  /** The trace that its campaign carries from here on. */
  readonly trace?: TraceContext | undefined;
}

export interface KnownProject {
  readonly sources: readonly string[];
  /** As the project stores them: the same shape as an event's policy. */
  readonly policyDefaults: unknown;
  /** A topic that its rejections go to as well. */
  readonly rejectionsTopic: string | null;
}

export interface KnownKey {
  readonly contentHash: Buffer;
  readonly event: string;
}

export interface KnownCampaign {
  readonly id: string;
  readonly state: string;
  /** CloudEvents time of the newest event taken for it, epoch milliseconds. */
  readonly newestTime: number;
}

/** What the events of the batch name, as it was when the transaction began. */
export interface Known {
  /** By serviceId. */
  readonly projects: ReadonlyMap<string, KnownProject>;
  /** By nameOf(source, id, serviceId). */
  readonly keys: ReadonlyMap<string, KnownKey>;
  /** By nameOf(serviceId, campaignId). */
  readonly campaigns: ReadonlyMap<string, KnownCampaign>;
  /** Occurrences of existing campaigns, by nameOf(our id of the campaign, occurrence). */
  readonly occurrences: ReadonlyMap<string, OccurrenceFacts>;
  /** For judging the occurrences of a recurrence rule. */
  readonly context: OccurrenceContext;
}

export type Judgement =
  | {
      readonly kind: 'campaign';
      readonly campaign: string;
      readonly event: CampaignEvent;
      readonly data: Campaign;
    }
  | {
      readonly kind: 'command';
      readonly campaign: string;
      readonly event: CampaignEvent;
      /** false: it repeats an earlier one and changes nothing. */
      readonly acts: boolean;
      readonly reason: string | null;
    }
  | { readonly kind: 'duplicate'; readonly ofEvent: string; readonly campaign: string | null }
  | { readonly kind: 'rejected'; readonly reasons: readonly Reason[] };

export interface JudgedEvent<Kind extends Judgement = Judgement> {
  readonly arrived: ArrivedEvent;
  readonly judgement: Kind;
}

const CLOSED_STATES: readonly string[] = CLOSED_CAMPAIGN;
/** A canceled campaign still takes a command: it counts as a repeated one. */
const CLOSED_TO_COMMANDS = CLOSED_STATES.filter((state) => !isCanceled(state));

/** Several ids as the one key of a map. */
export function nameOf(...ids: readonly string[]): string {
  return JSON.stringify(ids);
}

export function judgeBatch(
  events: readonly ArrivedEvent[],
  known: Known,
  newId: () => string,
): JudgedEvent[] {
  const batch = new Batch(known, newId);
  return events.map((arrived) => ({ arrived, judgement: batch.judge(arrived) }));
}

/** What the project alone has against an event. Also of an event that is rejected anyway, where its serviceId could be read. */
export function projectReasons({ raw, parsed }: ArrivedEvent, known: Pick<Known, 'projects'>): Reason[] {
  const { serviceId, source } = parsed.seen;
  if (serviceId === null) return [];
  if (raw.caller !== undefined && !raw.caller.holds(serviceId)) {
    // The same answer where there is no such service: a token must not find out which services there are.
    const text = `the token does not hold ${shown(serviceId)}: use one that does`;
    return [reason('/data/serviceId', 'SERVICE_NOT_ALLOWED', text)];
  }
  const project = known.projects.get(serviceId);
  if (project === undefined) {
    const text = `there is no push project ${shown(serviceId)}: serviceId is the name that a project was added under`;
    return [reason('/data/serviceId', 'UNKNOWN_SERVICE', text)];
  }
  if (source === null) return [];
  if (raw.caller?.takes(source) === false) {
    const text = `the token takes no events of ${shown(source)}: use one that names it among its sources, or that names none`;
    return [reason('/source', 'SOURCE_NOT_ALLOWED', text)];
  }
  if (raw.via === 'kafka' && !isNamed(source, project.sources)) {
    const text = `the project takes no events of ${shown(source)} from Kafka: an admin adds it to its sources, exact or as prefix/*`;
    return [reason('/source', 'SOURCE_NOT_ALLOWED', text)];
  }
  return [];
}

class Batch {
  readonly #keys: Map<string, KnownKey>;
  readonly #campaigns: Map<string, KnownCampaign>;
  readonly #occurrences: Map<string, OccurrenceFacts>;
  /** The facts of the campaigns that this batch makes, by our id. */
  readonly #made = new Map<string, OccurrenceFacts>();

  constructor(
    private readonly known: Known,
    private readonly newId: () => string,
  ) {
    this.#keys = new Map(known.keys);
    this.#campaigns = new Map(known.campaigns);
    this.#occurrences = new Map(known.occurrences);
  }

  judge(arrived: ArrivedEvent): Judgement {
    const { parsed } = arrived;
    const project = projectReasons(arrived, this.known);
    if (parsed.kind === 'rejection') {
      // Where a serviceId or source is invalid, that it is unknown to the project is nothing new.
      const reported = new Set(parsed.reasons.map(({ pointer }) => pointer));
      const further = project.filter(({ pointer }) => !reported.has(pointer));
      return rejected([...parsed.reasons, ...further].slice(0, MAX_REASONS));
    }
    if (project.length > 0) return rejected(project);
    const { event } = parsed;
    const key = nameOf(event.source, event.id, event.data.serviceId);
    const before = this.#keys.get(key);
    if (before !== undefined) return this.#again(event, before);
    const judgement = event.kind === 'scheduled' ? this.#scheduled(event, parsed) : this.#command(event);
    // A rejected event holds no key: once corrected, it may come again under the same id.
    if (judgement.kind !== 'rejected') {
      this.#keys.set(key, { contentHash: event.contentHash, event: arrived.id });
    }
    return judgement;
  }

  #again(event: CampaignEvent, before: KnownKey): Judgement {
    if (before.contentHash.equals(event.contentHash)) {
      const campaign = this.#campaigns.get(nameOf(event.data.serviceId, event.campaignId));
      return { kind: 'duplicate', ofEvent: before.event, campaign: campaign?.id ?? null };
    }
    const text =
      'an event of this source and id was taken for the service before, and says something else: give it another id';
    return rejected([reason('/id', 'DUPLICATE_WITH_DIFFERENT_CONTENT', text)]);
  }

  #scheduled(
    event: CampaignEvent & { kind: 'scheduled' },
    { invalidTraceparent }: Pick<ParsedEvent, 'invalidTraceparent'>,
  ): Judgement {
    const { data, campaignId, time } = event;
    const name = nameOf(data.serviceId, campaignId);
    const known = this.#campaigns.get(name);
    const reasons = known === undefined ? [] : againstRevision(known, time);
    const meant = campaignOf(campaignId, data, this.known.projects.get(data.serviceId)?.policyDefaults);
    if (Array.isArray(meant)) return rejected([...reasons, ...meant]);
    // By the event's own time: what becomes late on its way to us follows its lateness.
    const passed = timePassed(meant, time, this.known.context.rules);
    if (passed !== undefined) reasons.push(reason('/data/delivery/at', 'TIME_PASSED', passed.text));
    if (reasons.length > 0) return rejected(reasons);
    const campaign = this.newId();
    const { delivery, policy } = meant;
    this.#campaigns.set(name, { id: campaign, state: 'accepted', newestTime: time });
    this.#made.set(campaign, { delivery, dst: policy.dst, state: null, plannedUntil: null });
    const kept = invalidTraceparent === undefined ? meant : { ...meant, invalidTraceparent };
    return { kind: 'campaign', campaign, event, data: kept };
  }

  #command(event: CampaignEvent & { kind: 'canceled' | 'paused' | 'resumed' }): Judgement {
    const { data, campaignId, time } = event;
    const name = nameOf(data.serviceId, campaignId);
    const known = this.#campaigns.get(name);
    if (known === undefined) {
      const text = `the project has no campaign ${shown(campaignId)}: an event of type ${EVENT_TYPES.scheduled} with this subject makes it`;
      return rejected([reason('/subject', 'UNKNOWN_CAMPAIGN', text)]);
    }
    const repeated = isCanceled(known.state);
    const reasons = againstFurther(known, time, CLOSED_TO_COMMANDS);
    if (reasons.length > 0) return rejected(reasons);
    const { occurrence = null } = data;
    const judged = occurrence === null || repeated ? undefined : this.#cancelOccurrence(known.id, occurrence);
    if (judged?.kind === 'refused') return rejected([reason('/data/occurrence', judged.code, judged.text)]);
    const state = repeated || occurrence !== null ? known.state : 'canceling';
    this.#campaigns.set(name, { ...known, state, newestTime: time });
    const acts = !repeated && judged?.kind !== 'already';
    return { kind: 'command', campaign: known.id, event, acts, reason: data.reason ?? null };
  }

  /** The campaign is open. */
  #cancelOccurrence(campaign: string, occurrence: string): OccurrenceCancel {
    const name = nameOf(campaign, occurrence);
    const facts = this.#occurrences.get(name) ?? this.#made.get(campaign);
    if (facts === undefined) throw new RangeError('an occurrence was not looked up');
    const judged = judgeOccurrenceCancel(facts, occurrence, this.known.context);
    if (judged.kind === 'asked') this.#occurrences.set(name, { ...facts, state: 'canceling' });
    return judged;
  }
}

/** Why a campaign that is there already takes no further revision. */
function againstRevision(known: KnownCampaign, time: number): Reason[] {
  const reasons = againstFurther(known, time, CLOSED_STATES);
  if (reasons.length > 0 || REVISIONS_OFFERED) return reasons;
  const text =
    'the campaign is there, and replacing it is not offered yet: cancel it, and use another campaignId';
  return [reason('/subject', 'NOT_YET_OFFERED', text)];
}

/** Why a campaign takes no further event: it is in one of the `closed` states, or took a newer one. */
function againstFurther(
  { state, newestTime }: KnownCampaign,
  time: number,
  closed: readonly string[],
): Reason[] {
  if (closed.includes(state)) {
    return [reason('/subject', 'CAMPAIGN_CLOSED', `the campaign is ${state}: use another campaignId`)];
  }
  if (time < newestTime) {
    const text = `is before ${new Date(newestTime).toISOString()}, that of the newest event taken for the campaign: give the time when this one was made`;
    return [reason('/time', 'SUPERSEDED', text)];
  }
  return [];
}

function rejected(reasons: readonly Reason[]): Judgement {
  return { kind: 'rejected', reasons };
}
