// Whose batch it is when the group is joined anew while it waits for its turn. What needs a broker is tried in
// test/integration/platform/kafkajs-conformance.spec.ts.
import type { EachBatchPayload } from 'kafkajs';
import { expect, it } from 'vitest';
import { BatchesInHand } from './kafkajs-batches.js';
import type { FetchedRecord } from './record-batch.js';

/** A batch of partition 0; `committed` takes the offsets that are committed for it. */
function payload(committed: string[]): EachBatchPayload {
  return {
    batch: { topic: 'topic', partition: 0, messages: [] },
    isRunning: () => true,
    isStale: () => false,
    heartbeat: () => Promise.resolve(),
    pause: () => () => undefined,
    resolveOffset: () => undefined,
    commitOffsetsIfNecessary: async (offsets: { topics: { partitions: { offset: string }[] }[] }) => {
      committed.push(...offsets.topics.flatMap(({ partitions }) => partitions.map(({ offset }) => offset)));
    },
  } as unknown as EachBatchPayload;
}

it('commits nothing of a batch that waited for an earlier one while the group was joined anew', async () => {
  let endFirst: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (endFirst = resolve));
  let handled = 0;
  const committed: string[] = [];
  const batches = new BatchesInHand(async (batch) => {
    handled += 1;
    if (handled === 1) await first;
    await batch.done({ offset: '7' } as FetchedRecord);
  });
  const earlier = batches.take(payload(committed));
  await expect.poll(() => handled).toBe(1);
  const waiting = batches.take(payload(committed));
  batches.disown();
  endFirst();
  await Promise.all([earlier, waiting]);
  expect([handled, committed]).toEqual([1, []]);
});
