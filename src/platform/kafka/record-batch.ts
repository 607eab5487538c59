// Reads the records of a batch from a broker (Kafka protocol, "Record Batch", magic 2), within bounds. It counts the records
// before it allocates anything, and decodes each when it is read. Anybody who may write to a topic chooses these bytes. A batch
// that cannot be decoded becomes one record that says why, at its last offset, so that the consumer reaches the next batch.
import { messageOf } from '../logging/error-code.js';
import type { KafkaRecord, RecordContent } from './kafka.js';
import { CODECS } from './unpack.js';

/** The most records of one batch. Clients send at most thousands. Each record may become a row. */
export const MAX_RECORDS = 100_000;
/** The most headers of one record. An event in the binary form has a dozen. */
export const MAX_HEADERS = 1_000;

/** Offsets of the members of a batch's head, in bytes. */
const AT = {
  baseOffset: 0,
  length: 8,
  magic: 16,
  attributes: 21,
  lastOffsetDelta: 23,
  producerId: 43,
  count: 57,
  records: 61,
} as const;
/** The bytes that the member `length` does not count: the base offset and itself. */
const FRAME_BYTES = 12;
const MAGIC = 2;
const CODEC = 0x07;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

export type BatchPlace = Pick<KafkaRecord, 'topic' | 'partition'>;

