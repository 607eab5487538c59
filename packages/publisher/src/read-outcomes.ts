// Reads what became of campaigns, their occurrences and their sends from the topic of outcomes.
import type { CampaignOutcome, CommandOutcome, OccurrenceOutcome, SendOutcome } from './contract.js';

/** `type` says which of these it is. */
export type Outcome = CampaignOutcome | OccurrenceOutcome | SendOutcome | CommandOutcome;

/** A connected consumer of kafkajs. */
export interface KafkaConsumer {
  subscribe(to: { topics: string[]; fromBeginning: boolean }): Promise<void>;
  run(config: {
    eachMessage(payload: { message: { readonly value: Uint8Array | null } }): Promise<void>;
  }): Promise<void>;
}

export interface ReadOutcomesOptions {
  readonly consumer: KafkaConsumer;
  /** An outcome is done when this resolves; if it throws, the outcome comes again. One that comes twice has the same `id`. */
  readonly handle: (outcome: Outcome) => void | Promise<void>;
  /** [campaign.outcomes] */
  readonly topic?: string;
  /** Where a group begins that has read nothing yet. true: with all that the topic still holds; false: only with what is new [true]. */
  readonly fromBeginning?: boolean;
}

/** Resolves when the consumer runs; its `disconnect()` ends it. Records that are no outcomes are skipped. */
export async function readOutcomes(options: ReadOutcomesOptions): Promise<void> {
  const { consumer, handle, topic = 'campaign.outcomes', fromBeginning = true } = options;
  await consumer.subscribe({ topics: [topic], fromBeginning });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const outcome = outcomeOf(message.value);
      if (outcome !== undefined) await handle(outcome);
    },
  });
}

const TYPE = /^carillon\.outcome\.(campaign|occurrence|send|command)\.[a-z-]+\.v1$/;

/** Reads a record's bytes; undefined where they are no outcome. It accepts states that are newer than this package. */
export function outcomeOf(value: Uint8Array | null): Outcome | undefined {
  if (value === null) return undefined;
  try {
    const event = JSON.parse(Buffer.from(value).toString('utf8')) as Partial<Outcome> | null;
    return typeof event?.type === 'string' && TYPE.test(event.type) ? (event as Outcome) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
