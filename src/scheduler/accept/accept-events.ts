// Takes a batch of raw events in one transaction; beside each event's row stands exactly one more that says what became
// of the event (life-of-a-send.md, "Guarantee 3"). Safe to repeat after a crash; a fault of one never costs the others.
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import {
  holdKeys,
  lockCampaigns,
  lockPartition,
  intakeProjects,
  recordsTaken,
  type InboxKey,
  type IntakeCampaign,
} from './inbox.store.js';
import { occurrenceFacts, type OccurrenceName } from '../store/occurrence.store.js';
import {
  judgeBatch,
  campaignName,
  keyName,
  occurrenceName,
  projectReasons,
  type ArrivedEvent,
  type Judgement,
  type Known,
} from './judge-batch.js';
import { parseEvent } from './parse/parse-event.js';
import type { RawEvent } from './parse/raw-event.js';
import { reason } from './parse/reason.js';
import { isFaultOfAnEvent, withRetries } from './transaction-faults.js';
import type { Verdict } from './intake-result.js';
import { writeBatch } from './write-batch.js';

/** Runs `work` in a transaction of its own, READ COMMITTED. */
export type InTransaction = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

export interface AcceptParts {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  /** Where rejected events go. */
  readonly deadTopic: string;
}

export class AcceptEvents {
  constructor(private readonly parts: AcceptParts) {}

  /**
   * The verdicts, in the order of `raws`. Throws when the database is away: nothing of the batch is kept then, and all
   * of it may be given again. Records of one Kafka partition at a time.
   */
  async accept(raws: readonly RawEvent[]): Promise<Verdict[]> {
    if (raws.length === 0) return [];
    try {
      return await withRetries(() => this.#take(raws));
    } catch (error) {
      if (!isFaultOfAnEvent(error)) throw error;
      // One of them breaks the statement: halve until it stands alone, so that the others are taken and it is named.
      const [only] = raws;
      if (raws.length === 1 && only !== undefined) return [await this.#refuse(only, error)];
      const middle = Math.ceil(raws.length / 2);
      const first = await this.accept(raws.slice(0, middle));
      return [...first, ...(await this.accept(raws.slice(middle)))];
    }
  }

  async #take(raws: readonly RawEvent[]): Promise<Verdict[]> {
    const now = this.parts.clock.now();
    const arrived = raws.map((raw): ArrivedEvent => {
      const parsed = parseEvent(raw, { now, rules: this.parts.rules });
      return { id: v7({ msecs: now }), raw, parsed };
    });
    return this.parts.inTransaction(async (sql) => {
      const readBefore = await findReadBefore(sql, raws);
      const fresh = arrived.filter(({ raw }) => !readBefore.has(raw));
      const { known, held } = await this.#lookUp(sql, fresh, now);
      const judgements = judgeBatch(fresh, known, () => v7({ msecs: now }));
      const verdicts = await this.#write(sql, fresh, judgements, held);
      return arrived.map((event) => verdicts.get(event) ?? { kind: 'read-before', seen: event.parsed.seen });
    });
  }

  async #lookUp(
    sql: Sql,
    fresh: readonly ArrivedEvent[],
    now: number,
  ): Promise<{ known: Known; held: InboxKey[] }> {
    const serviceIds = fresh.flatMap(({ parsed: { seen } }) => seen.serviceId ?? []);
    const rows = serviceIds.length === 0 ? [] : await intakeProjects(sql, serviceIds);
    const projects = new Map(
      rows.map((row) => [row.service_id, { sources: row.sources, policyDefaults: row.policy_defaults }]),
    );
    const held = new Map<string, InboxKey>();
    const names = new Map<string, { serviceId: string; campaignId: string }>();
    for (const arrived of fresh) {
      const { parsed } = arrived;
      if (parsed.kind === 'rejection' || projectReasons(arrived, { projects }).length > 0) continue;
      const { source, id, contentHash, campaignId, data } = parsed.event;
      const name = keyName(source, id);
      if (!held.has(name)) {
        held.set(name, {
          source,
          event_id: id,
          content_hash: contentHash,
          event: arrived.id,
          taken_at: new Date(now),
        });
      }
      names.set(campaignName(data.serviceId, campaignId), { serviceId: data.serviceId, campaignId });
    }
    const before = await holdKeys(sql, [...held.values()]);
    const campaigns = await lockCampaigns(sql, [...names.values()]);
    const occurrences = await occurrenceFacts(sql, occurrencesNamed(fresh, campaigns));
    const known: Known = {
      projects,
      keys: new Map(
        before.map((key) => [
          keyName(key.source, key.event_id),
          { contentHash: key.content_hash, event: key.event },
        ]),
      ),
      campaigns: new Map(
        campaigns.map((row) => [
          campaignName(row.service_id, row.campaign_id),
          { id: row.id, state: row.state, newestTime: row.newest_time.getTime() },
        ]),
      ),
      occurrences: new Map(
        occurrences.map((facts) => [occurrenceName(facts.campaign, facts.occurrence), facts]),
      ),
      context: { now, rules: this.parts.rules },
    };
    const wasThere = new Set(known.keys.keys());
    return { known, held: [...held].filter(([name]) => !wasThere.has(name)).map(([, key]) => key) };
  }

