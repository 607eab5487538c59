/** Where a secret is read from when standard input is not at hand. */
export const SECRET_VARIABLE = 'CARILLON_SECRET_KEY';

/** A call that cannot be understood, though its options are known: exit code 2. */
export class UsageError extends Error {
  readonly code = 'CLI_USAGE';
}
