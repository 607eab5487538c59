// Reads the error in a body as a client (push-interface.md §7), and its name where the interface has one. A code that is a number
// counts like a code that is a string. Pure.
import { PUSH_ERRORS, type PushErrorName } from './errors.js';

export interface GatewayError {
  /** Undefined: the body has the gateway's form, but push-interface.md §7 does not list its status and code. */
  readonly name: PushErrorName | undefined;
  readonly errorCode: string;
  readonly message: string;
}

const ERRORS = Object.entries(PUSH_ERRORS) as [PushErrorName, (typeof PUSH_ERRORS)[PushErrorName]][];

/** Undefined: the body does not have the gateway's form. A proxy may have answered. */
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
 * Undefined where the body is not JSON. Do not change the value: the last one is kept, because one answer is read several times,
 * for its project, its error and its send.
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
