// Publishes the outbox (dead letters, outcomes of commands, copies of dead letters for projects) to Kafka. The rows of each topic are
// read, published in order, and marked after the brokers have confirmed them; after a crash in between they are published again. If the
// brokers refuse one topic, the others go on. A single message that they refuse is put aside and logged.
import type { Clock } from '../../../platform/clock.js';
import { inHalves } from '../../../platform/database/isolate-refused.js';
import type { Sql } from '../../../platform/database/database.js';
import type { Finding } from '../../../platform/http/health.js';
import type { KafkaMessage } from '../../../platform/kafka/kafka.js';
import { asError } from '../../../platform/logging/error-code.js';
import type { Log } from '../../../platform/logging/log.js';
import {
  deleteDone,
  holdTopic,
  markPublished,
  nextUnpublished,
  putAside,
  unpublishedTopics,
  type OutboxPage,
  type OutboxRow,
} from '../../store/outbox.store.js';

export interface PublishDeps {
  /** A transaction of its own. */
  readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
  readonly kafka: { send(messages: readonly KafkaMessage[]): Promise<void> };
  readonly log: Log;
  readonly clock: Clock;
}

interface PublishOutboxDeps extends PublishDeps {
  /** Our own topics. Messages to other topics are copies for projects. */
  readonly ownTopics: readonly string[];
  /** Whether copies may go to a topic (CARILLON_REJECTION_TOPICS). */
  readonly allows: (topic: string) => boolean;
  /** How long rows are kept that were published or put aside, milliseconds. */
  readonly keptMs: number;
}

/** The most rows and bytes in memory at once; a batch must also fit the topic's max.message.bytes of 2 MiB. */
const PAGE: OutboxPage = { rows: 500, bytes: 512 * 1024 };
const DELETE_BATCH = 1_000;
const DELETE_EVERY_MS = 60_000;
/** A topic that was refused rests this long, doubling each time, real milliseconds. */
const REST_MS = { first: 1_000, longest: 60_000 };
/** The most ids in one log line. */
const NAMED = 10;

interface Rest {
  readonly until: number;
  readonly ms: number;
}

export class PublishOutbox {
  #deleteAfter = 0;
  /** By topic of a project whose last page was refused. */
  readonly #rests = new Map<string, Rest>();
  /** By topic, why messages were put aside, until a page of the topic is published whole. */
  readonly #faults = new Map<string, string>();

  constructor(private readonly deps: PublishOutboxDeps) {}

