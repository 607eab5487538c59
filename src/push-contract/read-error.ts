// push-interface.md §7 as a client reads it: the error in a body, and its name where it is one of the interface's. Pure; a code that comes
// as a number counts like one that comes as a text.
import { PUSH_ERRORS, type PushErrorName } from './errors.js';

export interface GatewayError {
  /** Undefined: the gateway's form with a pair of status and code that push-interface.md §7 does not list. */
  readonly name: PushErrorName | undefined;
  readonly errorCode: string;
  readonly message: string;
}

const NAMES = Object.keys(PUSH_ERRORS) as PushErrorName[];

/** Undefined: the body is not in the gateway's form; somebody between may have answered. */
export function readGatewayError(status: number, body: string): GatewayError | undefined {
  const error = memberOf(jsonOf(body), 'error');
  const [code, message] = [memberOf(error, 'errorCode'), memberOf(error, 'message')];
  if ((typeof code !== 'string' && typeof code !== 'number') || typeof message !== 'string') return undefined;
  const errorCode = String(code);
  const name = NAMES.find(
    (one) => PUSH_ERRORS[one].status === status && PUSH_ERRORS[one].errorCode === errorCode,
  );
  return { name, errorCode, message };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

let last: { readonly body: string; readonly value: unknown } = { body: '', value: undefined };

/** Undefined where it is no JSON. Not to be changed: one answer is read for its project, its error and its send in turn. */
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
