// What every measure of this bench is given.
import type { RunningPostgres } from '../../tools/postgres.js';

export interface Bench {
  /** The root of the repository. */
  readonly root: string;
  readonly postgres: RunningPostgres;
  readonly pushUrl: string;
  readonly rounds: number;
  /** Future rows for lateness, fewest first; the last is that of the idle cost. */
  readonly futureRows: readonly number[];
  /** Progress, to standard error. */
  readonly say: (words: string) => void;
}
