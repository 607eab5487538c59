// Ends parked commands whose campaign did not come within an hour, or came and did not take them: each becomes a rejection like
// any other, with its dead letters. Housekeeping runs it; safe in any number of processes at once.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { shown } from '../decide/quote-value.js';
import { intakeProjects } from './inbox.store.js';
import type { ArrivedEvent } from './judge-batch.js';
import { endParked, type EndedCommand } from './parked-command.store.js';
import { EVENT_TYPES } from './parse/campaign-event.js';
import type { EventParser } from './event-parser.js';
import { CHUNK, type RawEvent } from './parse/raw-event.js';
import { reason, type Reason } from './parse/reason.js';
import { writeRejections } from './write-rejections.js';

export class EndParked {
  constructor(
    private readonly deps: {
      readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
      readonly clock: Clock;
      readonly parser: Pick<EventParser, 'event'>;
      /** The topic of rejected events. */
      readonly deadTopic: string;
    },
  ) {}

  /** One page. Returns how many it ended. */
  async runOnce(): Promise<number> {
    const { inTransaction, clock, deadTopic } = this.deps;
    const now = new Date(clock.now());
    return inTransaction(async (sql) => {
      const ended = await endParked(sql, now, CHUNK.count, CHUNK.bytes);
      const rejected: { arrived: ArrivedEvent; reasons: readonly Reason[] }[] = [];
      for (const one of ended)
        rejected.push({ arrived: await this.#arrivedAgain(one), reasons: reasonsOf(one) });
      const services = rejected.flatMap(({ arrived }) => arrived.parsed.seen.serviceId ?? []);
      const projects = await intakeProjects(sql, services);
      await writeRejections(sql, rejected, { now, deadTopic, projects });
      return ended.length;
    });
  }

  /** Parses the stored event again; a large one in a thread. */
  async #arrivedAgain(ended: EndedCommand): Promise<ArrivedEvent> {
    const { event: id, receivedAt, via, headers, body, topic, partition, offset } = ended;
    const hasPlace = topic !== null && partition !== null && offset !== null;
    const raw: RawEvent = { via, headers, body, ...(hasPlace && { record: { topic, partition, offset } }) };
    const parsed = await this.deps.parser.event(raw, receivedAt.getTime());
    return { id, raw, parsed, trace: parsed.trace };
  }
}

function reasonsOf({ reasons, campaignId }: EndedCommand): readonly Reason[] {
  if (reasons !== null) return reasons;
  const text = `the project has no campaign ${shown(campaignId)}: within an hour came no event of type ${EVENT_TYPES.scheduled} with this subject and the same or an earlier time`;
  return [reason('/subject', 'UNKNOWN_CAMPAIGN', text)];
}
