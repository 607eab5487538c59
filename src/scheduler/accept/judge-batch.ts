// Parsed events and what the database knows → what becomes of each, in order: a later event of a batch sees what an
// earlier one did. Pure: it neither reads nor writes.
import { mostListed } from '../../platform/most-listed.js';
import { timePassed } from '../decide/plan/plan-refusals.js';
import { isNamed } from '../decide/source-patterns.js';
import type { Campaign } from '../decide/plan/campaign.js';
import {
  judgeOccurrenceAct,
  type OccurrenceContext,
  type OccurrenceFacts,
} from '../decide/lifecycle/occurrence-act.js';
import type { FoundList } from '../store/listed-audience.store.js';
import { withListVersion } from './list-of-audience.js';
import type { CampaignEvent, ParsedEvent } from './parse/parse-event.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { RawEvent } from './parse/raw-event.js';
import { shown } from '../decide/quote-value.js';
import { reason, type Reason } from './parse/reason.js';
import { campaignOf } from './parse/to-campaign.js';
import { isSuperseded, type ActAt, type CampaignAct } from '../decide/lifecycle/campaign-act.js';
import { CLOSED_CAMPAIGN, isCanceled } from '../decide/lifecycle/campaign-state.js';

export interface ArrivedEvent {
  /** Our id of the event. */
  readonly id: string;
  readonly raw: RawEvent;
  readonly parsed: ParsedEvent;
  /** The trace that its campaign carries from now on. */
  readonly trace?: TraceContext | undefined;
}

export interface KnownProject {
  readonly sources: readonly string[];
  /** As the project stores them, in the form of an event's policy. */
  readonly policyDefaults: unknown;
  /** A topic to which its rejections are published as well. */
  readonly rejectionsTopic: string | null;
}

export interface KnownKey {
  readonly contentHash: Buffer;
  readonly event: string;
}

export interface KnownCampaign {
  readonly id: string;
  readonly state: string;
  /** A pause of all of it is in force. */
  readonly paused: boolean;
  /** The time of the newest act on the whole of it, epoch milliseconds. */
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
  /** Commands that wait for campaigns that do not exist yet, by nameOf(serviceId, campaignId), in the order of arrival. */
  readonly parked: ReadonlyMap<string, readonly ParkedCommand[]>;
  /** Lists that campaigns name, by nameOf(serviceId, name). */
  readonly lists?: ReadonlyMap<string, FoundList>;
  /** For judging the occurrences of a recurrence rule. */
  readonly context: OccurrenceContext;
}

/** A command that arrived before its campaign. Its event and the event's key are kept already. */
export interface ParkedCommand {
  /** Our id of the event. */
  readonly event: string;
  readonly serviceId: string;
  readonly campaignId: string;
  readonly source: string;
  readonly id: string;
  readonly time: number;
  readonly act: CampaignAct;
  readonly occurrence: string | null;
  readonly reason: string | null;
}

/** What became of a parked command whose campaign came. */
export interface ReleasedCommand {
  readonly parked: ParkedCommand;
  readonly judgement: CommandJudgement | RejectedJudgement;
}

/** What a command does. */
export interface CommandJudgement {
  readonly kind: 'command';
  readonly campaign: string;
  readonly event: Pick<CampaignEvent, 'source' | 'time'>;
  readonly act: CampaignAct;
  readonly occurrence: string | null;
  /** false: it repeats an earlier cancel and changes nothing. */
  readonly acts: boolean;
  readonly reason: string | null;
}
interface RejectedJudgement {
  readonly kind: 'rejected';
  readonly reasons: readonly Reason[];
}

export type Judgement =
  | {
      readonly kind: 'campaign';
      readonly campaign: string;
      readonly event: CampaignEvent;
      readonly data: Campaign;
    }
  /** The next revision of a campaign that is open. */
  | {
      readonly kind: 'revision';
      readonly campaign: string;
      readonly event: CampaignEvent;
      readonly data: Campaign;
    }
  | CommandJudgement
  /** It waits for its campaign. */
  | { readonly kind: 'parked'; readonly command: ParkedCommand }
  | { readonly kind: 'duplicate'; readonly ofEvent: string; readonly campaign: string | null }
  | RejectedJudgement;

export interface JudgedEvent<Kind extends Judgement = Judgement> {
  readonly arrived: ArrivedEvent;
  readonly judgement: Kind;
}

const CLOSED_STATES: readonly string[] = CLOSED_CAMPAIGN;
const ACT_OF = { canceled: 'cancel', paused: 'pause', resumed: 'resume' } as const;
/** The most commands that may wait for one campaign: all are read when it comes. */
export const MOST_PARKED = 20;

