// Decodes fetched records instead of kafkajs. kafkajs folds headers in quadratic time, passes all records of a batch as arguments
// of one call, and ends the session for ever on a batch that it cannot read (docs/decisions/0033). This file puts our decoder
// into kafkajs's module for the one version of Fetch that we use. kafkajs-fetch.spec.ts checks that kafkajs uses it.
import { createRequire } from 'node:module';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { SystemClock, type Clock } from '../clock.js';
import { batchesIn, decodeBatch, MAX_RECORDS, type BatchPlace, type FetchedRecord } from './record-batch.js';
import { MAX_UNPACKED_BYTES } from './unpack.js';

/** The version of Fetch. Kafka 2.3 (2019) and every later broker know it. */
const VERSION = 11;

interface FetchProtocol {
  protocol: (asked: { version: number }) => (request: unknown) => unknown;
}
interface FetchResponse {
  decode: (raw: Buffer) => Promise<unknown>;
}
/** kafkajs's own reader. It reads what the broker itself says, and we trust that. */
interface Decoder {
  readInt16(): number;
  readInt32(): number;
  readInt64(): bigint;
  readString(): string;
  readBytes(): Buffer | null;
  readArray<Item>(read: () => Item): Item[];
}

const require = createRequire(import.meta.url);
const KafkajsDecoder = require('kafkajs/src/protocol/decoder') as new (raw: Buffer) => Decoder;

/** Applies to the whole process. Call it before any fetch. To call it again changes nothing. */
export function decodeFetchesOurselves(): void {
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

/** Each answer begins to decode with another partition, because the bounds may leave nothing for the others. */
let turn = 0;

/** Kafka protocol, "Fetch Response", version 11: returns what kafkajs would, with our records as its messages. */
export async function decodeFetch(
  raw: Buffer,
  clock: Pick<Clock, 'elapsed'> = new SystemClock(),
): Promise<unknown> {
  const decoder = new KafkajsDecoder(raw);
  const clientSideThrottleTime = decoder.readInt32();
  const errorCode = decoder.readInt16();
  const sessionId = decoder.readInt32();
  const undecoded: Undecoded[] = [];
  const responses = decoder.readArray(() => {
    const topicName = decoder.readString();
    return { topicName, partitions: decoder.readArray(() => partitionOf(decoder, topicName, undecoded)) };
  });
  turn += 1;
  const first = undecoded.length === 0 ? 0 : turn % undecoded.length;
  await decodeWithin([...undecoded.slice(first), ...undecoded.slice(0, first)], clock);
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

/** The record set of a partition, and where its records go. */
interface Undecoded {
  readonly set: Buffer;
  readonly place: BatchPlace;
  readonly messages: FetchedRecord[];
}

/** JavaScript reads the members in the order in which they are written here. */
function partitionOf(decoder: Decoder, topic: string, undecoded: Undecoded[]) {
  const messages: FetchedRecord[] = [];
  const found = {
    partition: decoder.readInt32(),
    errorCode: decoder.readInt16(),
    highWatermark: String(decoder.readInt64()),
    lastStableOffset: String(decoder.readInt64()),
    lastStartOffset: String(decoder.readInt64()),
    abortedTransactions: decoder.readArray(() => ({
      producerId: String(decoder.readInt64()),
      firstOffset: String(decoder.readInt64()),
    })),
    preferredReadReplica: decoder.readInt32(),
    messages,
  };
  const set = decoder.readBytes() ?? Buffer.alloc(0);
  undecoded.push({ set, place: { topic, partition: found.partition }, messages });
  return found;
}

/** Real milliseconds. Meanwhile no heartbeat is sent, and the group gives up a silent member after ten seconds. */
const MAX_DECODING_MS = 1_000;
/** To decode so many bytes takes milliseconds. Then other work of the process gets a turn. */
const YIELD_BYTES = 256 * 1024;

/**
 * Decodes at least one batch, and then as many as memory and time allow. An answer of 10 MB may unpack to hundreds of times as
 * much, and a batch of a few bytes may take half a second. The rest is fetched again, from the offset after the last record that
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
      if (decoded.unpackedBytes > YIELD_BYTES) await letOthersRun();
    }
  }
}
