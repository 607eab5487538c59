// What every contestant of the bench is given on its command line, and the one project all of them send as.

export interface ContestantSettings {
  readonly pushUrl: string;
  /** Each contestant has a database of its own; the bare loop has none. */
  readonly databaseUrl: string;
  /** Calls before the clock runs, so that every contestant is measured with its code compiled. */
  readonly warmUp: number;
  readonly count: number;
  readonly inFlight: number;
  /** `life`: a send, then its result, counted as one. */
  readonly kind: 'send' | 'result' | 'life';
  /** Only for job queues: whether a job records the result of its call. */
  readonly records: boolean;
}

export const SERVICE = 'bench';
export const ACCESS_KEY = 'bench-access-key';
export const SECRET_KEY = 'bench-secret-key';
