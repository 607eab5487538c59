// The resource that the database lacks (class 53 of PostgreSQL's Appendix A, "Insufficient Resources"), with a text that says
// what to do: for answers, health and the log. The statement that met the shortage changed nothing. Pure.
import { errorCode } from '../logging/error-code.js';

export interface Shortage {
  /** Stable, because answers have it. */
  readonly code: string;
  readonly text: string;
}

const SHORTAGES: Readonly<Record<string, Shortage>> = {
  53100: {
    code: 'DATABASE_FULL',
    text: 'the disk of the database is full: free space on it or enlarge it',
  },
  53200: {
    code: 'DATABASE_OUT_OF_MEMORY',
    text: 'the database is out of memory: give its machine more, or lower work_mem or the connections to it',
  },
  53300: {
    code: 'DATABASE_CONNECTIONS_EXHAUSTED',
    text: 'the database takes no more connections: raise max_connections, or lower the pools of those who use it',
  },
  53400: {
    code: 'DATABASE_LIMIT_REACHED',
    text: 'the database has reached a limit of its configuration (its log names it): raise it',
  },
};
const OTHER: Shortage = {
  code: 'DATABASE_SHORT_OF_RESOURCES',
  text: 'the database is short of a resource: its log says which',
};

/** Undefined: the error is no shortage. */
export function shortageOf(error: unknown): Shortage | undefined {
  const code = errorCode(error);
  if (code.length === 5 && code.startsWith('53')) return SHORTAGES[code] ?? OTHER;
  return error instanceof Error && error.cause !== undefined ? shortageOf(error.cause) : undefined;
}
