// A program: reads the outcomes of the campaigns whose ids begin with a prefix until all of them are completed, then
// prints what it read. Prints "reading" once it does.
import { Kafka, logLevel } from 'kafkajs';
import { v7 } from 'uuid';

export interface ReaderSettings {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly prefix: string;
  readonly campaigns: number;
}

/** The outcomes of one type: how many, and the first and the last instant they are about, milliseconds since 1970. */
export interface OfType {
  count: number;
  first: number;
  last: number;
}

export interface Read {
  readonly byType: Readonly<Record<string, OfType>>;
  /** When the last one came, epoch milliseconds. */
  readonly lastAt: number;
  /** The longest time between two of them that came one after the other. */
  readonly longestGapMs: number;
}

const settings = JSON.parse(process.argv[2] ?? '') as ReaderSettings;
const byType: Record<string, OfType> = {};
let completed = 0;
let lastAt = 0;
let longestGapMs = 0;

const consumer = new Kafka({
  brokers: [...settings.brokers],
  clientId: 'bench',
  logLevel: logLevel.NOTHING,
}).consumer({ groupId: `bench-${v7()}`, maxWaitTimeInMs: 100 });
await consumer.connect();
await consumer.subscribe({ topic: settings.topic, fromBeginning: true });
await consumer.run({
  autoCommit: false,
  eachBatch: ({ batch }) => {
    for (const { value } of batch.messages) if (value !== null) read(value.toString());
    return Promise.resolve();
  },
});
process.stdout.write('reading\n');
process.stdin.resume().once('end', () => process.exit(0));

function read(text: string): void {
  const event = JSON.parse(text) as { subject: string; type: string; time: string };
  if (!event.subject.startsWith(`${settings.prefix}-`)) return;
  const now = Date.now();
  if (lastAt > 0) longestGapMs = Math.max(longestGapMs, now - lastAt);
  lastAt = now;
  const kind = event.type.replace(/^carillon\.outcome\.|\.v1$/g, '');
  const at = Date.parse(event.time);
  const one = (byType[kind] ??= { count: 0, first: at, last: at });
  one.count += 1;
  one.first = Math.min(one.first, at);
  one.last = Math.max(one.last, at);
  if (kind !== 'campaign.completed') return;
  completed += 1;
  if (completed === settings.campaigns)
    process.stdout.write(`${JSON.stringify({ byType, lastAt, longestGapMs } satisfies Read)}\n`);
}
