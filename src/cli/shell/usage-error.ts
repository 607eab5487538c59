/** The environment variable that a secret is read from when standard input cannot be used. */
export const SECRET_VARIABLE = 'CARILLON_SECRET_KEY';

/** A call whose options are known, but whose values cannot be used: exit code 2. */
export class UsageError extends Error {
  readonly code = 'CLI_USAGE';
}
