// Reads reports from a pool of their own or from a replica, so few at a time that they do not take the processors from sends that are
// due. A further report waits for a turn, fairly by service and token, and is refused (503) if none comes in time.
import { isDatabaseAway } from '../../platform/database/database-away.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { replicaLag } from '../../platform/database/replica-lag.js';
import { errorCode, messageOf } from '../../platform/logging/error-code.js';
import type { Finding } from '../../platform/http/health.js';
import { Problem } from '../../platform/http/problem.js';
import type { Owner } from '../../platform/fair-order.js';
import { lackOfTurns } from '../../platform/http/lack-of-turns.js';
import { restMs, Turns, type Rest, type TurnLimits } from '../../platform/limited-turns.js';
import { LATE, within } from '../../platform/with-timeout.js';

/** A replica that is further behind is a finding, milliseconds. */
const FAR_BEHIND_MS = 60_000;
/** How long the check of the replica may wait, milliseconds: both of its connections may be busy with reports. */
const LOOK_MS = 1_000;
/** The SQLSTATE with which a replica cancels a query whose rows its primary has removed. */
const ENDED_BY_REPLAY = '40001';

/** One service never has both turns. */
const TURNS: TurnLimits = { most: 2, mostOfOne: 1, waiting: 50, waitingOfOne: 10, waitMs: 10_000 };
/**
 * The limits of answers that are written while they are read: each keeps a connection and its snapshot until its reader has taken all
 * of it, and takes a turn only for each of its statements.
 */
export const STREAMS = { most: 6, mostOfOne: 2, waiting: 50, waitingOfOne: 10, waitMs: 10_000 } as const;
/** The rest between the statements of a report: `times` as long as the last one took, at most `mostMs` (measured by bench/load). */
const REST = { times: 3, mostMs: 5_000 };

export interface ReportOptions {
  readonly turns?: TurnLimits;
  readonly streams?: TurnLimits;
  /** Whether it is the database of DATABASE_REPORT_URL, and not the one that the rest of the process uses. */
  readonly isReplica?: boolean;
  /** The clock by which a report rests between its statements; undefined where it disturbs no due work. */
  readonly restBy?: Rest['clock'] | undefined;
}

interface Shared {
  readonly asked: Promise<unknown>;
  hasBegun: boolean;
  /** The next read, for those who ask once this one has begun. */
  next?: Promise<unknown>;
}

export class ReportDatabase {
  readonly #turns: Turns;
  readonly #streams: Turns;
  readonly #isReplica: boolean;
  readonly #read: Database;
  /** Reads that run or wait for their turn, by key. */
  readonly #shared = new Map<string, Shared>();

  constructor(
    private readonly database: Database,
    { turns = TURNS, streams = STREAMS, isReplica = false, restBy }: ReportOptions = {},
  ) {
    this.#isReplica = isReplica;
    const rest = restBy === undefined ? undefined : { ...REST, clock: restBy };
    this.#read = rest === undefined ? database : restingDatabase(database, rest);
    this.#turns = new Turns(
      { ...turns, rest },
      lackOfTurns(turns, { code: 'REPORTS_BUSY', what: 'reports' }),
    );
    this.#streams = new Turns(
      streams,
      lackOfTurns(streams, { code: 'REPORTS_BUSY', what: 'reports that are being written' }),
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
    return this.#turns.waiting + this.#streams.waiting;
  }

  /** The database for answers that are read as a whole before they are written: each query or transaction takes a turn. */
  for(owner: Owner): Database {
    return {
      query: (text, parameters) => this.#inTurn(owner, () => this.#read.query(text, parameters)),
      transaction: (work, begin) => this.#inTurn(owner, () => this.#read.transaction(work, begin)),
    };
  }

  /**
   * The database for answers that are written while they are read: each statement takes a turn, and not the whole answer, so that a slow
   * reader holds none. Every statement after the first waits for its turn as long as it takes.
   */
  streamingFor(owner: Owner): Pick<Database, 'transaction'> {
    return {
      transaction: (work, begin) =>
        this.#streams.take(owner, () =>
          this.#judged(() =>
            this.database.transaction((sql) => {
              let hasBegun = false;
              return work({
                query: (text, parameters) => {
                  const isPatient = hasBegun;
                  hasBegun = true;
                  return this.#turns.take(owner, () => sql.query(text, parameters), isPatient);
                },
              });
            }, begin),
          ),
        ),
    };
  }

  /**
   * The result of `read`, shared by those who ask for the same `key`: one read at a time. A caller who asks before a read has begun gets
   * its result, a later one that of the next read; so every answer is of a moment after it was asked for.
   */
  shared<Result>(owner: Owner, key: string, read: (database: Database) => Promise<Result>): Promise<Result> {
    const found = this.#shared.get(key);
    if (found?.hasBegun === false) return found.asked as Promise<Result>;
    if (found !== undefined) {
      const again = (): Promise<Result> => this.shared(owner, key, read);
      return (found.next ??= found.asked.then(again, again)) as Promise<Result>;
    }
    const reading = { hasBegun: false };
    const asked = this.#inTurn(owner, () => {
      reading.hasBegun = true;
      return read(this.#read);
    }).finally(() => this.#shared.delete(key));
    this.#shared.set(key, Object.assign(reading, { asked }));
    return asked;
  }

  #inTurn<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(owner, () => this.#judged(work));
  }

  async #judged<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.#isReplica) return work();
    return work().catch((error: unknown) => {
      throw problemOf(error) ?? error;
    });
  }
}

function problemOf(error: unknown): Problem | undefined {
  if (isDatabaseAway(error)) {
    const text = 'the database that reports are read from does not answer: ask again';
    return new Problem(503, 'REPORTS_AWAY', text, { retryAfterSeconds: 5 });
  }
  if (errorCode(error) !== ENDED_BY_REPLAY) return undefined;
  const text =
    'the replica cancelled the query, because rows that it reads were removed meanwhile: ask again';
  return new Problem(503, 'TOO_SLOW', text, { retryAfterSeconds: 5 });
}

/**
 * A database whose transactions rest between their statements, for a time that depends on how long the last statement took, so that
 * others have the processors. A single statement does not wait.
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
