// Groups what POST messages takes and GET messages reads into shared statements: alone, each of two requests a millisecond apart
// would pay for its own round trip and its own commit. Answers no request: see accept-message.ts.
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

/** The messages of one statement: so many characters of requests, each with an allowance for the rest of its row. */
const GROUP_CHARACTERS = 1_048_576;
const ROW_CHARACTERS = 1_024;

/** The most characters of all waiting messages: beyond it requests are refused (503). */
const WAITING_CHARACTERS = 64 * 1_048_576;

/** Results of one statement, each with its whole request, which may be as long as a body; and how many may wait for one. */
const GROUP_RESULTS = 16;
const WAITING_RESULTS = 10_000;

/** As long as the longest statement may take. */
const RESULT_WITHIN_MS = 30_000;

/** Statements of each kind at once: the database works on one while this process works on the next. */
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
        // The message that came last may wait for so long; the others give up earlier by themselves.
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

  /** What one POST is accepted with; its time begins with this call. */
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

  /** See insertMessages(); within so many real milliseconds. */
  take(message: NewMessage, withinMs: number): Promise<boolean> {
    return this.#taking.ask(message, withinMs);
  }

  /** Undefined when the service has no such message. */
  find(key: MessageKey): Promise<ResultRow | undefined> {
    return this.#asking.ask(key, RESULT_WITHIN_MS);
  }
}
