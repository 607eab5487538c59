// What every adapter of the Kafka port must do, run against a real broker. An adapter's spec calls it with how to connect.
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  TOPIC_MAX_MESSAGE_BYTES,
  type BatchInHand,
  type KafkaConnection,
  type KafkaMessage,
  type KafkaSettings,
  type RecordContent,
} from '../../../src/platform/kafka/kafka.js';
import { eventually } from '../../support/eventually.js';
import { testKafka, type TestKafka } from '../../support/kafka/kafka.js';
import { batchBytes, produceBatch, recordsBytes, stored } from '../../support/kafka/record-batch.js';

const PATIENT = { withinMs: 90_000 };
const NOBODY = ['127.0.0.1:1'];
/** Of the two partitions of a topic, as Kafka's own hash places them. */
const keys = ['one', 'four'] as const;

export function conformsToKafka(connect: (settings: KafkaSettings) => KafkaConnection): void {
  let testBroker: TestKafka;
  let topic: string;
  let open: KafkaConnection[];

  beforeAll(async () => {
    testBroker = await testKafka();
  });
  beforeEach(async () => {
    [topic = ''] = await testBroker.newTopics(['conformance'], 2);
    open = [];
  });
  afterEach(() => Promise.all(open.map((kafka) => kafka.close())));

  const opened = (topics = [topic], brokers = testBroker.brokers): KafkaConnection => {
    const newTopic = { partitions: 3, replicas: 1 };
    const kafka = connect({ brokers, tls: false, topics, newTopic });
    open.push(kafka);
    return kafka;
  };
  const message = (value: string, key: string | null = 'one'): KafkaMessage => ({
    topic,
    key,
    value,
    headers: { ce_type: 'bell' },
  });
  /** What a member of the topic's group is handed; with `keep`, it says that each batch is done. */
  const consume = (
    kafka: KafkaConnection,
    keep: boolean | ((batch: BatchInHand) => Promise<void>) = true,
  ) => {
    const seen: (RecordContent & { readonly offset: string })[] = [];
    const handle = async (batch: BatchInHand): Promise<void> => {
      seen.push(...batch.records.map((record) => ({ ...record.read(), offset: record.offset })));
      const last = batch.records.at(-1);
      if (typeof keep === 'function') await keep(batch);
      else if (keep && last !== undefined) await batch.done(last);
    };
    kafka.consume({ groupId: topic, topics: [topic], handle });
    return { seen, values: () => seen.map(({ value }) => value?.toString()) };
  };

  it('hands records on as they were sent: in the order of their key, with headers, on one partition', async () => {
    const kafka = opened();
    await kafka.send([message('1'), message('2'), message('elsewhere', null), message('3')]);
    await kafka.send([message('4')]);
    const { seen } = consume(kafka);
    await eventually(() => expect(seen).toHaveLength(5), PATIENT);
    const keyed = seen.filter(({ key }) => key?.toString() === 'one');
    expect(keyed.map(({ value }) => value?.toString())).toEqual(['1', '2', '3', '4']);
    expect(keyed[0]?.headers).toEqual(new Map([['ce_type', Buffer.from('bell')]]));
  });

  it('goes on behind what was done, and hands out again what was not', async () => {
    const first = opened();
    await first.send(['1', '2', '3'].map((value) => message(value)));
    const halfDone = consume(first, async (batch) => {
      const [record] = batch.records;
      if (record !== undefined) await batch.done(record);
      // The process ends before it can say the rest.
      await eventually(() => !batch.alive(), PATIENT);
    });
    await eventually(() => expect(halfDone.seen).toHaveLength(3), PATIENT);
    await first.close();
    const { values } = consume(opened());
    await eventually(() => expect(values()).toEqual(['2', '3']), PATIENT);
  });

  it('hands a batch out again to a handler that threw, says so meanwhile, and works again', async () => {
    const kafka = opened();
    let broken = true;
    const { values } = consume(kafka, async (batch) => {
      if (broken) throw new Error('a bug');
      for (const record of batch.records) await batch.done(record);
    });
    const consumer = () => kafka.health().find(({ name }) => name === 'kafka consumer');
    await kafka.send([message('1')]);
    await eventually(
      () =>
        expect(consumer()).toMatchObject({ ok: false, detail: expect.stringContaining('a bug') as string }),
      PATIENT,
    );
    broken = false;
    await eventually(
      () => expect(consumer()).toEqual({ name: 'kafka consumer', ok: true, detail: 'ok' }),
      PATIENT,
    );
    await eventually(() => expect(new Set(values())).toEqual(new Set(['1'])), PATIENT);
  });

  it('reads every codec, and passes a batch that cannot be decoded on as one record, with what comes after', async () => {
    const body = recordsBytes([{ value: Buffer.from('packed') }]);
    const batches = [
      batchBytes({ count: 1, body }),
      batchBytes({ codec: 'gzip', count: 1, body: gzipSync(body) }),
      ...(['snappy', 'lz4', 'zstd'] as const).map((codec) =>
        batchBytes({ codec, count: 1, body: stored[codec](body) }),
      ),
      batchBytes({
        codec: 'gzip',
        count: 1,
        body: gzipSync(recordsBytes([{ value: Buffer.alloc(70 * 1024 * 1024) }])),
      }),
      batchBytes({ count: 1, body }),
    ];
    for (const batch of batches) await produceBatch(testBroker.brokers, { topic }, batch);
    const { seen } = consume(opened());
    await eventually(() => expect(seen).toHaveLength(7), PATIENT);
    const faulty = seen.filter(({ fault }) => fault !== undefined);
    expect(faulty.map(({ offset }) => offset)).toEqual(['5']);
    // The broker has written its place and epoch into the head.
    expect(faulty[0]?.value?.subarray(61).equals(batches[5]?.subarray(61) ?? body)).toBe(true);
    expect(seen.filter(({ value }) => value?.toString() === 'packed')).toHaveLength(6);
  });

  it('handles partitions side by side, one batch of each at a time, in order', async () => {
    const kafka = opened();
    const atWork = new Map<number, number>();
    let mostOfOne = 0;
    let mostAtOnce = 0;
    const { seen } = consume(kafka, async (batch) => {
      const partition = batch.records[0]?.partition ?? -1;
      atWork.set(partition, (atWork.get(partition) ?? 0) + 1);
      mostOfOne = Math.max(mostOfOne, ...atWork.values());
      mostAtOnce = Math.max(mostAtOnce, [...atWork.values()].filter((count) => count > 0).length);
      await pause(100);
      for (const record of batch.records) await batch.done(record);
      atWork.set(partition, (atWork.get(partition) ?? 0) - 1);
    });
    await eventually(async () => {
      await kafka.send(keys.map((key) => message(key, key)));
      expect(mostAtOnce).toBe(2);
    }, PATIENT);
    await eventually(() => expect([...atWork.values()]).toEqual([0, 0]), PATIENT);
    expect(mostOfOne).toBe(1);
    for (const key of keys) {
      const offsets = seen.filter((one) => one.key?.toString() === key).map(({ offset }) => Number(offset));
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  });

  it('a batch that takes long holds up no other partition and no membership, and is followed by what came behind it', async () => {
    const kafka = opened();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handed: string[] = [];
    const [slow, quick] = keys;
    const { values } = consume(kafka, async (batch) => {
      handed.push(batch.records.map((record) => record.read().value?.toString()).join());
      if (handed.at(-1)?.startsWith('slow')) await held;
      for (const record of batch.records) await batch.done(record);
    });
    await kafka.send([message('slow 1', slow)]);
    await eventually(() => expect(values()).toEqual(['slow 1']), PATIENT);
    await kafka.send([message('slow 2', slow), message('quick 1', quick)]);
    await eventually(() => expect(values()).toContain('quick 1'), PATIENT);
    await kafka.send([message('quick 2', quick)]);
    await eventually(() => expect(values()).toContain('quick 2'), PATIENT);
    // Longer than a member may be silent.
    await pause(11_000);
    expect(values()).toEqual(['slow 1', 'quick 1', 'quick 2']);
    expect(kafka.health()[0]).toMatchObject({ ok: true });
    release();
    await eventually(() => expect(values()).toEqual(['slow 1', 'quick 1', 'quick 2', 'slow 2']), PATIENT);
    await kafka.close();
    const { values: again } = consume(opened());
    await pause(1_000);
    expect(again()).toEqual([]);
  });

  it('another member joins while a batch takes long: it gets its share, and the batch’s handler hears of it', async () => {
    const first = opened();
    const alive: boolean[] = [];
    let kept = 0;
    consume(first, async (batch) => {
      await eventually(() => {
        alive.push(batch.alive());
        expect(alive.at(-1)).toBe(false);
      }, PATIENT);
      kept += 1;
      for (const record of batch.records) await batch.done(record);
    });
    await first.send(keys.map((key) => message(key, key)));
    await eventually(() => expect(alive.length).toBeGreaterThan(0), PATIENT);
    const { values } = consume(opened());
    // What the first said of a batch that is no longer its own moves no offset.
    await eventually(() => expect(values()).not.toEqual([]), PATIENT);
    await eventually(() => expect(kept).toBeGreaterThan(0), PATIENT);
  });

  it('ends after the batch in hand', async () => {
    const kafka = opened();
    await kafka.send([message('1')]);
    let kept = 0;
    const { seen } = consume(kafka, async (batch) => {
      await eventually(() => !batch.alive(), PATIENT);
      kept += 1;
    });
    await eventually(() => expect(seen).toHaveLength(1), PATIENT);
    await kafka.close();
    expect(kept).toBe(1);
  });

  it('makes the topics that are missing with room for an event, and describes without making any', async () => {
    const missing = `${topic}.missing`;
    const kafka = opened([topic, missing]);
    expect(await kafka.describe()).toEqual({ brokers: 1, missingTopics: [missing] });
    expect(await kafka.describe()).toMatchObject({ missingTopics: [missing] });
    await kafka.ensureTopics();
    await kafka.ensureTopics();
    expect(await kafka.describe()).toMatchObject({ missingTopics: [] });
    const value = Buffer.alloc(TOPIC_MAX_MESSAGE_BYTES - 1_024, 1);
    for (let at = 0; at < value.length; at += 4) value.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at);
    await kafka.send([{ topic: missing, key: null, value, headers: {} }]);
    const ends = await kafka.offsets(missing);
    expect(ends.map(({ partition }) => partition).toSorted((a, b) => a - b)).toEqual(
      ends.map((_, index) => index),
    );
    expect(ends.filter(({ next }) => next !== '0')).toEqual([
      { topic: missing, partition: expect.any(Number), first: '0', next: '1' },
    ]);
  });

  it('rejects and says so where no broker is, which is an outage; what is none of it is left to others', async () => {
    const kafka = opened([topic], NOBODY);
    const error: unknown = await kafka.send([message('1')]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    await expect(kafka.describe()).rejects.toThrow(/ECONNREFUSED|Connection/);
    expect(kafka.health()).toContainEqual(expect.objectContaining({ name: 'kafka producer', ok: false }));
    expect(await kafka.judge(error)).toBe(true);
    expect(kafka.judge(new Error('a bug'))).toBeUndefined();
  });
}
