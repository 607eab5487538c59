// What is published of campaigns, their occurrences and their sends: the events that wait to be published, as they will be.
import { z } from 'zod';
import type { Sql } from '../../../src/platform/database/database.js';
import type { KafkaMessage } from '../../../src/platform/kafka/kafka.js';
import {
  CampaignOutcome,
  OccurrenceOutcome,
  outcomeEvent,
  SendOutcome,
} from '../../../src/scheduler/outcomes/publish/outcome-event.js';
import { SHARDS } from '../../../src/scheduler/store/hold-shards.js';
import { readOutcomes } from '../../../src/scheduler/outcomes/publish/outcome.store.js';

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

/** The published schemas, strict: every member that they name, and no other. */
const CONTRACT = z.union([
  CampaignOutcome.strict().extend({ data: CampaignOutcome.shape.data.strict() }),
  OccurrenceOutcome.strict().extend({ data: OccurrenceOutcome.shape.data.strict() }),
  SendOutcome.strict().extend({ data: SendOutcome.shape.data.strict() }),
]);

/** Throws where the event is none that the contract names. */
export function readOutcome(value: string | Buffer): OutcomeEvent {
  return CONTRACT.parse(JSON.parse(value.toString('utf8')));
}

export async function outcomeEventsOf(sql: Sql, campaign: string): Promise<OutcomeEvent[]> {
  const messages = await outcomeMessages(sql);
  const events = messages.map(({ value }) => readOutcome(value));
  return events.filter(({ data }) => data['ourId'] === campaign);
}
