// Where reports are read: from a pool of their own or a replica, so few at a time that they cannot take the processors from
// what is due. Whoever comes then waits for a turn, and is told where none comes.
import { isDatabaseAway } from '../../platform/database/database-away.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { replicaLag } from '../../platform/database/replica-lag.js';
import { errorCode, messageOf } from '../../platform/error-code.js';
import type { Finding } from '../../platform/http/health.js';
import { Problem } from '../../platform/http/problem.js';
import { Turns, type Rest, type TurnLimits } from '../../platform/turns.js';
import { RestingDatabase } from './resting-database.js';
import { LATE, within } from '../../platform/within.js';

/** Reports of a replica that is further behind are told of, milliseconds. */
const FAR_BEHIND_MS = 60_000;
/** Both its connections may be at a report meanwhile. */
const LOOK_MS = 1_000;
/** A replica ends what reads rows that its primary has removed. */
const ENDED_BY_REPLAY = '40001';

const TURNS: TurnLimits = { most: 2, waiting: 50, waitMs: 10_000 };
/** Between the statements of a report, in a process that has due work as well: bench/load. */
const REST = { times: 3, mostMs: 5_000 };

export interface ReportOptions {
  readonly turns?: TurnLimits;
  /** Of DATABASE_REPORT_URL: other than the one that everything else of the process asks. */
  readonly isReplica?: boolean;
  /** Where this process has due work as well: by it, a report rests between its statements. */
  readonly restBy?: Rest['clock'] | undefined;
}

interface Shared {
  readonly asked: Promise<unknown>;
  hasBegun: boolean;
  /** For whoever asked since it has. */
  next?: Promise<unknown>;
}

export class ReportDatabase implements Database {
  readonly #turns: Turns;
  readonly #isReplica: boolean;
  readonly #read: Database;
  /** What is read or waits for its turn, by what is asked for. */
  readonly #shared = new Map<string, Shared>();

  constructor(
    private readonly database: Database,
    { turns = TURNS, isReplica = false, restBy }: ReportOptions = {},
  ) {
    const { most, waitMs } = turns;
    this.#isReplica = isReplica;
    const rest = restBy === undefined ? undefined : { ...REST, clock: restBy };
    this.#read = rest === undefined ? database : new RestingDatabase(database, rest);
    const text = `${most} reports run and others wait: ask again later`;
    const retryAfterSeconds = Math.ceil(waitMs / 1_000);
    this.#turns = new Turns(
      { ...turns, rest },
      () => new Problem(503, 'REPORTS_BUSY', text, { retryAfterSeconds }),
    );
  }

  /** What is wrong with the replica, where reports are read from one. */
  async finding(): Promise<Finding> {
    const behindMs = await within(replicaLag(this.database).catch(messageOf), LOOK_MS);
    if (behindMs === LATE) return undefined;
    if (typeof behindMs === 'string')
      return `the database of DATABASE_REPORT_URL does not answer (${behindMs})`;
    if (behindMs < FAR_BEHIND_MS) return undefined;
    return `the database of DATABASE_REPORT_URL is ${Math.round(behindMs / 1_000)} s behind`;
  }

  /** How many wait, for the metrics. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  readonly query: Sql['query'] = (text, parameters) => this.#inTurn(() => this.#read.query(text, parameters));

  transaction<Result>(work: (sql: Sql) => Promise<Result>, begin?: string): Promise<Result> {
    return this.#inTurn(() => this.#read.transaction(work, begin));
  }

  /**
   * What `read` comes to. One of those who ask for the same, told by `key`, is read at a time: whoever asks before it has
   * begun is answered by it, the others by the next. So an answer is of a moment after it was asked for.
   */
  shared<Result>(key: string, read: (database: Database) => Promise<Result>): Promise<Result> {
    const found = this.#shared.get(key);
    if (found?.hasBegun === false) return found.asked as Promise<Result>;
    if (found !== undefined) {
      const again = (): Promise<Result> => this.shared(key, read);
      return (found.next ??= found.asked.then(again, again)) as Promise<Result>;
    }
    const reading = { hasBegun: false };
    const asked = this.#inTurn(() => {
      reading.hasBegun = true;
      return read(this.#read);
    }).finally(() => this.#shared.delete(key));
    this.#shared.set(key, Object.assign(reading, { asked }));
    return asked;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.#isReplica) return this.#turns.take(work);
    return this.#turns.take(() =>
      work().catch((error: unknown) => {
        throw problemOf(error) ?? error;
      }),
    );
  }
}

function problemOf(error: unknown): Problem | undefined {
  if (isDatabaseAway(error)) {
    const text = 'the database that reports are read from does not answer: ask again';
    return new Problem(503, 'REPORTS_AWAY', text, { retryAfterSeconds: 5 });
  }
  if (errorCode(error) !== ENDED_BY_REPLAY) return undefined;
  const text = 'the replica ended the reading, for what it read was removed meanwhile: ask again';
  return new Problem(503, 'TOO_SLOW', text, { retryAfterSeconds: 5 });
}