/** A range of the unpacked bytes of its batch. */
export class FetchedRecord implements KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** kafkajs uses it to leave out records of aborted transactions. */
  readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
  /** A marker of a transaction. kafkajs gives it to nobody. */
  readonly isControlRecord: boolean;
  readonly #bytes: Buffer;
  readonly #fault: string | undefined;

  constructor(batch: BatchHead, offset: bigint, bytes: Buffer, fault?: string) {
    this.topic = batch.place.topic;
    this.partition = batch.place.partition;
    this.offset = String(offset);
    this.batchContext = batch.transaction;
    this.isControlRecord = batch.isControl;
    this.#bytes = bytes;
    this.#fault = fault;
  }

  get size(): number {
    return this.#bytes.length;
  }

  get key(): Buffer | null {
    return this.read().key;
  }

  read(): RecordContent {
    let fault = this.#fault;
    try {
      if (fault === undefined) return contentOf(this.#bytes);
    } catch (error) {
      fault = `the record ${messageOf(error)}`;
    }
    return { key: null, value: this.#bytes, headers: new Map(), fault };
  }
}

/** The batches of a record set. The size limit of the fetch may cut off the last batch: the next fetch brings it. */
export function* batchesIn(set: Buffer): Generator<Buffer> {
  for (let at = 0; at + AT.attributes <= set.length;) {
    const end = at + FRAME_BYTES + Math.max(set.readInt32BE(at + AT.length), AT.attributes - FRAME_BYTES);
    if (end > set.length) return;
    yield set.subarray(at, end);
    at = end;
  }
}

/** Never rejects. */
export async function decodeBatch(
  bytes: Buffer,
  place: BatchPlace,
): Promise<{ readonly records: readonly FetchedRecord[]; readonly unpackedBytes: number }> {
  const batch = headOf(bytes, place);
  try {
    const unpacked = await unpackRecords(bytes, batch);
    return { records: recordsIn(unpacked, batch), unpackedBytes: unpacked.length };
  } catch (error) {
    const range = `${batch.baseOffset} to ${batch.lastOffset}`;
    const fault = `the batch of offsets ${range} ${messageOf(error)}; bytes kept are those of the batch`;
    const record = new FetchedRecord(batch, batch.lastOffset, bytes, fault);
    return { records: [record], unpackedBytes: bytes.length };
  }
}

interface BatchHead {
  readonly place: BatchPlace;
  readonly magic: number;
  readonly baseOffset: bigint;
  readonly lastOffset: bigint;
  readonly codec: number;
  readonly count: number;
  readonly transaction: FetchedRecord['batchContext'];
  readonly isControl: boolean;
}

function headOf(bytes: Buffer, place: BatchPlace): BatchHead {
  const magic = bytes.readInt8(AT.magic);
  const baseOffset = bytes.readBigInt64BE(AT.baseOffset);
  // For older formats, only the base offset is read.
  const isKnown = magic === MAGIC && bytes.length >= AT.records;
  const attributes = isKnown ? bytes.readInt16BE(AT.attributes) : 0;
  return {
    place,
    magic,
    baseOffset,
    lastOffset: baseOffset + BigInt(isKnown ? Math.max(0, bytes.readInt32BE(AT.lastOffsetDelta)) : 0),
    codec: attributes & CODEC,
    count: isKnown ? bytes.readInt32BE(AT.count) : 0,
    transaction: {
      producerId: String(isKnown ? bytes.readBigInt64BE(AT.producerId) : -1n),
      inTransaction: (attributes & TRANSACTIONAL) !== 0,
    },
    isControl: (attributes & CONTROL) !== 0,
  };
}

async function unpackRecords(bytes: Buffer, { magic, count, codec }: BatchHead): Promise<Buffer> {
  if (magic !== MAGIC) throw new Error(`has format ${magic}, from before Kafka 0.11`);
  if (bytes.length < AT.records) throw new RangeError('is cut off');
  if (count > MAX_RECORDS) throw new RangeError(`has ${count} records of at most ${MAX_RECORDS}`);
  const packed = bytes.subarray(AT.records);
  if (codec === 0 || count <= 0) return packed;
  const unpack = CODECS[codec];
  if (unpack === undefined) throw new Error(`is packed by a codec ${codec} that nobody knows`);
  return unpack(packed);
}

/** Offsets must grow from record to record, up to the end of the batch. Otherwise records of other batches could be skipped. */
function recordsIn(unpacked: Buffer, batch: BatchHead): FetchedRecord[] {
  const records: FetchedRecord[] = [];
  const cursor = new Cursor(unpacked);
  let last = batch.baseOffset - 1n;
  while (records.length < batch.count) {
    const bytes = cursor.bytes(cursor.varint());
    const record = new Cursor(bytes, 1);
    record.skipVarint();
    const offset = batch.baseOffset + BigInt(record.varint());
    if (offset <= last || offset > batch.lastOffset) throw new RangeError('has offsets out of order');
    records.push(new FetchedRecord(batch, offset, bytes));
    last = offset;
  }
  return records;
}

/** "Record": attributes, timestamp and offset, then its content. */
function contentOf(bytes: Buffer): RecordContent {
  const cursor = new Cursor(bytes, 1);
  cursor.skipVarint();
  cursor.skipVarint();
  const key = cursor.nullableBytes();
  const value = cursor.nullableBytes();
  const count = cursor.varint();
  if (count > MAX_HEADERS) throw new RangeError(`has ${count} headers of at most ${MAX_HEADERS}`);
  const headers = new Map<string, Buffer>();
  for (let read = 0; read < count; read += 1) {
    const name = cursor.bytes(cursor.varint()).toString('utf8');
    const given = cursor.nullableBytes();
    if (given !== null && !headers.has(name)) headers.set(name, given);
  }
  return { key, value, headers };
}

/** Reads forward through bytes. Throws where they end too early. */
class Cursor {
  constructor(
    private readonly source: Buffer,
    private at = 0,
  ) {}

  /** 32 bits, in zigzag encoding. */
  varint(): number {
    let sum = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#byte();
      sum += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
    }
    throw new RangeError('has a number without end');
  }

  skipVarint(): void {
    while (this.#byte() >= 0x80);
  }

  bytes(length: number): Buffer {
    const end = this.at + length;
    if (length < 0 || end > this.source.length) throw new RangeError('is cut off');
    const found = this.source.subarray(this.at, end);
    this.at = end;
    return found;
  }

  nullableBytes(): Buffer | null {
    const length = this.varint();
    return length < 0 ? null : this.bytes(length);
  }

  #byte(): number {
    const byte = this.source[this.at];
    if (byte === undefined) throw new RangeError('is cut off');
    this.at += 1;
    return byte;
  }
}
