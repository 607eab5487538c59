// A refusal of the interface (push-interface.md §7). Anything below the gateway may throw it, and push-error.filter.ts writes it.
// Its detail is for the caller: never a secret, a stack or a query.
import type { PushErrorName } from '../../push-contract/errors.js';

export interface PushErrorExtras {
  /** Sent as Retry-After, whole seconds; at least 1. */
  readonly retryAfterSeconds?: number;
  /** The request lacks a required member: XML callers get the responseError form. */
  readonly missingField?: boolean;
}

export class PushError extends Error {
  constructor(
    readonly kind: PushErrorName,
    /** Names the field and the rule. Without it the answer has the gateway's own message. */
    readonly detail?: string,
    readonly extras: PushErrorExtras = {},
  ) {
    super(detail ?? kind);
  }
}

/** push-interface.md §7 400/100 with the field and the rule. */
export function badRequest(detail: string, extras?: PushErrorExtras): PushError {
  return new PushError('badRequest', detail, extras);
}

/** Returns the value. Throws push-interface.md §7 404/300 with the detail where it is undefined. */
export function requireFound<Value>(value: Value | undefined, detail: string): Value {
  if (value === undefined) throw notFound(detail);
  return value;
}

/** push-interface.md §7 404/300 with what was not found. */
export function notFound(detail?: string): PushError {
  return new PushError('notFound', detail);
}
