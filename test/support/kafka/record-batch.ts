// Record batches made by hand and handed to a broker as they are: what no client would send, and anybody may.
import { connect } from 'node:net';
import { once } from 'node:events';

export const ATTRIBUTES = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;

export interface GivenRecord {
  readonly key?: Buffer | null;
  readonly value?: Buffer | null;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

export interface GivenBatch {
  readonly codec?: keyof typeof ATTRIBUTES;
  /** The records behind one another, packed by the codec. */
  readonly body: Buffer;
  readonly count: number;
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value < 0 ? -value * 2 - 1 : value * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const bytesOf = (bytes: Buffer | null | undefined): Buffer =>
  bytes ? Buffer.concat([varint(bytes.length), bytes]) : varint(-1);

/** Kafka protocol, "Record": its length, then attributes, timestamp delta, offset delta, key, value and headers. */
export function recordBytes(offsetDelta: number, { key, value, headers = [] }: GivenRecord): Buffer {
  const parts = [Buffer.from([0]), varint(0), varint(offsetDelta), bytesOf(key), bytesOf(value)];
  parts.push(varint(headers.length));
  for (const [name, text] of headers) parts.push(bytesOf(Buffer.from(name)), bytesOf(Buffer.from(text)));
  const record = Buffer.concat(parts);
  return Buffer.concat([varint(record.length), record]);
}

export function recordsBytes(records: readonly GivenRecord[]): Buffer {
  return Buffer.concat(records.map((record, index) => recordBytes(index, record)));
}

/** Records without key, value or headers: seven to ten bytes each. */
export function manyRecords(count: number): Buffer {
  const all = Buffer.alloc(count * 11);
  let at = 0;
  for (let delta = 0; delta < count; delta += 1) {
    const offset = varint(delta);
    at = all.writeInt8((5 + offset.length) * 2, at) + 2;
    at += offset.copy(all, at);
    at = all.writeInt8(1, at);
    at = all.writeInt8(1, at) + 1;
  }
  return all.subarray(0, at);
}

/** Kafka protocol, "Record Batch", from offset `base` on. */
export function batchBytes({ codec = 'none', body, count }: GivenBatch, base = 0): Buffer {
  const checked = Buffer.alloc(40);
  checked.writeInt16BE(ATTRIBUTES[codec], 0);
  checked.writeInt32BE(count - 1, 2);
  const now = BigInt(Date.now());
  checked.writeBigInt64BE(now, 6);
  checked.writeBigInt64BE(now, 14);
  checked.writeBigInt64BE(-1n, 22);
  checked.writeInt16BE(-1, 30);
  checked.writeInt32BE(-1, 32);
  checked.writeInt32BE(count, 36);
  const head = Buffer.alloc(21);
  head.writeBigInt64BE(BigInt(base), 0);
  head.writeInt32BE(9 + checked.length + body.length, 8);
  head.writeInt32BE(-1, 12);
  head.writeInt8(2, 16);
  const rest = Buffer.concat([checked, body]);
  head.writeUInt32BE(crc32c(rest), 17);
  return Buffer.concat([head, rest]);
}

/** What the codecs make of up to 255 bytes that they do not make any smaller. */
export const stored = {
  snappy: (bytes: Buffer): Buffer => {
    const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, 1];
    return Buffer.from([...length, 60 << 2, bytes.length - 1, ...bytes]);
  },
  lz4: (bytes: Buffer): Buffer =>
    Buffer.from([4, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73, bytes.length, 0, 0, 0x80, ...bytes, 0, 0, 0, 0]),
  zstd: (bytes: Buffer): Buffer =>
    Buffer.from([
      0x28,
      0xb5,
      0x2f,
      0xfd,
      0x20,
      bytes.length,
      ((bytes.length << 3) & 0xff) | 1,
      bytes.length >> 5,
      0,
      ...bytes,
    ]),
} as const;

/** Throws with the broker's error code where it refuses the batch. */
export async function produceBatch(
  brokers: readonly string[],
  { topic, partition = 0 }: { topic: string; partition?: number },
  batch: Buffer,
): Promise<void> {
  const { hostname, port } = new URL(`kafka://${brokers[0] ?? ''}`);
  const socket = connect(Number(port), hostname);
  try {
    // Produce, version 7, from nobody; no transaction, all replicas in sync, 30 s; one topic with one partition.
    const request = Buffer.concat([
      Buffer.from([0, 0, 0, 7, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      int32(30_000),
      int32(1),
      Buffer.from([0, topic.length]),
      Buffer.from(topic),
      int32(1),
      int32(partition),
      int32(batch.length),
      batch,
    ]);
    socket.write(Buffer.concat([int32(request.length), request]));
    let answer = Buffer.alloc(0);
    while (answer.length < 4 || answer.length < 4 + answer.readInt32BE(0)) {
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      answer = Buffer.concat([answer, chunk]);
    }
    // Length, correlation, topics, the name, partitions, the partition: then its error.
    const error = answer.readInt16BE(4 + 4 + 4 + 2 + topic.length + 4 + 4);
    if (error !== 0) throw new Error(`the broker refuses the batch: error ${error}`);
  } finally {
    socket.destroy();
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const CRC32C = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});

function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC32C[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
