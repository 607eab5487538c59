// Fetched records are decoded by us, not by kafkajs, which folds headers in quadratic time, spreads all records of a batch
// over one call, and ends the session for ever on a batch that it cannot read (docs/decisions/0033).
// Its module of the one version of Fetch that we speak gets our decoder; kafkajs-fetch.spec.ts holds it to that.
import { createRequire } from 'node:module';
import { setImmediate as othersFirst } from 'node:timers/promises';
import { SystemClock, type Clock } from '../clock.js';
import { batchesIn, decodeBatch, MAX_RECORDS, type BatchPlace, type FetchedRecord } from './record-batch.js';
import { MAX_UNPACKED_BYTES } from './unpack.js';

/** Kafka 2.3 (2019) and everything since. */
const VERSION = 11;

interface FetchProtocol {
  protocol: (asked: { version: number }) => (request: unknown) => unknown;
}
interface FetchResponse {
  decode: (raw: Buffer) => Promise<unknown>;
}

/** For the whole process, and before any fetch. Repeating it changes nothing. */
export function decodeFetchesOurselves(): void {
  const require = createRequire(import.meta.url);
  const fetches = require('kafkajs/src/protocol/requests/fetch') as FetchProtocol;
  const response = require(`kafkajs/src/protocol/requests/fetch/v${VERSION}/response`) as FetchResponse;
  if (response.decode === decodeFetch) return;
  response.decode = decodeFetch;
  const { protocol } = fetches;
  fetches.protocol = ({ version }) => {
    if (version !== VERSION) throw new Error(`brokers older than Kafka 2.3 are not read (Fetch ${version})`);
    return protocol({ version });
  };
}

interface PartitionOfFetch {
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: string;
  readonly lastStableOffset: string;
  readonly lastStartOffset: string;
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[];
  readonly preferredReadReplica: number;
  readonly messages: FetchedRecord[];
}

/** Another partition is decoded first in each answer, for the bound may leave nothing to the others. */
let turn = 0;

/** Kafka protocol, "Fetch Response", version 11: what kafkajs makes of it, with our records as its messages. */
export async function decodeFetch(
  raw: Buffer,
  clock: Pick<Clock, 'elapsed'> = new SystemClock(),
): Promise<unknown> {
  const reader = new Reader(raw);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const undecoded: Undecoded[] = [];
  const responses = reader.array(() => {
    const topicName = reader.string();
    return { topicName, partitions: reader.array(() => partitionOf(reader, topicName, undecoded)) };
  });
  turn += 1;
  const first = undecoded.length === 0 ? 0 : turn % undecoded.length;
  await decodeWithin([...undecoded.slice(first), ...undecoded.slice(0, first)], clock);
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

interface Undecoded {
  readonly set: Buffer;
  readonly place: BatchPlace;
  readonly messages: FetchedRecord[];
}

function partitionOf(reader: Reader, topic: string, undecoded: Undecoded[]): PartitionOfFetch {
  const partition = reader.int32();
  const found = {
    partition,
    errorCode: reader.int16(),
    highWatermark: reader.int64(),
    lastStableOffset: reader.int64(),
    lastStartOffset: reader.int64(),
    abortedTransactions: reader.array(() => ({ producerId: reader.int64(), firstOffset: reader.int64() })),
    preferredReadReplica: reader.int32(),
    messages: [],
  };
  undecoded.push({ set: reader.bytes(), place: { topic, partition }, messages: found.messages });
  return found;
}

/** Real milliseconds. Meanwhile nobody sends heartbeats for the member, which its group gives up after ten seconds. */
const MAX_DECODING_MS = 1_000;
/** What takes milliseconds to decode; other work of the process goes in between. */
const YIELD_BYTES = 256 * 1024;

/**
 * At least one batch, then as many as there is room and time for: an answer of 10 MB may unpack to hundreds of times as
 * much, and a batch of some bytes may be half a second's work. What is left is fetched again, from the offset after what
 * was handled.
 */
async function decodeWithin(partitions: readonly Undecoded[], clock: Pick<Clock, 'elapsed'>): Promise<void> {
  const until = clock.elapsed() + MAX_DECODING_MS;
  let bytes = 0;
  let records = 0;
  for (const { set, place, messages } of partitions) {
    for (const batch of batchesIn(set)) {
      const decoded = await decodeBatch(batch, place);
      for (const record of decoded.records) messages.push(record);
      bytes += decoded.unpackedBytes;
      records += decoded.records.length;
      if (bytes > MAX_UNPACKED_BYTES || records > MAX_RECORDS || clock.elapsed() > until) return;
      if (decoded.unpackedBytes > YIELD_BYTES) await othersFirst();
    }
  }
}

/** What the broker itself says, which is believed. */
class Reader {
  #at = 0;

  constructor(private readonly raw: Buffer) {}

  int16(): number {
    return this.raw.readInt16BE(this.#move(2));
  }

  int32(): number {
    return this.raw.readInt32BE(this.#move(4));
  }

  int64(): string {
    return String(this.raw.readBigInt64BE(this.#move(8)));
  }

  string(): string {
    const length = this.int16();
    const at = this.#move(length);
    return this.raw.toString('utf8', at, at + length);
  }

  bytes(): Buffer {
    const length = Math.max(0, this.int32());
    const at = this.#move(length);
    return this.raw.subarray(at, at + length);
  }

  array<Item>(read: () => Item): Item[] {
    return Array.from({ length: Math.max(0, this.int32()) }, read);
  }

  #move(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
}
