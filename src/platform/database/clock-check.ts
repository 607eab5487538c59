// Whether the clock of this machine agrees with the database's: leases, heartbeats and signatures of several machines are compared.
// Never uses the Clock port, which the sandbox sets on purpose.
import { machineNow } from '../clock.js';
import type { Finding } from '../http/health.js';
import type { Log } from '../logging/log.js';
import type { Sql } from './database.js';

/** Milliseconds that the clocks may be apart. */
const MAY_BE_APART = 1_000;

export interface ClockCheckParts {
  readonly sql: Sql;
  readonly log: Log;
  /** Called when the clock is right and was not before, or was not known to be. */
  readonly right?: () => void;
  /** What this process does not do meanwhile, as in "nothing is … from here" [sent]. */
  readonly stops?: string;
  /** Epoch milliseconds of the machine; a test gives a wrong clock. */
  readonly wall?: (() => number) | undefined;
}

export class ClockCheck {
  #isRight = false;
  #finding: Finding;

  constructor(private readonly parts: ClockCheckParts) {}

  /** The last result; false before the first one. */
  get isRight(): boolean {
    return this.#isRight;
  }

  /** Checks now: for what cannot be undone. */
  async findsRight(): Promise<boolean> {
    await this.runOnce();
    return this.#isRight;
  }

  /** What is wrong, and what to do. */
  finding(): Finding {
    return this.#finding;
  }

  /** Returns 0. The database's time must lie between question and answer; the clocks are apart by what lies outside. */
  async runOnce(): Promise<number> {
    const { sql, log, right, stops = 'sent', wall = machineNow } = this.parts;
    const asked = wall();
    const [row] = await sql.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    );
    const [database, answered] = [row?.ms ?? asked, wall()];
    const ahead = database < asked ? asked - database : Math.min(0, answered - database);
    const wasRight = this.#isRight;
    this.#isRight = Math.abs(ahead) <= MAY_BE_APART;
    const before = this.#finding;
    this.#finding = this.#isRight ? undefined : wordsFor(ahead, stops);
    if (this.#finding !== undefined && before === undefined) log.error(this.#finding);
    if (this.#isRight && before !== undefined)
      log.info('the clocks of the machine and the database agree again');
    if (this.#isRight && !wasRight) right?.();
    return 0;
  }
}

function wordsFor(aheadMs: number, stops: string): string {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  const how = aheadMs > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is ${seconds} s ${how} the database's: nothing is ${stops} from here until both are set right (NTP)`;
}
