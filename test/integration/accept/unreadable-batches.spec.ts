// Batches that cannot be decoded, which anybody may write to a topic. Each is one rejection with its place; the records after it, and
// those of other partitions, are taken.
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { KafkaConnection } from '../../../src/platform/kafka/kafka.js';
import type { Log } from '../../../src/platform/logging/log.js';
import { EventsConsumer } from '../../../src/scheduler/accept/events.consumer.js';
import { eventually } from '../../support/eventually.js';
import { testKafka, type TestKafka } from '../../support/kafka/kafka.js';
import { batchBytes, manyRecords, produceBatch, recordsBytes } from '../../support/kafka/record-batch.js';
import { IntakeWorld, scheduled } from '../../support/scheduler/intake-world.js';
import { committedOffset, connect } from '../../support/scheduler/kafka-world.js';

let broker: TestKafka;
let world: IntakeWorld;
let kafka: KafkaConnection;
let topic: string;

beforeAll(async () => {
  broker = await testKafka();
});
beforeEach(async () => {
  world = await IntakeWorld.open();
  [topic = ''] = await broker.newTopics(['events'], 2);
  kafka = connect(broker.brokers, [topic]);
});
afterEach(async () => {
  await kafka.close();
  await world.close();
});

const MIB = 1024 * 1024;
const good = (name: string): Buffer =>
  batchBytes({ count: 1, body: recordsBytes([{ value: Buffer.from(JSON.stringify(scheduled(name))) }]) });

/** A record of zeros in LZ4, in a frame that says it unpacks to 2³² bytes: a reader of 32 bits sees 0 or 1. */
function lyingLz4(zeros: number): Buffer {
  const whole = recordsBytes([{ value: Buffer.alloc(zeros) }]);
  const blocks: Buffer[] = [];
  for (let at = 0; at < whole.length; at += 4 * MIB) {
    const length = Math.min(4 * MIB, whole.length - at);
    // What stands in front of the zeros and one of them, that one repeated, and twelve more: a block ends with literals.
    const literals = whole.subarray(at, at + 14);
    const repeated = length - literals.length - 12 - 4 - 15;
    const block = Buffer.concat([
      Buffer.from([(literals.length << 4) | 15]),
      literals,
      Buffer.from([1, 0]),
      Buffer.alloc(Math.floor(repeated / 255), 255),
      Buffer.from([repeated % 255, 12 << 4]),
      Buffer.alloc(12),
    ]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(block.length);
    blocks.push(size, block);
  }
  const head = Buffer.from([4, 0x22, 0x4d, 0x18, 0x68, 0x70, 0, 0, 0, 0, 1, 0, 0, 0, 0xe0]);
  return Buffer.concat([head, ...blocks, Buffer.alloc(4)]);
}

/** A ZSTD frame with a window of 128 MiB, and one block for each byte. */
function blockForEachByte(bytes: Buffer): Buffer {
  const blocks = [...bytes].map((byte, index) =>
    Buffer.from([(1 << 3) | (index === bytes.length - 1 ? 1 : 0), 0, 0, byte]),
  );
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3]), ...blocks]);
}

const headers = Array.from({ length: 330_000 }, (_, index) => [index.toString(36), ''] as const);
const FORMS: readonly [name: string, make: () => Buffer, fault: RegExp][] = [
  [
    'a record with 330 000 headers',
    () => batchBytes({ count: 1, body: recordsBytes([{ value: null, headers }]) }),
    /^the record has 330000 headers of at most 1000$/,
  ],
  [
    '150 000 records in one batch',
    () => batchBytes({ count: 150_000, body: manyRecords(150_000) }),
    /^the batch of offsets 3 to 150002 has 150000 records of at most 100000/,
  ],
  [
    'half a million records in a small batch',
    () => batchBytes({ codec: 'gzip', count: 500_000, body: gzipSync(manyRecords(500_000)) }),
    /has 500000 records/,
  ],
  [
    'a batch that unpacks to more than 64 MiB',
    () =>
      batchBytes({
        codec: 'gzip',
        count: 1,
        body: gzipSync(recordsBytes([{ value: Buffer.alloc(65 * MIB) }])),
      }),
    /unpacks to more than|larger than/,
  ],
  [
    'a frame of LZ4 that lies about its size',
    () => batchBytes({ codec: 'lz4', count: 1, body: lyingLz4(70 * MIB) }),
    /unpacks to more than/,
  ],
  [
    'a window of ZSTD moved for each byte',
    () =>
      batchBytes({
        codec: 'zstd',
        count: 1,
        body: blockForEachByte(recordsBytes([{ value: Buffer.alloc(100_000) }])),
      }),
    /has too many blocks for its window/,
  ],
];

it('each is one rejection with its bytes and place; what stands behind it and elsewhere is taken', async () => {
  const bad = FORMS.map(([name, make]) => ({ name, bytes: make() }));
  await produceBatch(broker.brokers, { topic }, good('before'));
  for (const [index, { bytes }] of bad.entries()) {
    await produceBatch(broker.brokers, { topic }, bytes);
    await produceBatch(broker.brokers, { topic }, good(`after-${index}`));
  }
  await produceBatch(broker.brokers, { topic, partition: 1 }, good('elsewhere'));
  const lines: unknown[] = [];
  let passedOver = 0;
  const log = { warn: (line: unknown) => lines.push(line) } as unknown as Log;
  const consumer = new EventsConsumer({
    intake: world.intake(),
    sql: world.dataSource,
    log,
    passedOver: (count) => (passedOver += count),
  });
  kafka.consume({ groupId: topic, topics: [topic], handle: (batch) => consumer.handle(batch) });
  const [rejections, campaigns] = [FORMS.length, FORMS.length + 2];
  await eventually(async () =>
    expect(await world.balance()).toMatchObject({ campaigns, rejections, letters: rejections }),
  );
  const found = await world.rows<{ offset: string; codes: string[]; text: string; bytes: number }>(
    `select r."offset", jsonb_path_query_array(r.reasons, '$[*].code') as codes, r.reasons->0->>'text' as text,
            length(e.body) as bytes
       from rejection r join event e on e.id = r.event where r.topic = $1 and r.partition = 0 order by r."offset"`,
    [topic],
  );
  for (const [index, [name, , fault]] of FORMS.entries()) {
    const { codes, text, bytes } = found[index] ?? {};
    expect({ name, codes, text }).toEqual({
      name,
      codes: ['UNREADABLE'],
      text: expect.stringMatching(fault) as string,
    });
    // The bytes of the batch, or of the one record.
    expect(bytes).toBeGreaterThan((bad[index]?.bytes.length ?? 0) - 80);
  }
  const next = Number(found.at(-1)?.offset) + 2;
  await eventually(async () => expect(await committedOffset(broker.brokers, topic, topic)).toBe(next));
  expect(kafka.health()).toContainEqual({ name: 'kafka consumer', ok: true, detail: 'ok' });
  expect(passedOver).toBe(FORMS.length);
  expect(lines).toContainEqual(
    expect.objectContaining({ topic, partition: 0, offset: found[0]?.offset, fault: found[0]?.text }),
  );
});
