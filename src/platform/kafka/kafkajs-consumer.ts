// A consumer that outlives every failure. Each session is a new client object. A session ends by a crash, by silence, by a jump
// of the machine's clock or by stop(). The next session follows after a rest. It commits only offsets that its handler reported
// as done.
import { setInterval as every, setTimeout as pause } from 'node:timers/promises';
import type { Consumer, Kafka } from 'kafkajs';
import { wallClockAhead, type Clock } from '../clock.js';
import { FaultLines } from '../logging/fault-lines.js';
import type { Log } from '../logging/log.js';
import { LATE, within } from '../with-timeout.js';
import type { Consumption, KafkaClientHealth } from './kafka.js';
import { kafkaReason } from './kafkajs-outage.js';
import { BatchesInHand } from './kafkajs-batches.js';

export interface KafkajsConsumerOptions extends Consumption {
  readonly kafka: Kafka;
  /** Runs before each session: makes the topics. */
  readonly prepare: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session is given up after so long without a fetch, heartbeat or join, real milliseconds (kafkajs #659). */
const SILENCE_MS = 60_000;
/** A member that does not come back within this time loses its partitions. After a kill, they wait as long; real milliseconds. */
const SESSION_TIMEOUT_MS = 10_000;
/**
 * The client times its heartbeats by `Date`. If somebody sets the clock back, it sends none until the clock has caught up.
 * Meanwhile it learns of no rebalance, and the partitions of a member that left wait. A jump of so many milliseconds ends the
 * session.
 */
const CLOCK_JUMP_MS = 2_000;
/** How long handlers may take to end, and then the consumer to leave its group, real milliseconds. */
const LEAVE_MS = 10_000;
/** How many partitions have their batches handled at the same time. */
const SIDE_BY_SIDE = 4;
/**
 * How long the broker holds an empty fetch, and how long the client rests when every partition is paused, real milliseconds. A
 * partition that is resumed meanwhile waits for it: with one second, a single partition with a backlog stood still half of the
 * time.
 */
const POLL_MS = 250;
const REST_MS = { first: 200, longest: 2_000 };

export class KafkajsConsumer {
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #state: 'joining' | 'consuming' | 'down' | 'stopped' = 'joining';
  #lastError: string | undefined;
  /** How many sessions broke since a session became a member of the group. */
  #failures = 0;
  #lastSign = 0;
  /** Calls `begin` with the partitions that the group has assigned to the present session. */
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

  health(): KafkaClientHealth {
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

  /** Resolves only after stop(). Throws at every other end. */
  async #session(signal: AbortSignal): Promise<void> {
    const { kafka, groupId, topics, prepare, log } = this.options;
    await prepare();
    const consumer = kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: SESSION_TIMEOUT_MS,
      rebalanceTimeout: 30_000,
      // With the default of 3 000 the join of every other member takes that long.
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
      // It is awaited below. A crash before that must not count as unhandled.
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
      // Stops the watch, however the session ended.
      over.abort();
      this.#begin = () => undefined;
      // Handlers see that alive() is false. What they have stored is committed while there still is a connection.
      await within(batches.end(), LEAVE_MS);
      const left: unknown = await within(consumer.disconnect(), LEAVE_MS).catch((error: unknown) => error);
      // After a session that broke, this is normal.
      if (left !== undefined)
        log[signal.aborted ? 'warn' : 'debug'](
          { groupId, err: left === LATE ? `not done within ${LEAVE_MS} ms` : left },
          'the Kafka consumer did not leave cleanly',
        );
    }
  }

  /** Rejects on a crash, on silence and when the machine's clock jumps. Resolves on stop(), and once its session is over. */
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

/** Returns a function that calls `begin` with the partitions of a join. Each call ends the Assigned of the call before. */
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
