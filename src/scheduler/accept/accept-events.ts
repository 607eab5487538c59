// Takes a batch of raw events in one transaction; beside each event's row stands exactly one more that says what became
// of the event (life-of-a-send.md, "Guarantee 3"). Safe to repeat after a crash; a fault of one never costs the others.
import { createHash } from 'node:crypto';
import { setImmediate as othersFirst } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { inHalves } from '../../platform/database/in-halves.js';
import { errorCode, messageOf } from '../../platform/error-code.js';
import type { Log } from '../../platform/log.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { NO_TRACING, type Span, type Tracing } from '../../platform/tracing/tracing.js';
import { idsAt } from '../../platform/ids-at.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import {
  holdKeys,
  lockCampaigns,
  lockPartition,
  intakeProjects,
  offsetsTaken,
  recordsTaken,
  type InboxKey,
} from './inbox.store.js';
import { occurrenceFacts, type OccurrenceName } from '../store/occurrence.store.js';
import {
  judgeBatch,
  campaignName,
  keyName,
  occurrenceName,
  projectReasons,
  type ArrivedEvent,
  type Known,
  type KnownCampaign,
} from './judge-batch.js';
import { NOTHING_SEEN, parseEvent, type ParsedEvent, type SeenEnvelope } from './parse/parse-event.js';
import type { RawEvent } from './parse/raw-event.js';
import { reason } from './parse/reason.js';
import { inboxKey, writeBatch, type Verdict } from './write-batch.js';

/** Runs `work` in a transaction of its own, READ COMMITTED. */
export type InTransaction = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

/** What else is done in the transaction that takes a batch. */
export interface Within {
  /** Before anything of the batch is looked up. What it throws ends the transaction, and accept() with it. */
  before(sql: Sql): Promise<void>;
  after(sql: Sql, verdicts: readonly Verdict[]): Promise<void>;
}

export interface AcceptParts {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  /** Where rejected events go. */
  readonly deadTopic: string;
  readonly log: Pick<Log, 'debug' | 'isLevelEnabled'>;
  /** [off] */
  readonly tracing?: Tracing;
}

/** Some milliseconds' work: sends may be due meanwhile. */
const PARSED_AT_ONCE = 200;

export class AcceptEvents {
  constructor(private readonly parts: AcceptParts) {}

  /**
   * The verdicts, in the order of `raws`. Throws when the database is away: nothing of the batch is kept then, and all
   * of it may be given again. Records of one Kafka partition at a time.
   */
  async accept(raws: readonly RawEvent[], within?: Within): Promise<Verdict[]> {
    if (raws.length === 0) return [];
    const verdicts = await inHalves(
      raws,
      (some) => withRetries(() => this.#take(some, within)),
      async (raw, error) => [await this.#refuse(raw, error, within)],
      isFaultOfAnEvent,
    );
    return verdicts.flat();
  }

  async #take(raws: readonly RawEvent[], within: Within | undefined): Promise<Verdict[]> {
    const { inTransaction, clock, rules, deadTopic } = this.parts;
    const now = clock.now();
    const newId = idsAt(now);
    const arrived: (ArrivedEvent & { readonly span: Span })[] = [];
    for (const raw of raws) {
      if (arrived.length % PARSED_AT_ONCE === 0) await othersFirst();
      arrived.push(this.#arrived(newId(), raw, parseEvent(raw, { now, rules })));
    }
    const taken = await inTransaction(async (sql) => {
      await within?.before(sql);
      const readBefore = await findReadBefore(sql, raws);
      const fresh = arrived.filter(({ raw }) => !readBefore.has(raw));
      const { known, held } = await this.#lookUp(sql, fresh, now);
      const judged = judgeBatch(fresh, known, newId);
      const verdicts = await writeBatch(sql, {
        judged,
        held,
        now: clock.now(),
        deadTopic,
        projects: known.projects,
      });
      const all = arrived.map(
        (event): Verdict => verdicts.get(event) ?? { kind: 'read-before', seen: event.parsed.seen },
      );
      await within?.after(sql, all);
      return all;
    });
    for (const [at, verdict] of taken.entries()) this.#tell(arrived[at], verdict);
    return taken;
  }

  #arrived(id: string, raw: RawEvent, parsed: ParsedEvent): ArrivedEvent & { readonly span: Span } {
    const facts = { 'carillon.event.id': id, 'carillon.event.via': raw.via };
    const { tracing = NO_TRACING } = this.parts;
    const span = tracing.begin({ name: 'event taken', kind: 'consumer', parent: parsed.trace, facts });
    return { id, raw, parsed, trace: span.context, span };
  }

  /** Once it is kept: a span of what was rolled back never ends, and so is none. */
  #tell(arrived: (ArrivedEvent & { readonly span: Span }) | undefined, verdict: Verdict): void {
    if (arrived === undefined || verdict.kind === 'read-before') return;
    const { log } = this.parts;
    const { trace, span } = arrived;
    const { kind, event } = verdict;
    const campaign = kind === 'rejected' ? null : verdict.campaign;
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
    const names = new Map<string, { serviceId: string; campaignId: string }>();
    for (const arrived of fresh) {
      const { parsed } = arrived;
      if (parsed.kind === 'rejection' || projectReasons(arrived, { projects }).length > 0) continue;
      const { event } = parsed;
      const { serviceId } = event.data;
      const name = keyName(event.source, event.id);
      if (!held.has(name)) held.set(name, inboxKey(arrived.id, event, new Date(now)));
      names.set(campaignName(serviceId, event.campaignId), { serviceId, campaignId: event.campaignId });
    }
    const keys = await holdKeys(sql, [...held.values()]);
    const campaigns = await lockCampaigns(sql, [...names.values()]);
    const facts = await occurrenceFacts(sql, occurrencesNamed(fresh, campaigns));
    const occurrences = new Map(facts.map((one) => [occurrenceName(one.campaign, one.occurrence), one]));
    const known = { projects, keys, campaigns, occurrences, context: { now, rules: this.parts.rules } };
    return { known, held: [...held].flatMap(([name, key]) => (keys.has(name) ? [] : [key])) };
  }

