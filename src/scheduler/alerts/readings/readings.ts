// Everything that status and alerts are judged by, read at one time: from what loops, stores and metrics already know.
import type { Clock } from '../../../platform/clock.js';
import { daysAhead } from '../../../platform/database/day-partitions.js';
import type { Sql } from '../../../platform/database/database.js';
import { TimedCache } from '../../../platform/timed-cache.js';
import { within, LATE } from '../../../platform/with-timeout.js';
import { yearsBehind } from '../../../zone-rules/load-zone-rules.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import { readWatches, type WatchFacts } from '../../store/alert-round.store.js';
import { daysUntilFull, keptBytes } from '../../store/kept-bytes.store.js';
import {
  readCursors,
  readOutbox,
  readRejections,
  readReplicas,
  readWithoutCredential,
  type CredentialReading,
  type CursorReading,
  type OutboxReading,
  type PartitionLag,
  type RejectionReading,
  type ReplicaReading,
} from './backlog.store.js';
import { latenessLately, latenessOfHour, type LatenessReading } from './lateness.store.js';
import { readProjects, type ProjectReading } from './project-readings.store.js';

export interface Reading {
  readonly at: EpochMs;
  readonly projects: readonly ProjectReading[];
  readonly lateOfHour: readonly LatenessReading[];
  readonly lateLately: readonly LatenessReading[];
  readonly outbox: OutboxReading;
  readonly cursors: readonly CursorReading[];
  readonly rejections: readonly RejectionReading[];
  readonly replicas: ReplicaReading;
  readonly withoutCredential: readonly CredentialReading[];
  readonly ledger: WatchFacts['ledger'];
  readonly forecast: WatchFacts['forecast'];
  /** null: there are no brokers, or they do not answer. */
  readonly kafka: readonly PartitionLag[] | null;
  readonly daysAhead: number;
  /** null: unknown. */
  readonly daysUntilFull: number | null;
  readonly zoneRules: { readonly version: string; readonly yearsBehind: number | null };
}

export interface ReadingsDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly replicaSilentMs: number;
  readonly diskBytes: number | undefined;
  /** The consumers of the log of outcomes that have work: without brokers nobody publishes. */
  readonly consumers: readonly string[];
  /** undefined: there are no brokers. */
  readonly kafkaLag: (() => Promise<readonly PartitionLag[]>) | undefined;
}

/** Status, judge and metrics of a process share a reading for so long, real milliseconds. */
const SHARED_MS = 2_000;
/** What changes slowly, and is slow to read, real milliseconds. */
const SLOW_MS = 60_000;
const KAFKA_EVERY_MS = 15_000;
/** A status does not wait longer for brokers; what comes later is shown by the next one. */
const KAFKA_WITHIN_MS = 500;

export class Readings {
  readonly #shared: TimedCache<Reading>;
  readonly #disk: TimedCache<number | null>;
  readonly #kafka: TimedCache<readonly PartitionLag[] | null>;

  constructor(private readonly deps: ReadingsDeps) {
    const { clock } = deps;
    this.#shared = new TimedCache({ ttlMs: SHARED_MS, max: 1, clock });
    this.#disk = new TimedCache({ ttlMs: SLOW_MS, max: 1, clock });
    this.#kafka = new TimedCache({ ttlMs: KAFKA_EVERY_MS, max: 1, clock });
  }

  /** At most two seconds old. Rejects while the database is away. */
  now(): Promise<Reading> {
    return this.#shared.get('', () => this.#read());
  }

  /** Reads anew, also where somebody read a moment ago. */
  fresh(): Promise<Reading> {
    this.#shared.clear();
    return this.now();
  }

  async #read(): Promise<Reading> {
    const { sql, clock, rules, replicaSilentMs, consumers } = this.deps;
    const at = clock.now();
    const kafka = within(
      this.#kafka.get('', () => this.#readKafka()),
      KAFKA_WITHIN_MS,
    );
    // One after the other on one connection of the pool at a time: nobody waits for a status.
    const projects = await readProjects(sql, at);
    const lateOfHour = await latenessOfHour(sql, at);
    const lateLately = await latenessLately(sql, at);
    const outbox = await readOutbox(sql);
    const cursors = await readCursors(sql, consumers);
    const rejections = await readRejections(sql, at);
    const replicas = await readReplicas(sql, replicaSilentMs);
    const withoutCredential = await readWithoutCredential(sql, at);
    const watches = await readWatches(sql);
    const ahead = await daysAhead(sql, new Date(at));
    const untilFull = await this.#disk.get('', () => this.#readDisk(at));
    const zoneRules = { version: rules.version, yearsBehind: yearsBehind(rules.version, at) ?? null };
    const lag = await kafka;
    const waiting = { outbox, cursors, rejections, kafka: lag === LATE ? null : lag };
    const late = { lateOfHour, lateLately };
    return {
      at,
      projects,
      ...late,
      ...waiting,
      replicas,
      withoutCredential,
      ...watches,
      daysAhead: ahead,
      daysUntilFull: untilFull,
      zoneRules,
    };
  }

  async #readDisk(at: EpochMs): Promise<number | null> {
    const { sql, diskBytes } = this.deps;
    if (diskBytes === undefined) return null;
    return (await daysUntilFull(sql, await keptBytes(sql, new Date(at)), diskBytes)) ?? null;
  }

  /** Never rejects: that Kafka is away is for health to say. */
  async #readKafka(): Promise<readonly PartitionLag[] | null> {
    const { kafkaLag } = this.deps;
    if (kafkaLag === undefined) return null;
    return kafkaLag().catch(() => null);
  }
}
