// Where reports are read: from a pool of their own or from a replica, so few at a time that they do not take the processors from
// sends that are due. A report beyond these waits for a turn, and is refused (503) if none comes in time.
import { isDatabaseAway } from '../../platform/database/database-away.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { replicaLag } from '../../platform/database/replica-lag.js';
import { errorCode, messageOf } from '../../platform/logging/error-code.js';
import type { Finding } from '../../platform/http/health.js';
import { Problem } from '../../platform/http/problem.js';
import { restMs, Turns, type Rest, type TurnLimits } from '../../platform/limited-turns.js';
import { LATE, within } from '../../platform/with-timeout.js';

/** A replica that is further behind is a finding, milliseconds. */
const FAR_BEHIND_MS = 60_000;
/** How long the look at the replica may wait: both of its connections may be busy with reports. */
const LOOK_MS = 1_000;
/** SQLSTATE with which a replica cancels a query whose rows its primary has removed. */
const ENDED_BY_REPLAY = '40001';

const TURNS: TurnLimits = { most: 2, waiting: 50, waitMs: 10_000 };
/** Between the statements of a report, in a process that also dispatches (measured by bench/load). */
const REST = { times: 3, mostMs: 5_000 };

export interface ReportOptions {
  readonly turns?: TurnLimits;
  /** Whether it is that of DATABASE_REPORT_URL, and not the one that the rest of the process uses. */
  readonly isReplica?: boolean;
  /** The clock by which a report rests between its statements; given where the process also dispatches. */
  readonly restBy?: Rest['clock'] | undefined;
}

interface Shared {
  readonly asked: Promise<unknown>;
  hasBegun: boolean;
  /** For those who ask once it has begun. */
  next?: Promise<unknown>;
}

export class ReportDatabase implements Database {
  readonly #turns: Turns;
  readonly #isReplica: boolean;
  readonly #read: Database;
  /** Reads that run or wait for their turn, by what is asked for. */
  readonly #shared = new Map<string, Shared>();

  constructor(
    private readonly database: Database,
    { turns = TURNS, isReplica = false, restBy }: ReportOptions = {},
  ) {
    const { most, waitMs } = turns;
    this.#isReplica = isReplica;
    const rest = restBy === undefined ? undefined : { ...REST, clock: restBy };
    this.#read = rest === undefined ? database : restingDatabase(database, rest);
    const text = `${most} reports run and others wait: ask again later`;
    const retryAfterSeconds = Math.ceil(waitMs / 1_000);
    this.#turns = new Turns(
      { ...turns, rest },
      () => new Problem(503, 'REPORTS_BUSY', text, { retryAfterSeconds }),
    );
  }

  /** What is wrong with the replica. */
  async finding(): Promise<Finding> {
    const behindMs = await within(replicaLag(this.database).catch(messageOf), LOOK_MS);
    if (behindMs === LATE) return undefined;
    if (typeof behindMs === 'string')
      return `the database of DATABASE_REPORT_URL does not answer (${behindMs})`;
    if (behindMs < FAR_BEHIND_MS) return undefined;
    return `the database of DATABASE_REPORT_URL is ${Math.round(behindMs / 1_000)} s behind`;
  }

  /** Reports that wait for a turn, for the metrics. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  readonly query: Sql['query'] = (text, parameters) => this.#inTurn(() => this.#read.query(text, parameters));

  transaction<Result>(work: (sql: Sql) => Promise<Result>, begin?: string): Promise<Result> {
    return this.#inTurn(() => this.#read.transaction(work, begin));
  }

  /**
   * The result of `read`, shared by those who ask for the same `key`: one read at a time. Who asks before it has begun gets its
   * result, later ones that of the next read; so every answer is of a moment after it was asked for.
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

/**
 * Its transactions rest between their statements, for a time that depends on how long the last statement took, so that others
 * have the processors. A single statement is not held up.
 */
function restingDatabase(database: Database, rest: Rest): Database {
  return {
    query: (text, parameters) => database.query(text, parameters),
    transaction: (work, begin) => database.transaction((sql) => work(resting(sql, rest)), begin),
  };
}

function resting(sql: Sql, rest: Rest): Sql {
  let tookMs = 0;
  return {
    query: async <Row>(text: string, parameters?: readonly unknown[]): Promise<Row[]> => {
      const ms = restMs(tookMs, rest);
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      const began = rest.clock.elapsed();
      try {
        return await sql.query<Row>(text, parameters);
      } finally {
        tookMs = rest.clock.elapsed() - began;
      }
    },
  };
}