  /** Publishes one page of each topic. Returns how many rows or, if none, how many old rows it deleted. Throws errors of our topics. */
  async runOnce(): Promise<number> {
    const { ownTopics } = this.deps;
    const topics = await this.deps.inTransaction((sql) => unpublishedTopics(sql));
    const own = topics.filter((topic) => ownTopics.includes(topic));
    let done = 0;
    let failure: unknown;
    for (const topic of [...own, ...this.#inTurn(topics)]) {
      try {
        done += await this.#publish(topic);
        this.#rests.delete(topic);
      } catch (error) {
        if (faultOf(error) === undefined) throw error;
        if (own.includes(topic)) failure ??= error;
        else this.#rest(topic, error);
      }
    }
    if (failure !== undefined) throw asError(failure);
    return done > 0 ? done : this.#deleteOld();
  }

  finding(): Finding {
    const [first] = this.#faults;
    if (first === undefined) return undefined;
    const others = this.#faults.size === 1 ? '' : `, and to ${this.#faults.size - 1} other topics`;
    return `messages to ${first[0]}${others} were put aside (${first[1]}): GET /v1/rejections has the rejections`;
  }

  /** Topics of projects: all that work, and at most one that was refused last time, so that the others hardly wait for it. */
  #inTurn(topics: readonly string[]): string[] {
    const { ownTopics, clock } = this.deps;
    const others = topics.filter((topic) => !ownTopics.includes(topic));
    const rested = others.filter((topic) => (this.#rests.get(topic)?.until ?? Infinity) <= clock.elapsed());
    return [...others.filter((topic) => !this.#rests.has(topic)), ...rested.slice(0, 1)];
  }

  #rest(topic: string, error: unknown): void {
    const { clock, log } = this.deps;
    const before = this.#rests.get(topic)?.ms ?? REST_MS.first / 2;
    const ms = Math.min(REST_MS.longest, before * 2);
    // Deleted first, so that it is last in the map and each topic has its turn.
    this.#rests.delete(topic);
    this.#rests.set(topic, { ms, until: clock.elapsed() + ms });
    const facts = { topic, fault: faultOf(error), err: asError(error), restMs: ms };
    log.warn(facts, "a project's rejectionsTopic takes no messages now: its copies wait, all others go on");
  }

  async #publish(topic: string): Promise<number> {
    const { inTransaction, kafka, clock } = this.deps;
    const refused: { id: string; fault: string }[] = [];
    const dealt = await inTransaction(async (sql) => {
      const rows = (await holdTopic(sql, topic)) ? await nextUnpublished(sql, topic, PAGE) : [];
      const whole = await this.#refusal(topic, async () => {
        const send = async (messages: readonly OutboxRow[]): Promise<readonly string[]> => {
          await kafka.send(messages);
          return messages.map(({ id }) => id);
        };
        const aside = async ({ id }: OutboxRow, error: Error): Promise<readonly string[]> => {
          refused.push({ id, fault: faultOf(error) ?? '' });
          return [];
        };
        const published = rows.length === 0 ? [] : await inHalves(rows, send, aside, isOfAMessage);
        await markPublished(sql, published.flat(), new Date(clock.now()));
      });
      if (whole !== undefined) refused.push(...rows.map(({ id }) => ({ id, fault: whole })));
      await putAside(sql, refused, new Date(clock.now()));
      return rows.length;
    });
    if (dealt > 0) this.#report(topic, refused);
    return dealt;
  }

  /** Why a project's topic takes no messages at all; undefined: `work` was done. */
  async #refusal(topic: string, work: () => Promise<void>): Promise<string | undefined> {
    const isOwn = this.deps.ownTopics.includes(topic);
    if (!isOwn && !this.deps.allows(topic)) return 'TOPIC_NOT_ALLOWED';
    try {
      await work();
      return undefined;
    } catch (error) {
      const fault = faultOf(error);
      if (isOwn || fault === undefined || !OF_A_TOPIC.has(fault)) throw error;
      return fault;
    }
  }

  #report(topic: string, refused: readonly { readonly id: string; readonly fault: string }[]): void {
    const [first] = refused;
    if (first === undefined) {
      this.#faults.delete(topic);
      return;
    }
    this.#faults.set(topic, first.fault);
    const ids = refused.slice(0, NAMED).map(({ id }) => id);
    this.deps.log.warn(
      { topic, fault: first.fault, messages: refused.length, ids },
      'messages of the outbox that Kafka refuses were put aside; GET /v1/rejections has the rejections',
    );
  }

  async #deleteOld(): Promise<number> {
    const { inTransaction, clock, keptMs } = this.deps;
    if (clock.elapsed() < this.#deleteAfter) return 0;
    const before = new Date(clock.now() - keptMs);
    const deleted = await inTransaction((sql) => deleteDone(sql, before, DELETE_BATCH));
    if (deleted < DELETE_BATCH) this.#deleteAfter = clock.elapsed() + DELETE_EVERY_MS;
    return deleted;
  }
}

/** Errors of Kafka by which a topic takes no messages: it is missing, or we may not write to it. */
const OF_A_TOPIC = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
]);
/** Errors of Kafka that are about the messages. */
const OF_A_MESSAGE = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'CORRUPT_MESSAGE',
  'INVALID_TIMESTAMP',
]);

function isOfAMessage(error: unknown): error is Error {
  return OF_A_MESSAGE.has(faultOf(error) ?? '');
}

/** The code of a broker's answer; undefined: none answered. */
function faultOf(error: unknown): string | undefined {
  const { name, type, cause } = error as { name?: unknown; type?: unknown; cause?: unknown };
  if (name === 'KafkaJSProtocolError' && typeof type === 'string') return type;
  return typeof cause === 'object' && cause !== null ? faultOf(cause) : undefined;
}