  /** An event that no statement takes, for a reason we did not foresee: kept and shown like every other rejection. */
  async #refuse(raw: RawEvent, error: unknown, within: Within | undefined): Promise<Verdict> {
    const { clock, inTransaction, deadTopic, rules } = this.parts;
    const now = clock.now();
    const text = `a fault of ours: ${messageOf(error)}`;
    const reasons = [reason('', 'COULD_NOT_BE_TAKEN', text)];
    let seen: SeenEnvelope = NOTHING_SEEN;
    let trace: TraceContext | undefined;
    try {
      ({ seen, trace } = parseEvent(raw, { now, rules }));
    } catch {
      // It may be the parser that it is too much for.
    }
    const arrived: ArrivedEvent = {
      id: v7({ msecs: now }),
      raw,
      parsed: { kind: 'rejection', seen, reasons },
      trace,
    };
    const judged = [{ arrived, judgement: { kind: 'rejected', reasons } as const }];
    return inTransaction(async (sql) => {
      await within?.before(sql);
      const projects = await intakeProjects(sql, seen.serviceId === null ? [] : [seen.serviceId]);
      const verdicts = await writeBatch(sql, { judged, held: [], now, deadTopic, projects });
      const verdict = verdicts.get(arrived) ?? { kind: 'read-before', seen };
      await within?.after(sql, [verdict]);
      return verdict;
    });
  }
}

/** Also keeps a member that lost the partition, but does not know it yet, from working on it beside us. */
async function findReadBefore(sql: Sql, raws: readonly RawEvent[]): Promise<Set<RawEvent>> {
  const [first] = raws;
  if (first?.record === undefined) return new Set();
  const { topic, partition } = first.record;
  await lockPartition(sql, topic, partition);
  // Mostly none is: no bytes are hashed for that.
  const near = await offsetsTaken(
    sql,
    raws.flatMap(({ record }) => record ?? []),
  );
  const places = raws.flatMap(({ record, body }) =>
    record !== undefined && near.has(record.offset) ? [{ ...record, bodyHash: sha256(body) }] : [],
  );
  const taken = await recordsTaken(sql, places);
  return new Set(raws.filter(({ record }) => record !== undefined && taken.has(record.offset)));
}

/** Occurrences of campaigns that are there, each once. */
function occurrencesNamed(
  fresh: readonly ArrivedEvent[],
  campaigns: ReadonlyMap<string, KnownCampaign>,
): OccurrenceName[] {
  const named = new Map<string, OccurrenceName>();
  for (const { parsed } of fresh) {
    if (parsed.kind === 'rejection' || parsed.event.kind === 'scheduled') continue;
    const { data, campaignId } = parsed.event;
    const campaign = campaigns.get(campaignName(data.serviceId, campaignId))?.id;
    if (campaign === undefined || typeof data.occurrence !== 'string') continue;
    named.set(occurrenceName(campaign, data.occurrence), { campaign, occurrence: data.occurrence });
  }
  return [...named.values()];
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** 40001 serialization failure, 40P01 deadlock: the database asks for another try. */
const TRY_AGAIN = new Set(['RACE_LOST', '40001', '40P01']);
const TRIES = 5;

async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES || !TRY_AGAIN.has(errorCode(error))) throw error;
    }
  }
}

/**
 * The data itself is at fault: SQLSTATE class 22 (data exception) or 23 (constraint), 54 (limits of PostgreSQL), or a
 * bug of ours that only some value meets. Everything else (the database away, full, not migrated) would befall every
 * event alike, and is waited for.
 */
function isFaultOfAnEvent(error: unknown): error is Error {
  const code = errorCode(error);
  if (code !== '') return /^(22|23|54)[0-9A-Z]{3}$/.test(code);
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
