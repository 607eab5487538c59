// The code that Node, PostgreSQL and the frameworks put on their errors. Pure.

/** `ECONNREFUSED`, `23505`, `FST_ERR_BAD_URL`; empty where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