  async #write(
    sql: Sql,
    fresh: readonly ArrivedEvent[],
    judgements: readonly Judgement[],
    held: readonly InboxKey[],
  ): Promise<Map<ArrivedEvent, Verdict>> {
    const { clock, deadTopic } = this.parts;
    const judged = fresh.map((arrived, index) => {
      const judgement = judgements[index];
      if (judgement === undefined) throw new RangeError('an event was left without a judgement');
      return { arrived, judgement };
    });
    return writeBatch(sql, { judged, held, now: clock.now(), deadTopic });
  }

  /** An event that no statement takes, for a reason we did not foresee: kept and shown like every other rejection. */
  async #refuse(raw: RawEvent, error: unknown): Promise<Verdict> {
    const { clock, inTransaction, deadTopic, rules } = this.parts;
    const now = clock.now();
    const text = `a fault of ours: ${error instanceof Error ? error.message : String(error)}`;
    const reasons = [reason('', 'COULD_NOT_BE_TAKEN', text)];
    const blank = { source: null, id: null, type: null, subject: null, serviceId: null, time: null };
    const seen = ((): ArrivedEvent['parsed']['seen'] => {
      try {
        return parseEvent(raw, { now, rules }).seen;
      } catch {
        return blank;
      }
    })();
    const arrived: ArrivedEvent = {
      id: v7({ msecs: now }),
      raw,
      parsed: { kind: 'rejection', seen, reasons },
    };
    const judged = [{ arrived, judgement: { kind: 'rejected', reasons } as const }];
    const verdicts = await inTransaction((sql) => writeBatch(sql, { judged, held: [], now, deadTopic }));
    return verdicts.get(arrived) ?? { kind: 'read-before', seen };
  }
}

/** Also keeps a member that lost the partition, but does not know it yet, from working on it beside us. */
async function findReadBefore(sql: Sql, raws: readonly RawEvent[]): Promise<Set<RawEvent>> {
  const [first] = raws;
  if (first?.record === undefined) return new Set();
  await lockPartition(sql, first.record.topic, first.record.partition);
  const places = raws.flatMap(({ record, body }) =>
    record === undefined ? [] : [{ ...record, bodyHash: sha256(body) }],
  );
  const offsets = await recordsTaken(sql, places);
  return new Set(raws.filter(({ record }) => record !== undefined && offsets.has(record.offset)));
}

/** Occurrences of campaigns that are there, each once. */
function occurrencesNamed(
  fresh: readonly ArrivedEvent[],
  campaigns: readonly IntakeCampaign[],
): OccurrenceName[] {
  const ids = new Map(campaigns.map((row) => [campaignName(row.service_id, row.campaign_id), row.id]));
  const named = new Map<string, OccurrenceName>();
  for (const { parsed } of fresh) {
    if (parsed.kind === 'rejection' || parsed.event.kind === 'scheduled') continue;
    const { data, campaignId } = parsed.event;
    const campaign = ids.get(campaignName(data.serviceId, campaignId));
    if (campaign === undefined || typeof data.occurrence !== 'string') continue;
    named.set(occurrenceName(campaign, data.occurrence), { campaign, occurrence: data.occurrence });
  }
  return [...named.values()];
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
