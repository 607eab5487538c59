// Reads push-interface.md §7 as a client: the error in a body, and its name where it is one of the interface's. Pure. A code
// that comes as a number counts like one that comes as a string.
import { PUSH_ERRORS, type PushErrorName } from './errors.js';

export interface GatewayError {
  /** Undefined: the body has the gateway's form, but push-interface.md §7 does not list its status and code. */
  readonly name: PushErrorName | undefined;
  readonly errorCode: string;
  readonly message: string;
}

const ERRORS = Object.entries(PUSH_ERRORS) as [PushErrorName, (typeof PUSH_ERRORS)[PushErrorName]][];

/** Undefined: the body is not in the gateway's form; a proxy may have answered. */
export function readGatewayError(status: number, body: string): GatewayError | undefined {
  const error = memberOf(jsonOf(body), 'error');
  const [code, message] = [memberOf(error, 'errorCode'), memberOf(error, 'message')];
  if ((typeof code !== 'string' && typeof code !== 'number') || typeof message !== 'string') return undefined;
  const errorCode = String(code);
  const [name] =
    ERRORS.find(([, listed]) => listed.status === status && listed.errorCode === errorCode) ?? [];
  return { name, errorCode, message };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

let last: { readonly body: string; readonly value: unknown } = { body: '', value: undefined };

/**
 * Undefined where it is no JSON. Do not change the value: the last one is kept, for one answer is read in turn for its project,
 * its error and its send.
 */
export function jsonOf(body: string): unknown {
  if (body !== last.body) last = { body, value: parsed(body) };
  return last.value;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
