// Checks whether the clock of this machine agrees with the database's: leases, heartbeats and signatures of several machines are
// compared. Where the two differ, the clocks of other machines show which is wrong. Never uses the Clock port, because the
// sandbox sets that clock on purpose.
import { machineName, machineNow } from '../clock.js';
import type { Finding } from '../http/health.js';
import type { Log } from '../logging/log.js';
import { compareClocks, MAY_BE_APART, type ClockVerdict, type OtherClock } from './compare-clocks.js';
import type { Sql } from './database.js';

export interface ClockCheckDeps {
  readonly sql: Sql;
  readonly log: Log;
  /** Called when the clock is right and was wrong or unknown before. */
  readonly right?: () => void;
  /** What this process does not do while the clock is wrong, as in "nothing is … from here" [sent]. */
  readonly stops?: string;
  /** The machine's clock, milliseconds since 1970. A test gives a wrong one. */
  readonly wall?: (() => number) | undefined;
  /** The clocks of other machines [none]. Read only while this one differs. */
  readonly others?: () => Promise<readonly OtherClock[]>;
  /** The machine of this clock [this machine]. A test gives another. */
  readonly machine?: string | undefined;
}

export class ClockCheck {
  readonly machine: string;
  #isRight = false;
  #aheadMs: number | undefined;
  #finding: Finding;
  #note: Finding;

  constructor(private readonly deps: ClockCheckDeps) {
    this.machine = deps.machine ?? machineName();
  }

  /** The last result; false before the first one. */
  get isRight(): boolean {
    return this.#isRight;
  }

  /** How far the machine's clock was ahead of the database's, milliseconds; undefined before the first check. */
  get aheadMs(): number | undefined {
    return this.#aheadMs;
  }

  /** Checks now. For what cannot be undone: returns false also where the database's clock is wrong. */
  async findsRight(): Promise<boolean> {
    await this.runOnce();
    return this.#isRight && this.#note === undefined;
  }

  /** What is wrong, and what to do. */
  finding(): Finding {
    return this.#finding;
  }

  /** Says that the database's clock is wrong and this machine's is right. */
  note(): Finding {
    return this.#note;
  }

  /** Returns 0. */
  async runOnce(): Promise<number> {
    const { log, right } = this.deps;
    const [wasRight, before] = [this.#isRight, this.#finding ?? this.#note];
    const aheadMs = await this.#measure();
    this.#aheadMs = aheadMs;
    this.#judge(aheadMs, await this.#compare(aheadMs));
    const now = this.#finding ?? this.#note;
    if (now !== undefined && before === undefined) log.error(now);
    if (now === undefined && before !== undefined)
      log.info('the clocks of the machine and the database agree again');
    if (this.#isRight && !wasRight) right?.();
    return 0;
  }

  async #compare(aheadMs: number): Promise<ClockVerdict> {
    const { others } = this.deps;
    const differs = Math.abs(aheadMs) > MAY_BE_APART;
    const known = differs && others !== undefined ? await others() : [];
    return compareClocks({ machine: this.machine, aheadMs }, known);
  }

  #judge(aheadMs: number, verdict: ClockVerdict): void {
    this.#isRight = verdict.kind === 'right' || verdict.kind === 'database-wrong';
    this.#finding = this.#isRight ? undefined : wordsFor(aheadMs, this.deps.stops ?? 'sent', verdict);
    this.#note = verdict.kind === 'database-wrong' ? wordsForDatabase(aheadMs, verdict.agree) : undefined;
  }

  /** The database's time must lie between question and answer. By how far it lies outside, the clocks differ. */
  async #measure(): Promise<number> {
    const { sql, wall = machineNow } = this.deps;
    const asked = wall();
    const [row] = await sql.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    );
    const [database, answered] = [row?.ms ?? asked, wall()];
    return database < asked ? asked - database : Math.min(0, answered - database);
  }
}

function wordsFor(aheadMs: number, stops: string, { kind }: ClockVerdict): string {
  const what =
    kind === 'machine-wrong'
      ? 'this machine’s is set right: other machines agree with the database'
      : 'both are set right';
  return `this machine's clock is ${differenceOf(aheadMs)} the database's: nothing is ${stops} from here until ${what} (NTP)`;
}

function wordsForDatabase(aheadMs: number, agree: number): string {
  return `the database's clock is ${differenceOf(-aheadMs)} this machine's, with which ${agree} other machine${agree === 1 ? ' agrees' : 's agree'}: set the database's right (NTP)`;
}

function differenceOf(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  return `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
