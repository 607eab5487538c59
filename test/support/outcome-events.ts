// What is told of campaigns, their occurrences and their sends: the events that wait to be published, as they will be.
import type { Sql } from '../../src/platform/database/database.js';
import type { KafkaMessage } from '../../src/platform/kafka/kafka.js';
import { outcomeEvent } from '../../src/scheduler/publish/outcome-event.js';
import { SHARDS } from '../../src/scheduler/store/hold-shards.js';
import { readOutcomes } from '../../src/scheduler/store/send/outcome.store.js';

export interface OutcomeEvent {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly time: string;
  readonly sequence: string;
  readonly datacontenttype: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Oldest first within a campaign, of at most a thousand rows of a shard. */
export async function outcomeMessages(sql: Sql): Promise<KafkaMessage[]> {
  const { outcomes } = await readOutcomes(sql, {
    shards: Array.from({ length: SHARDS }, (_, shard) => shard),
    rowsOfShard: 1_000,
    rows: 16_000,
    bytes: 10 ** 8,
    ranges: 1_000,
  });
  return outcomes.map((outcome) => outcomeEvent(outcome, 'outcomes'));
}

export async function outcomeEventsOf(sql: Sql, campaign: string): Promise<OutcomeEvent[]> {
  const messages = await outcomeMessages(sql);
  const events = messages.map(({ value }) => JSON.parse(value.toString('utf8')) as OutcomeEvent);
  return events.filter(({ data }) => data['ourId'] === campaign);
}
