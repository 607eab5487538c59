// Batches made by hand, decoded without a broker: what comes of good ones, and that no other ever throws.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  batchBytes,
  manyRecords,
  recordBytes,
  recordsBytes,
} from '../../../test/support/kafka/record-batch.js';
import { batchesIn, decodeBatch, MAX_HEADERS, MAX_RECORDS, type FetchedRecord } from './record-batch.js';

const place = { topic: 'campaign.events', partition: 3 };
const decode = async (bytes: Buffer): Promise<readonly FetchedRecord[]> =>
  (await decodeBatch(bytes, place)).records;
const faultsOf = async (bytes: Buffer): Promise<(string | undefined)[]> =>
  (await decode(bytes)).map((record) => record.read().fault);

const RECORDS = [
  { key: Buffer.from('shop-app/spring'), value: Buffer.from('{}') },
  {
    value: null,
    headers: [
      ['ce_id', '1'],
      ['ce_id', '2'],
      ['ce_type', 't'],
    ] as const,
  },
  { key: Buffer.alloc(0), value: Buffer.alloc(300, 1) },
];

it('reads records with key, value and the first of each header, at their offsets', async () => {
  const records = await decode(batchBytes({ count: 3, body: recordsBytes(RECORDS) }, 41));
  expect(records.map(({ topic, partition, offset }) => [topic, partition, offset])).toEqual([
    ['campaign.events', 3, '41'],
    ['campaign.events', 3, '42'],
    ['campaign.events', 3, '43'],
  ]);
  expect(records.map((record) => record.read())).toEqual([
    { key: Buffer.from('shop-app/spring'), value: Buffer.from('{}'), headers: new Map() },
    {
      key: null,
      value: null,
      headers: new Map([
        ['ce_id', Buffer.from('1')],
        ['ce_type', Buffer.from('t')],
      ]),
    },
    { key: Buffer.alloc(0), value: Buffer.alloc(300, 1), headers: new Map() },
  ]);
});

it('cuts a record set into its batches, and leaves one that is cut off to the next fetch', () => {
  const [one, two] = [0, 3].map((base) => batchBytes({ count: 3, body: recordsBytes(RECORDS) }, base));
  const set = Buffer.concat([one ?? Buffer.alloc(0), two ?? Buffer.alloc(0)]);
  expect([...batchesIn(set)]).toEqual([one, two]);
  expect([...batchesIn(set.subarray(0, set.length - 1))]).toEqual([one]);
  expect([...batchesIn(Buffer.alloc(5))]).toEqual([]);
});

describe('a batch that cannot be decoded is one record at its last offset, with its bytes', () => {
  const gzipped = gzipSync(recordsBytes(RECORDS));
  gzipped.writeUInt8(gzipped.readUInt8(12) ^ 0xff, 12);
  const old = batchBytes({ count: 3, body: recordsBytes(RECORDS) });
  old.writeInt8(1, 16);
  const noCodec = batchBytes({ count: 3, body: recordsBytes(RECORDS) });
  noCodec.writeInt16BE(7, 21);
  const twice = Buffer.concat([recordBytes(0, {}), recordBytes(0, {}), recordBytes(2, {})]);
  const beyond = Buffer.concat([recordBytes(0, {}), recordBytes(1, {}), recordBytes(3, {})]);
  it.each([
    ['packed badly', batchBytes({ codec: 'gzip', count: 3, body: gzipped }), /./],
    ['in a format of before 2017', old, /format 1/],
    ['in a codec that does not exist', noCodec, /codec 7/],
    [
      'with too many records',
      batchBytes({ count: MAX_RECORDS + 1, body: Buffer.alloc(0) }),
      /100001 records/,
    ],
    ['with fewer records than it says', batchBytes({ count: 4, body: recordsBytes(RECORDS) }), /cut off/],
    ['with an offset twice', batchBytes({ count: 3, body: twice }), /out of order/],
    ['with an offset of the next batch', batchBytes({ count: 3, body: beyond }), /out of order/],
  ])('%s', async (_name, bytes, fault) => {
    const [record, ...others] = await decode(bytes);
    expect(others).toEqual([]);
    expect(record?.read()).toMatchObject({
      key: null,
      value: bytes,
      fault: expect.stringMatching(fault) as string,
    });
  });

  it('so that none of its offsets is fetched again', async () => {
    const records = await decode(batchBytes({ count: MAX_RECORDS + 1, body: Buffer.alloc(0) }, 7));
    expect(records.map(({ offset }) => offset)).toEqual([String(7 + MAX_RECORDS)]);
  });
});

it('a record with too many headers costs itself alone', async () => {
  const headers = Array.from({ length: MAX_HEADERS + 1 }, (_, index) => [String(index), ''] as const);
  const body = recordsBytes([{ headers: headers.slice(1) }, { headers }, { value: Buffer.from('good') }]);
  expect(await faultsOf(batchBytes({ count: 3, body }))).toEqual([
    undefined,
    'the record has 1001 headers of at most 1000',
    undefined,
  ]);
});

it('reads as many records as are allowed, more than a call takes arguments', async () => {
  const records = await decode(batchBytes({ count: MAX_RECORDS, body: manyRecords(MAX_RECORDS) }));
  expect(records).toHaveLength(MAX_RECORDS);
  expect(records.at(-1)?.offset).toBe(String(MAX_RECORDS - 1));
});

it('never throws, whatever is changed in a batch', async () => {
  const whole = batchBytes({ count: 3, body: recordsBytes(RECORDS) });
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const bytes = Buffer.from(whole);
      for (const { at, byte } of changes) bytes[at] = byte;
      for (const batch of batchesIn(bytes))
        for (const record of await decode(batch)) expect(record.read().headers).toBeInstanceOf(Map);
    }),
    { numRuns: 2_000 },
  );
});
