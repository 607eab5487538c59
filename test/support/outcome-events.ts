// What is told of a campaign, its occurrences and its sends: the events that wait in the outbox, as they are published.
import type { Sql } from '../../src/platform/database.js';
import { outcomeEvent } from '../../src/scheduler/publish/outcome-event.js';
import { nextUnpublished, OUTBOX_SHARDS } from '../../src/scheduler/store/outbox.store.js';

export interface OutcomeEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Oldest first, of at most a thousand rows in all. */
export async function outcomeEventsOf(sql: Sql, campaign: string): Promise<OutcomeEvent[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => shard);
  const rows = await nextUnpublished(sql, shards, { rows: 1_000, bytes: 10 ** 7 });
  return rows.flatMap((row) => {
    if (!('campaign' in row) || row.campaign !== campaign) return [];
    return [JSON.parse(outcomeEvent(row, 'outcomes').value.toString('utf8')) as OutcomeEvent];
  });
}
