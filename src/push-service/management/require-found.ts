// The refusal of management for what does not exist.
import { notFound } from '../../platform/http/problem.js';

/** Returns the value. Throws 404 where it is undefined; `what` names it. */
export function requireFound<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw notFound(what);
  return value;
}
