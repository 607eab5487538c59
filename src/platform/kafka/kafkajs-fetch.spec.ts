// That kafkajs decodes fetches by us: of the version installed, with what it goes by unchanged; and what one answer may hold.
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { batchBytes, manyRecords, recordsBytes } from '../../../test/support/kafka/record-batch.js';
import { decodeFetch, decodeFetchesOurselves } from './kafkajs-fetch.js';

const require = createRequire(import.meta.url);
const { requests, lookup } = require('kafkajs/src/protocol/requests') as {
  requests: { Fetch: object };
  lookup: (versions: object) => (key: number, fetch: object) => (request: object) => { response: unknown };
};
/** As kafkajs asks for the protocol of a broker whose newest Fetch is of that version. */
const fetchOf = (maxVersion: number) => lookup({ 1: { maxVersion } })(1, requests.Fetch)({ topics: [] });
const theirs = (fetchOf(11).response as { decode: (raw: Buffer) => Promise<Answer> }).decode;

interface Answer {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly { readonly partition: number; readonly messages: readonly Message[] }[];
  }[];
}
interface Message {
  readonly offset: string;
  readonly key: Buffer | null;
  readonly isControlRecord: boolean;
  readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
}

/** Kafka protocol, "Fetch Response", version 11. */
function answerOf(sets: readonly Buffer[]): Buffer {
  const topic = Buffer.from('campaign.events');
  const head = Buffer.alloc(4 + 2 + 4 + 4 + 2);
  head.writeInt32BE(1, 10);
  head.writeInt16BE(topic.length, 14);
  const partitions = sets.map((set, partition) => {
    const bytes = Buffer.alloc(4 + 2 + 8 + 8 + 8 + 4 + 16 + 4 + 4);
    bytes.writeInt32BE(partition, 0);
    bytes.writeBigInt64BE(90n, 6);
    bytes.writeBigInt64BE(80n, 14);
    bytes.writeBigInt64BE(2n, 22);
    bytes.writeInt32BE(1, 30);
    bytes.writeBigInt64BE(5n, 34);
    bytes.writeBigInt64BE(6n, 42);
    bytes.writeInt32BE(-1, 50);
    bytes.writeInt32BE(set.length, 54);
    return Buffer.concat([bytes, set]);
  });
  const count = Buffer.alloc(4);
  count.writeInt32BE(sets.length);
  return Buffer.concat([head, topic, count, ...partitions]);
}

beforeAll(() => decodeFetchesOurselves());

describe('kafkajs', () => {
  it('is of the version whose inside is known', () => {
    expect((require('kafkajs/package.json') as { version: string }).version).toBe('2.2.4');
  });

  it('decodes by us what any broker since Kafka 2.3 answers, and reads no older one', () => {
    decodeFetchesOurselves();
    for (const newest of [11, 18]) expect(fetchOf(newest).response).toMatchObject({ decode: decodeFetch });
    expect(() => fetchOf(10)).toThrow(/older than Kafka 2.3/);
  });

  it('is given what its own decoder gives, but for the records’ insides', async () => {
    const body = recordsBytes([{ key: Buffer.from('k') }, { value: Buffer.from('v') }]);
    const marker = batchBytes({ count: 2, body }, 9);
    marker.writeInt16BE(0x30, 21);
    marker.writeBigInt64BE(4_711n, 43);
    const raw = answerOf([Buffer.concat([batchBytes({ count: 2, body }, 7), marker]), Buffer.alloc(0)]);
    const shown = ({ responses, ...rest }: Answer) => ({
      ...rest,
      responses: responses.map(({ topicName, partitions }) => ({
        topicName,
        partitions: partitions.map(({ messages, ...partition }) => ({
          ...partition,
          messages: messages.map(({ offset, key, isControlRecord, batchContext }) => ({
            offset,
            key,
            isControlRecord,
            producerId: batchContext.producerId,
            inTransaction: batchContext.inTransaction,
          })),
        })),
      })),
    });
    const ours = shown((await decodeFetch(raw)) as Answer);
    expect(ours).toEqual(shown(await theirs(raw)));
    expect(ours.responses[0]?.partitions[0]?.messages).toHaveLength(4);
  });
});

describe('an answer', () => {
  /** Where each look at the clock comes so much later, milliseconds. */
  const counts = async (raw: Buffer, stepMs = 0): Promise<number[]> => {
    let ms = 0;
    const { responses } = (await decodeFetch(raw, { elapsed: () => (ms += stepMs) })) as Answer;
    return responses[0]?.partitions.map(({ messages }) => messages.length) ?? [];
  };

  it('is decoded until its records are too many, and each partition comes first in its turn', async () => {
    const body = gzipSync(manyRecords(60_000));
    const set = Buffer.concat(
      [0, 60_000].map((base) => batchBytes({ codec: 'gzip', count: 60_000, body }, base)),
    );
    const raw = answerOf([set, set]);
    const found = [await counts(raw), await counts(raw)];
    expect(found).toContainEqual([120_000, 0]);
    expect(found).toContainEqual([0, 120_000]);
  });

  it('is decoded until it has unpacked 64 MiB', async () => {
    const body = gzipSync(recordsBytes([{ value: Buffer.alloc(40 * 1024 * 1024) }]));
    const set = Buffer.concat(
      [0, 1, 2, 3].map((base) => batchBytes({ codec: 'gzip', count: 1, body }, base)),
    );
    expect(await counts(answerOf([set]))).toEqual([2]);
  });

  it('is decoded for a second and a batch at most', async () => {
    const body = gzipSync(recordsBytes([{ value: Buffer.alloc(10) }]));
    const batches = Array.from({ length: 150 }, (_, base) =>
      batchBytes({ codec: 'gzip', count: 1, body }, base),
    );
    const raw = answerOf([Buffer.concat(batches)]);
    expect(await counts(raw, 0)).toEqual([150]);
    expect(await counts(raw, 400)).toEqual([3]);
    expect(await counts(raw, 2_000)).toEqual([1]);
  });
});
