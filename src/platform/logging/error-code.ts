// Reads what was thrown: the Error, its message, and the code that Node, PostgreSQL and the frameworks set. Pure.

/** `ECONNREFUSED`, `23505`, `FST_ERR_BAD_URL`; empty where there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function messageOf(error: unknown): string {
  return asError(error).message;
}
