// Builds the body of POST messages (push-interface.md §2.3) for one send, byte for byte the same in every attempt. Pure; uses no
// clock and no secret.
import type { MessageTarget } from '../../push-contract/messages.js';
import { formatLocal } from '../../zone-rules/civil.js';
import type { Mode } from '../decide/timing/send-mode.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

interface RequestFacts {
  /** requestKey() of the send. */
  readonly key: string;
  /** Chosen at hand-off; planning may have chosen another. */
  readonly mode: Mode;
  readonly dueAt: EpochMs | null;
  readonly scheduleCode: string | null;
  /** The revision's `{messageType, message}`. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly target: MessageTarget;
  /** USER ids of this chunk. */
  readonly recipients: readonly string[] | null;
}

/** push-interface.md §2.3: `yyyy-MM-dd HH:mm`, in UTC, because the instant was decided here by our own zone rules. */
function reserveTimeOf(dueAt: EpochMs): string {
  return formatLocal(dueAt).slice(0, 16).replace('T', ' ');
}

const WHITESPACE = [' ', '\t', '\n', '\r'] as const;
/** Two white-space characters for each hexadecimal digit, by its character code. */
const MARKS = new Map(
  '0123456789abcdef'
    .split('')
    .map((digit, nibble) => [
      digit.charCodeAt(0),
      `${WHITESPACE[nibble >> 2] ?? ' '}${WHITESPACE[nibble & 3] ?? ' '}`,
    ]),
);

/**
 * The key as 64 characters of JSON white space. A gateway treats two POSTs with the same access key, millisecond and body as one
 * request that was repeated. With this mark two sends with the same content never have the same body, whichever replica sends them.
 */
function markOf(key: string): string {
  let mark = '';
  for (let at = 0; at < key.length; at += 1) mark += MARKS.get(key.charCodeAt(at)) ?? '';
  return mark;
}

/** Throws a RangeError for a reserved send without a due instant or a scheduled one without a code: neither is ever planned. */
export function buildRequest(facts: RequestFacts): string {
  const { mode, dueAt, scheduleCode, request, target, recipients } = facts;
  if (mode === 'reserved' && dueAt === null) throw new RangeError('a reserved send has no due instant');
  if (mode === 'scheduled' && scheduleCode === null)
    throw new RangeError('a standing send has no scheduleCode');
  const body = {
    ...request,
    target: recipients === null ? target : { ...target, to: recipients },
    ...(mode === 'reserved' && dueAt !== null
      ? { reserveTime: reserveTimeOf(dueAt), reserveTimeZone: 'UTC' }
      : {}),
    ...(mode === 'scheduled' ? { scheduleCode } : {}),
  };
  return JSON.stringify(body) + markOf(facts.key);
}
