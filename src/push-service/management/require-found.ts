// What management looked for, or its refusal.
import { notFound } from '../../platform/http/problem.js';

/** Throws 404 where there is no such thing. */
export function requireFound<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw notFound(what);
  return value;
}
