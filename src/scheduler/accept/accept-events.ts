// Takes a batch of raw events in one transaction: a row for each event, and exactly one more that says what became of it
// (life-of-a-send.md, "Guarantee 3"). Safe to repeat after a crash. A faulty event never costs the others of its batch.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Owner } from '../../platform/fair-order.js';
import { inHalves } from '../../platform/database/isolate-refused.js';
import { errorCode, messageOf } from '../../platform/logging/error-code.js';
import type { Log } from '../../platform/logging/log.js';
import { OthersFirst } from '../../platform/loops/others-first.js';
import { Turns } from '../../platform/limited-turns.js';
import { lackOfTurns } from '../../platform/http/lack-of-turns.js';
import { NO_TRACING, type Span, type Tracing } from '../../platform/tracing/tracing.js';
import { idsAt } from '../../platform/uuids-at.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import {
  findReadBefore,
  holdKeys,
  intakeProjects,
  lockCampaigns,
  unknownCampaigns,
  type InboxKey,
} from './inbox.store.js';
import { lockServices, parkedFor, type CampaignName } from './parked-command.store.js';
import { occurrenceFacts, type OccurrenceName } from '../store/occurrence.store.js';
import { findLists, type ListName } from '../store/listed-audience.store.js';
import type { EventParser } from './event-parser.js';
import { listNamed } from './list-of-audience.js';
import { judgeBatch, nameOf, projectReasons, type ArrivedEvent, type Known } from './judge-batch.js';
import { NOTHING_SEEN, type ParsedEvent } from './parse/parse-event.js';
import type { BodyElements } from './parse/body-elements.js';
import type { RawEvent } from './parse/raw-event.js';
import { reason } from './parse/reason.js';
import { inboxKey, writeBatch, type IntakeTopics, type Verdict } from './write-batch.js';

/** What the caller does in the same transaction. */
interface Within {
  /**
   * Called before anything of the batch, or of a batch cut from it, is looked up. An error that it throws ends the transaction and
   * accept().
   */
  before(sql: Sql, raws: readonly RawEvent[]): Promise<void>;
  after(sql: Sql, verdicts: readonly Verdict[], raws: readonly RawEvent[]): Promise<void>;
}

/** Fewer than the connections of intake and planning: Kafka's events and planning go on beside requests. */
const TURNS = { most: 4, mostOfOne: 3, waiting: 600, waitingOfOne: 200, waitMs: 10_000 };

interface TracedEvent extends ArrivedEvent {
  readonly span: Span;
}

export class AcceptEvents {
  /** Events that were parsed before: because their plans were asked about, or because the batch is tried again. */
  readonly #parsed = new WeakMap<RawEvent, ParsedEvent>();

  constructor(
    private readonly deps: {
      /** Runs `work` in a transaction of its own, READ COMMITTED, and again where it lost a race. */
      readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
      readonly clock: Clock;
      readonly rules: ZoneRules;
      readonly parser: Pick<EventParser, 'event' | 'elements'>;
      readonly topics: IntakeTopics;
      readonly log: Pick<Log, 'debug' | 'isLevelEnabled'>;
      /** [off] */
      readonly tracing?: Tracing;
      /** Called with each event that is kept, for the metrics. `code`: the first reason of a refusal, else empty. */
      readonly counted?: (verdict: Verdict['kind'], code: string) => void;
    },
  ) {}