/** Several ids as the one key of a map. */
export function nameOf(...ids: readonly string[]): string {
  return JSON.stringify(ids);
}

/**
 * What became of each event of the batch (`judged`), and of commands that waited before it (`released`). A command that this batch
 * parked is only in `judged`.
 */
interface JudgedBatch {
  readonly judged: JudgedEvent[];
  readonly released: ReleasedCommand[];
}

/** Yields after each event, so that the caller may let others come. */
export function* judgeBatch(
  events: readonly ArrivedEvent[],
  known: Known,
  newId: () => string,
): Generator<void, JudgedBatch, void> {
  const batch = new Batch(known, newId);
  const first: JudgedEvent[] = [];
  for (const arrived of events) {
    first.push({ arrived, judgement: batch.judge(arrived) });
    yield;
  }
  const { released } = batch;
  const judged = first.map(({ arrived, judgement }) => ({
    arrived,
    judgement: released.get(arrived.id)?.judgement ?? judgement,
  }));
  const ofBatch = new Set(events.map(({ id }) => id));
  return { judged, released: [...released.values()].filter(({ parked }) => !ofBatch.has(parked.event)) };
}

/** The project's own reasons against an event. Judged also for an event that is rejected anyway, if its serviceId could be read. */
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
  readonly #parked: Map<string, readonly ParkedCommand[]>;
  /** By our id of the event. */
  readonly released = new Map<string, ReleasedCommand>();

  constructor(
    private readonly known: Known,
    private readonly newId: () => string,
  ) {
    this.#keys = new Map(known.keys);
    this.#campaigns = new Map(known.campaigns);
    this.#occurrences = new Map(known.occurrences);
    this.#parked = new Map(known.parked);
  }

  judge(arrived: ArrivedEvent): Judgement {
    const { parsed } = arrived;
    const project = projectReasons(arrived, this.known);
    if (parsed.kind === 'rejection') {
      // An invalid serviceId or source is reported already: that the project does not know it would say nothing new.
      const reported = new Set(parsed.reasons.map(({ pointer }) => pointer));
      const further = project.filter(({ pointer }) => !reported.has(pointer));
      return rejected(mostListed([...parsed.reasons, ...further]));
    }
    if (project.length > 0) return rejected(project);
    const { event } = parsed;
    const key = nameOf(event.source, event.id, event.data.serviceId);
    const before = this.#keys.get(key);
    if (before !== undefined) return this.#again(event, before);
    const judgement =
      event.kind === 'scheduled' ? this.#scheduled(event, arrived) : this.#commanded(arrived.id, event);
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
    { parsed: { invalidTraceparent }, raw }: Pick<ArrivedEvent, 'parsed' | 'raw'>,
  ): Judgement {
    const { data, campaignId, time } = event;
    const name = nameOf(data.serviceId, campaignId);
    const known = this.#campaigns.get(name);
    const reasons = known === undefined ? [] : againstFurther(known, { act: 'schedule', time });
    const meant = campaignOf(campaignId, data, this.known.projects.get(data.serviceId)?.policyDefaults);
    if (Array.isArray(meant)) return rejected([...reasons, ...meant]);
    const { lists, context } = this.known;
    const pinned = withListVersion(
      meant,
      (list) => lists?.get(nameOf(list.serviceId, list.name)),
      context.now,
      raw.listVersion,
    );
    if ('pointer' in pinned) return rejected([...reasons, pinned]);
    // Judged at the event's own time: an event that becomes late on its way to us follows its policy's lateness.
    const passed = timePassed(meant, time, context.rules);
    if (passed !== undefined) reasons.push(reason('/data/delivery/at', 'TIME_PASSED', passed.text));
    if (reasons.length > 0) return rejected(reasons);
    const kept = invalidTraceparent === undefined ? pinned : { ...pinned, invalidTraceparent };
    if (known !== undefined) {
      this.#campaigns.set(name, { ...known, newestTime: Math.max(known.newestTime, time) });
      return { kind: 'revision', campaign: known.id, event, data: kept };
    }
    const campaign = this.newId();
    const { delivery, policy } = meant;
    this.#campaigns.set(name, { id: campaign, state: 'accepted', paused: false, newestTime: time });
    this.#made.set(campaign, { delivery, dst: policy.dst, state: null, plannedUntil: null });
    this.#release(name, time);
    return { kind: 'campaign', campaign, event, data: kept };
  }

  #commanded(
    event: string,
    { kind, source, id, time, campaignId, data }: CampaignEvent & { kind: keyof typeof ACT_OF },
  ): Judgement {
    const { serviceId, occurrence = null, reason: why = null } = data;
    const act = ACT_OF[kind];
    const command = { event, serviceId, campaignId, source, id, time, act, occurrence, reason: why };
    const name = nameOf(serviceId, campaignId);
    const known = this.#campaigns.get(name);
    if (known !== undefined) return this.#command(command, known);
    const waiting = this.#parked.get(name) ?? [];
    if (waiting.length >= MOST_PARKED) {
      const text = `the project has no campaign ${shown(campaignId)}, and ${MOST_PARKED} commands wait for it already`;
      return rejected([reason('/subject', 'UNKNOWN_CAMPAIGN', text)]);
    }
    this.#parked.set(name, [...waiting, command]);
    return { kind: 'parked', command };
  }

  /** Judges the commands that waited for a campaign, which an event of this time has made. */
  #release(name: string, scheduledAt: number): void {
    for (const parked of this.#parked.get(name) ?? []) {
      const known = this.#campaigns.get(name);
      if (known === undefined) return;
      // A command for this campaign has the same or a later time. An older one was meant for another campaign of that id.
      const judgement =
        parked.time < scheduledAt ? rejected([superseded(scheduledAt)]) : this.#command(parked, known);
      this.released.set(parked.event, { parked, judgement });
      if (judgement.kind === 'rejected')
        this.#keys.delete(nameOf(parked.source, parked.id, parked.serviceId));
    }
    this.#parked.delete(name);
  }

  #command(command: ParkedCommand, known: KnownCampaign): CommandJudgement | RejectedJudgement {
    const { serviceId, campaignId, source, time, act, occurrence, reason: why } = command;
    const event = { source, time };
    const judgement = { kind: 'command', campaign: known.id, event, act, occurrence, reason: why } as const;
    if (act === 'cancel' && isCanceled(known.state)) return { ...judgement, acts: false };
    const reasons = againstFurther(known, { act, time });
    if (reasons.length > 0) return rejected(reasons);
    if (occurrence !== null) return this.#occurrenceCommand(judgement, occurrence);
    this.#campaigns.set(nameOf(serviceId, campaignId), {
      ...known,
      ...(act === 'cancel' && { state: 'canceling' }),
      paused: act === 'pause',
      newestTime: Math.max(known.newestTime, time),
    });
    return { ...judgement, acts: true };
  }

  /** The campaign is open. An act on one occurrence makes no older act on the whole campaign too late. */
  #occurrenceCommand(
    judgement: Omit<CommandJudgement, 'acts'>,
    occurrence: string,
  ): CommandJudgement | RejectedJudgement {
    const { campaign, act } = judgement;
    const name = nameOf(campaign, occurrence);
    const facts = this.#occurrences.get(name) ?? this.#made.get(campaign);
    if (facts === undefined) throw new RangeError('an occurrence was not looked up');
    const judged = judgeOccurrenceAct(facts, occurrence, this.known.context);
    if (judged.kind === 'refused') return rejected([reason('/data/occurrence', judged.code, judged.text)]);
    if (judged.kind === 'asked') {
      if (act === 'cancel') this.#occurrences.set(name, { ...facts, state: 'canceling' });
      return { ...judgement, acts: true };
    }
    if (act === 'cancel') return { ...judgement, acts: false };
    return rejected([reason('/data/occurrence', 'OCCURRENCE_CLOSED', 'the occurrence is canceled')]);
  }
}

/** Why a campaign takes no further act or revision: it is closed, or the event came too late to change it. */
function againstFurther({ state, paused, newestTime }: KnownCampaign, act: ActAt): Reason[] {
  // Only another cancel finds a campaign that is being canceled, and changes nothing.
  if (CLOSED_STATES.includes(state) || isCanceled(state)) {
    return [reason('/subject', 'CAMPAIGN_CLOSED', `the campaign is ${state}: use another campaignId`)];
  }
  const newest = { act: paused ? 'pause' : 'schedule', time: newestTime } as const;
  return isSuperseded(act, newest) ? [superseded(newestTime)] : [];
}

function superseded(newestTime: number): Reason {
  const text = `is not after ${new Date(newestTime).toISOString()}, that of the newest event taken for the campaign: give the time when this one was made`;
  return reason('/time', 'SUPERSEDED', text);
}

function rejected(reasons: readonly Reason[]): RejectedJudgement {
  return { kind: 'rejected', reasons };
}
