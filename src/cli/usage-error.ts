// A call that cannot be understood, though its options are known: exit code 2.
export class UsageError extends Error {
  readonly code = 'CLI_USAGE';
}