  readonly #turns = new Turns(
    TURNS,
    lackOfTurns(TURNS, { code: 'INTAKE_BUSY', what: 'requests with events' }),
  );

  /**
   * Runs the work of a request that holds a connection: from its first accept() until it has committed. No service has all
   * connections, however long its events take. Throws 429 BUDGET_SPENT and 503 INTAKE_BUSY where no turn comes.
   */
  inTurn<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(owner, work);
  }

  /** Whether a body can be read, and the events of a batch. Throws WorkersBusyError and WorkLimitError. */
  elementsOf(body: Uint8Array, tokenId: string): Promise<BodyElements> {
    return this.deps.parser.elements(body, tokenId);
  }

  /** The campaigns among these events that would be planned: none that is refused. `cells`: the most that each may have. */
  async plansOf(raws: readonly RawEvent[]): Promise<{ serviceId: string; cells: number }[]> {
    const plans: { serviceId: string; cells: number }[] = [];
    const others = new OthersFirst(this.deps.clock);
    for (const raw of raws) {
      await others.now();
      const { seen, cells } = await this.#parsedOf(raw);
      if (cells !== undefined && seen.serviceId !== null) plans.push({ serviceId: seen.serviceId, cells });
    }
    return plans;
  }

  /** As much of its envelope as can be read. */
  async seenOf(raw: RawEvent): Promise<ParsedEvent['seen']> {
    return (await this.#parsedOf(raw)).seen;
  }

  async #parsedOf(raw: RawEvent): Promise<ParsedEvent> {
    const { clock, parser } = this.deps;
    const parsed = this.#parsed.get(raw) ?? (await parser.event(raw, clock.now()));
    this.#parsed.set(raw, parsed);
    return parsed;
  }

  /**
   * The verdicts, in the order of `raws`. Throws when the database is away: then nothing of the batch is kept, and all of it
   * may be given again. Kafka records of one call are of one partition.
   */
  async accept(raws: readonly RawEvent[], within?: Within): Promise<Verdict[]> {
    if (raws.length === 0) return [];
    const verdicts = await inHalves(
      raws,
      (half) => this.#take(half, within),
      async (raw, error) => [await this.#refuse(raw, error, within)],
      isFaultOfAnEvent,
    );
    return verdicts.flat();
  }

  /** What accept() would say of them now. Does the same work under the same locks, and undoes it: nothing is kept. */
  async judge(raws: readonly RawEvent[]): Promise<readonly Verdict[]> {
    let judged: readonly Verdict[] = [];
    const undo = new Error('the events are only judged');
    const within: Within = {
      before: () => Promise.resolve(),
      after: (_, verdicts) => {
        judged = verdicts;
        return Promise.reject(undo);
      },
    };
    await this.accept(raws, within).catch((error: unknown) => {
      if (error !== undo) throw error;
    });
    return judged;
  }

  async #take(raws: readonly RawEvent[], within: Within | undefined): Promise<Verdict[]> {
    const { inTransaction, clock, topics } = this.deps;
    const now = clock.now();
    const newId = idsAt(now);
    const arrived: TracedEvent[] = [];
    const others = new OthersFirst(clock);
    for (const raw of raws) {
      await others.now();
      arrived.push(this.#arrived(newId(), raw, await this.#parsedOf(raw)));
    }
    const verdicts = await inTransaction(async (sql) => {
      await within?.before(sql, raws);
      const readBefore = await findReadBefore(sql, raws);
      const fresh = arrived.filter(({ raw }) => !readBefore.has(raw));
      const { known, held } = await this.#lookUp(sql, fresh, now);
      const judging = judgeBatch(fresh, known, newId);
      let judged = judging.next();
      for (; judged.done !== true; judged = judging.next()) await others.now();
      const { projects } = known;
      const written = await writeBatch(sql, { ...judged.value, held, now: clock.now(), topics, projects });
      const all = arrived.map(
        (event): Verdict => written.get(event) ?? { kind: 'read-before', seen: event.parsed.seen },
      );
      await within?.after(sql, all, raws);
      return all;
    });
    for (const [at, verdict] of verdicts.entries()) this.#report(arrived[at], verdict);
    return verdicts;
  }

  #arrived(id: string, raw: RawEvent, parsed: ParsedEvent): TracedEvent {
    const facts = { 'carillon.event.id': id, 'carillon.event.via': raw.via };
    const { tracing = NO_TRACING } = this.deps;
    const span = tracing.begin({ name: 'event taken', kind: 'consumer', parent: parsed.trace, facts });
    return { id, raw, parsed, trace: span.context, span };
  }

  /** Only once the event is kept: a span that never ends is not recorded, which is right after a rollback. */
  #report(arrived: TracedEvent | undefined, verdict: Verdict): void {
    if (arrived === undefined || verdict.kind === 'read-before') return;
    const { log, counted } = this.deps;
    const { trace, span } = arrived;
    const { kind, event } = verdict;
    counted?.(kind, verdict.kind === 'rejected' ? (verdict.reasons[0]?.code ?? '') : '');
    const campaign = kind === 'rejected' || kind === 'parked' ? null : verdict.campaign;
    span.end({ 'carillon.verdict': kind, ...(campaign !== null && { 'carillon.campaign.id': campaign }) });
    if (log.isLevelEnabled('debug'))
      log.debug({ event, campaign, verdict: kind, trace }, 'an event was taken');
  }

  async #lookUp(
    sql: Sql,
    fresh: readonly ArrivedEvent[],
    now: number,
  ): Promise<{ known: Known; held: InboxKey[] }> {
    const projects = await intakeProjects(
      sql,
      fresh.flatMap(({ parsed: { seen } }) => seen.serviceId ?? []),
    );
    const held = new Map<string, InboxKey>();
    const made = new Map<string, CampaignName>();
    const commanded = new Map<string, CampaignName>();
    const listed = new Map<string, ListName>();
    for (const arrived of fresh) {
      const { parsed } = arrived;
      if (parsed.kind === 'rejection' || projectReasons(arrived, { projects }).length > 0) continue;
      const { event } = parsed;
      const { serviceId } = event.data;
      const key = nameOf(event.source, event.id, serviceId);
      if (!held.has(key)) held.set(key, inboxKey(arrived.id, event, new Date(now)));
      const { campaignId, kind } = event;
      (kind === 'scheduled' ? made : commanded).set(nameOf(serviceId, campaignId), { serviceId, campaignId });
      for (const list of kind === 'scheduled' ? listNamed(serviceId, event.data.audience) : [])
        listed.set(nameOf(serviceId, list.name), list);
    }
    const keys = await holdKeys(sql, [...held.values()]);
    const unknown = await unknownCampaigns(sql, [...commanded.values()]);
    await lockServices(sql, { made: [...made.values()], unknown });
    const names = new Map([...made, ...commanded]);
    const campaigns = await lockCampaigns(sql, [...names.values()]);
    const missing = [...names].flatMap(([name, one]) => (campaigns.has(name) ? [] : [one]));
    const parked = await parkedFor(sql, missing);
    const lists = await findLists(sql, [...listed.values()]);
    const facts = await occurrenceFacts(sql, occurrencesNamed(fresh, campaigns));
    const occurrences = new Map(facts.map((one) => [nameOf(one.campaign, one.occurrence), one]));
    const known = {
      projects,
      keys,
      campaigns,
      occurrences,
      parked,
      lists: new Map(lists.map((list) => [nameOf(list.serviceId, list.name), list])),
      context: { now, rules: this.deps.rules, counted: new Map() },
    };
    return { known, held: [...held].flatMap(([name, key]) => (keys.has(name) ? [] : [key])) };
  }

  /** Keeps an event that no statement takes, for a reason we did not foresee, like every other rejection. */
  async #refuse(raw: RawEvent, error: unknown, within: Within | undefined): Promise<Verdict> {
    const { clock, inTransaction, topics, parser } = this.deps;
    const now = clock.now();
    const reasons = [reason('', 'COULD_NOT_BE_TAKEN', `a fault of ours: ${messageOf(error)}`)];
    let parsed: Pick<ParsedEvent, 'seen' | 'trace'> = { seen: NOTHING_SEEN };
    try {
      parsed = await parser.event(raw, now);
    } catch {
      // It may be the parser that fails on it.
    }
    const { seen, trace } = parsed;
    const id = v7({ msecs: now });
    const arrived: ArrivedEvent = { id, raw, parsed: { kind: 'rejection', seen, reasons }, trace };
    const judged = [{ arrived, judgement: { kind: 'rejected', reasons } as const }];
    return inTransaction(async (sql) => {
      await within?.before(sql, [raw]);
      const projects = await intakeProjects(sql, seen.serviceId === null ? [] : [seen.serviceId]);
      const verdicts = await writeBatch(sql, { judged, released: [], held: [], now, topics, projects });
      const verdict = verdicts.get(arrived) ?? { kind: 'read-before', seen };
      await within?.after(sql, [verdict], [raw]);
      return verdict;
    });
  }
}

/** The occurrences that commands name, of campaigns that exist, each once. */
function occurrencesNamed(fresh: readonly ArrivedEvent[], campaigns: Known['campaigns']): OccurrenceName[] {
  const named = new Map<string, OccurrenceName>();
  for (const { parsed } of fresh) {
    if (parsed.kind === 'rejection' || parsed.event.kind === 'scheduled') continue;
    const { data, campaignId } = parsed.event;
    const campaign = campaigns.get(nameOf(data.serviceId, campaignId))?.id;
    if (campaign === undefined || typeof data.occurrence !== 'string') continue;
    named.set(nameOf(campaign, data.occurrence), { campaign, occurrence: data.occurrence });
  }
  return [...named.values()];
}

/**
 * Whether the data itself is at fault: SQLSTATE class 22 (data exception), 23 (constraint) or 54 (limits of PostgreSQL), or a
 * bug of ours that only some values trigger. Everything else (the database is away, full or not migrated) would happen to
 * every event, and is waited for.
 */
function isFaultOfAnEvent(error: unknown): error is Error {
  const code = errorCode(error);
  if (code !== '') return /^(22|23|54)[0-9A-Z]{3}$/.test(code);
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
