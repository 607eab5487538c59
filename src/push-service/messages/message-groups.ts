// Groups the messages that POST takes, and the results that GET reads, into shared statements. Otherwise each of two requests a
// millisecond apart would need its own round trip and its own commit. Answers no request: see accept-message.ts.
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { databaseWithin } from '../../platform/database/time-limited-database.js';
import { GroupedStatement } from '../../platform/database/grouped-statement.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { retryingRaces } from '../gateway/retry-races.js';
import type { AcceptContext } from './accept-message.js';
import {
  findResults,
  insertMessages,
  type MessageKey,
  type NewMessage,
  type ResultRow,
} from './message.store.js';

/** The most characters of one statement's requests. For each message ROW_CHARACTERS are added for the rest of its row. */
const GROUP_CHARACTERS = 1_048_576;
const ROW_CHARACTERS = 1_024;

/** The most characters of all waiting messages. Requests beyond that are refused (503). */
const WAITING_CHARACTERS = 64 * 1_048_576;

/**
 * The most results of one statement, each with its whole request, which may be as long as a body; and how many results may wait.
 */
const GROUP_RESULTS = 16;
const WAITING_RESULTS = 10_000;

/** The longest time that a statement may take, real milliseconds. */
const RESULT_WITHIN_MS = 30_000;

/** How many statements of each kind run at once: the database works on one while this process works on the next. */
const WORKERS = 2;

export class MessageGroups {
  readonly #taking: GroupedStatement<NewMessage, boolean>;
  readonly #asking: GroupedStatement<MessageKey, ResultRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rules: ZoneRules,
    /** Real milliseconds that a POST may take: PUSH_ACCEPT_TIMEOUT_MS. */
    private readonly timeoutMs: number,
  ) {
    this.#taking = new GroupedStatement({
      run: (messages) => {
        // The message that came last may wait for so long. The others give up earlier by themselves.
        const sql = databaseWithin(database, clock, timeoutMs);
        return retryingRaces(() => insertMessages(sql, messages));
      },
      workers: WORKERS,
      weightOf: ({ request }) => request.length + ROW_CHARACTERS,
      groupWeight: GROUP_CHARACTERS,
      waitingWeight: WAITING_CHARACTERS,
    });
    this.#asking = new GroupedStatement({
      run: (keys) => findResults(database, keys),
      workers: WORKERS,
      groupWeight: GROUP_RESULTS,
      waitingWeight: WAITING_RESULTS,
    });
  }

  /** What acceptMessage() needs for one POST. The time of that POST begins with this call. */
  accepting(): AcceptContext {
    const { database, clock, rules, timeoutMs } = this;
    const end = clock.elapsed() + timeoutMs;
    return {
      sql: databaseWithin(database, clock, timeoutMs),
      clock,
      rules,
      take: (message) => this.take(message, Math.max(1, Math.ceil(end - clock.elapsed()))),
    };
  }

  /** As insertMessages() for one message, within `withinMs`, real milliseconds. */
  take(message: NewMessage, withinMs: number): Promise<boolean> {
    return this.#taking.ask(message, withinMs);
  }

  /** Undefined when the service has no such message. */
  find(key: MessageKey): Promise<ResultRow | undefined> {
    return this.#asking.ask(key, RESULT_WITHIN_MS);
  }
}
