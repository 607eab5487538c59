// Why an event cannot be taken: the stable codes, and helpers that keep a reason short and storable whatever the event
// holds. Reasons are for publishers and operators; they never carry more of the event than a name or a value.
import { z } from 'zod';
import { MORE } from '../../../platform/most-listed.js';
import { storable } from '../../../platform/http/storable-text.js';
import { shorten } from '../../decide/quote-value.js';

/** Every code a rejection may name (refused-events.md, "Bad input"). Codes are stable, texts are not. */
export const REASON_CODES = [
  // The bytes.
  'UNREADABLE',
  'TOO_LARGE',
  'NOT_UTF8',
  'NOT_JSON',
  'TOO_DEEP',
  'DUPLICATE_MEMBER',
  'FORBIDDEN_MEMBER',
  'NOT_STORABLE',
  'NUMBER_NOT_EXACT',
  // The envelope.
  'UNKNOWN_TYPE',
  'TIME_TOO_OLD',
  'TIME_AHEAD',
  'KEY_MISMATCH',
  // Any member.
  'REQUIRED',
  'WRONG_TYPE',
  'WRONG_VALUE',
  'WRONG_FORMAT',
  'TOO_SHORT',
  'TOO_LONG',
  'UNKNOWN_MEMBER',
  // The meaning of data.
  'DELIVERY_UNCLEAR',
  'ZONE_MISSING',
  'ZONE_UNKNOWN',
  'NO_SUCH_TIME',
  'TIME_PASSED',
  'INVALID_RECURRENCE',
  'AUDIENCE_UNCLEAR',
  'TOO_MANY_CELLS',
  'PLAN_TOO_LARGE',
  // What only the database knows.
  'SERVICE_NOT_ALLOWED',
  'UNKNOWN_SERVICE',
  'UNKNOWN_LIST',
  'LIST_EXPIRED',
  'SOURCE_NOT_ALLOWED',
  'POLICY_DEFAULTS_INVALID',
  'DUPLICATE_WITH_DIFFERENT_CONTENT',
  'UNKNOWN_CAMPAIGN',
  'UNKNOWN_OCCURRENCE',
  'OCCURRENCE_TOO_FAR',
  'OCCURRENCE_CLOSED',
  'CAMPAIGN_CLOSED',
  'SUPERSEDED',
  // A fault of ours that this event alone brings about.
  'COULD_NOT_BE_TAKEN',
  // How many more there are.
  MORE,
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export const Reason = z
  .object({
    pointer: z.string().describe('JSON pointer into the CloudEvent (/data/delivery/at); empty for the whole'),
    code: z.enum(REASON_CODES),
    text: z.string(),
  })
  .readonly()
  .meta({ id: 'Reason' });
export type Reason = z.output<typeof Reason>;

const MAX_POINTER_LENGTH = 500;

export function reason(pointer: string, code: ReasonCode, text: string): Reason {
  return { pointer: shortPointer(pointer), code, text: storable(text) };
}

/** As it is kept: names of any length and with any characters can come from outside. */
export function shortPointer(pointer: string): string {
  return storable(shorten(pointer, MAX_POINTER_LENGTH));
}

/** RFC 6901: the pointer to a member or element of what `pointer` names. */
export function below(pointer: string, segment: string | number): string {
  return `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
