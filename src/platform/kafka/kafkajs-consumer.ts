// A consumer that outlives every failure. Each session is a new client object; it ends by a crash, by silence, by a jump of the
// machine's clock or by stop(), and the next one follows after a rest. It commits only offsets that its handler reported as done.
import { setInterval as every, setTimeout as pause } from 'node:timers/promises';
import type { Consumer, Kafka } from 'kafkajs';
import { wallClockAhead, type Clock } from '../clock.js';
import { FaultLines } from '../logging/fault-lines.js';
import type { Log } from '../logging/log.js';
import { LATE, within } from '../with-timeout.js';
import type { Consumption, KafkaPartHealth } from './kafka.js';
import { kafkaReason } from './kafkajs-outage.js';
import { BatchesInHand } from './kafkajs-batches.js';

export interface KafkajsConsumerOptions extends Consumption {
  readonly kafka: Kafka;
  /** Runs before each session: makes the topics. */
  readonly prepare: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session is given up after this many real milliseconds without a fetch, heartbeat or join (kafkajs #659). */
const SILENCE_MS = 60_000;
/** A member that does not come back within this loses its partitions; after a kill, they wait that long. */
const SESSION_TIMEOUT_MS = 10_000;
/**
 * The client times its heartbeats by `Date`. When the clock is set back, it sends none until the clock has caught up, hears
 * of no rebalance meanwhile, and the partitions of a member that left wait as long. A jump of this many milliseconds ends
 * the session.
 */
const CLOCK_JUMP_MS = 2_000;
/** How long a consumer may take to leave its group, and before that its handlers to end, real milliseconds. */
const LEAVE_MS = 10_000;
/** Partitions whose batches are handled side by side. */
const SIDE_BY_SIDE = 4;
/**
 * How long the broker holds an empty fetch, and how long the client rests where every partition is paused. A partition that
 * is resumed meanwhile waits for it: with one second, a single partition with a backlog stood still half of the time.
 */
const POLL_MS = 250;
const REST_MS = { first: 200, longest: 2_000 };

export class KafkajsConsumer {
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #state: 'joining' | 'consuming' | 'down' | 'stopped' = 'joining';
  #lastError: string | undefined;
  /** Sessions that broke since one last became a member of the group. */
  #failures = 0;
  #lastSign = 0;
  /** Begins on what the group has given to the present session. */
  #begin: () => void = () => undefined;
  readonly #lines: FaultLines;

  constructor(private readonly options: KafkajsConsumerOptions) {
    this.#lines = new FaultLines(options.log);
  }

  start(): void {
    this.#running ??= this.#supervise();
  }

  /** Ends after the batch in hand. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#state = 'stopped';
  }

  beginAnew(): void {
    this.#begin();
  }

  health(): KafkaPartHealth {
    const ok = this.#state === 'consuming';
    return {
      name: 'kafka consumer',
      ok,
      detail: ok ? 'ok' : `${this.#state}: ${this.#lastError ?? 'no group yet'}`,
    };
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    const { groupId } = this.options;
    while (!signal.aborted) {
      this.#state = 'joining';
      try {
        await this.#session(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#failures += 1;
        const failures = this.#failures;
        this.#state = 'down';
        this.#lastError = kafkaReason(error);
        await this.#lines.failed(error, { groupId, failures }, 'the Kafka consumer broke; a new one follows');
        const restMs = Math.min(REST_MS.first * 2 ** (failures - 1), REST_MS.longest);
        await pause(restMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Resolves only after stop(); every other end is thrown. */
  async #session(signal: AbortSignal): Promise<void> {
    const { kafka, groupId, topics, prepare, log } = this.options;
    await prepare();
    const consumer = kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: SESSION_TIMEOUT_MS,
      rebalanceTimeout: 30_000,
      // With the default of 3 000, every other member's join takes that long.
      heartbeatInterval: 1_000,
      maxWaitTimeInMs: POLL_MS,
      maxBytesPerPartition: 4 * 1024 * 1024,
      // The client's own restart has no limit and sometimes no effect (kafkajs #1443, #1721): we restart.
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3, restartOnFailure: async () => false },
    });
    const batches = new BatchesInHand(this.options.handle);
    const over = new AbortController();
    try {
      const watched = this.#watch(consumer, batches, AbortSignal.any([signal, over.signal]));
      const ended = Promise.race([watched, batches.broken]);
      // It is awaited below; a crash before that must not count as unhandled.
      ended.catch(() => undefined);
      await consumer.connect();
      await consumer.subscribe({ topics: [...topics], fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: SIDE_BY_SIDE,
        eachBatch: (payload) => batches.take(payload),
      });
      await ended;
    } finally {
      // However the session ended, nobody watches it any longer.
      over.abort();
      this.#begin = () => undefined;
      // Handlers see alive() turn false; what they have stored is committed while there still is a connection.
      await within(batches.end(), LEAVE_MS);
      const left: unknown = await within(consumer.disconnect(), LEAVE_MS).catch((error: unknown) => error);
      // After a session that broke, this is to be expected.
      if (left !== undefined)
        log[signal.aborted ? 'warn' : 'debug'](
          { groupId, err: left === LATE ? `not done within ${LEAVE_MS} ms` : left },
          'the Kafka consumer did not leave cleanly',
        );
    }
  }

  /** Rejects on a crash, on silence and when the machine's clock jumps; resolves on stop(), and once its session is over. */
  async #watch(consumer: Consumer, batches: BatchesInHand, ended: AbortSignal): Promise<void> {
    const { clock, log, groupId, begin } = this.options;
    const { CRASH, FETCH, GROUP_JOIN, HEARTBEAT, REBALANCING } = consumer.events;
    const sign = (): void => {
      this.#lastSign = clock.elapsed();
    };
    sign();
    for (const name of [FETCH, HEARTBEAT] as const) consumer.on(name, sign);
    consumer.on(REBALANCING, () => batches.disown());
    consumer.on(GROUP_JOIN, ({ payload }) => {
      sign();
      batches.disown();
      this.#lines.worked({ groupId }, 'the Kafka consumer works again');
      this.#state = 'consuming';
      this.#failures = 0;
      this.#lastError = undefined;
      this.#begin = beginOn(consumer, batches, { memberAssignment: payload.memberAssignment, begin });
      this.#begin();
      log.debug({ groupId, assignment: payload.memberAssignment }, 'joined the Kafka group');
    });
    const crashed = new AbortController();
    consumer.on(CRASH, ({ payload }) => {
      this.#state = 'down';
      crashed.abort(payload.error);
    });
    const signal = AbortSignal.any([ended, crashed.signal]);
    try {
      await this.#checkEachSecond(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    crashed.signal.throwIfAborted();
  }

  /** Throws on silence, when the machine's clock jumps, and on `signal`. */
  async #checkEachSecond(signal: AbortSignal): Promise<void> {
    let ahead = wallClockAhead();
    for await (const _ of every(1_000, undefined, { signal })) {
      const jump = Math.round(wallClockAhead() - ahead);
      ahead += jump;
      if (Math.abs(jump) > CLOCK_JUMP_MS) throw new Error(`the machine's clock was set by ${jump} ms`);
      if (this.options.clock.elapsed() - this.#lastSign > SILENCE_MS)
        throw new Error(`no sign of life for ${SILENCE_MS} ms`);
    }
  }
}

/** The partitions of a join, to be begun on as often as asked for; only the last time counts. */
function beginOn(
  consumer: Consumer,
  batches: BatchesInHand,
  joined: { memberAssignment: Record<string, number[]>; begin: Consumption['begin'] | undefined },
): () => void {
  const partitions = Object.entries(joined.memberAssignment).flatMap(([topic, numbers]) =>
    numbers.map((partition) => ({ topic, partition })),
  );
  const isJoined = batches.member();
  let times = 0;
  return () => {
    const time = ++times;
    void joined.begin?.({
      partitions,
      alive: () => isJoined() && time === times,
      seek: (places) => {
        batches.handOutAnew();
        for (const place of places) consumer.seek(place);
      },
    });
  };
}
