// What an answer of FCM HTTP v1 means. Pure. The reason is `error.details[].errorCode`, else `error.status`.
import {
  badToken,
  credentialRefused,
  deviceLimited,
  failed,
  jsonOf,
  limited,
  memberOf,
  reasonFrom,
  retry,
  retryAfterMs,
  TAKEN,
  textOf,
  unnamed,
  type Answer,
  type AnswerFacts,
  type JudgedAnswer,
} from '../over-http2/judged-answer.js';

/** What we read from a `google.rpc.Status`. */
interface FcmError {
  readonly errorCode: string | undefined;
  readonly status: string | undefined;
  readonly message: string;
  /** The wrong members, as BadRequest names them. */
  readonly fields: readonly string[];
  /** Whose quota was exceeded, as QuotaFailure names it. */
  readonly quotas: readonly string[];
}

export function judgeFcmAnswer(answer: Answer, facts: AnswerFacts): JudgedAnswer {
  if (answer.status === 200) return TAKEN;
  const error = readError(answer.body);
  const { errorCode, status } = error;
  const reason = reasonFrom(errorCode ?? status, answer);
  const afterMs = retryAfterMs(answer, facts);
  switch (answer.status) {
    case 400:
      return refusedAsWrong(error, reason, facts);
    case 401:
    case 403:
    case 404:
      return refusedForGood(answer.status, error, reason);
    case 429:
      return overQuota(error, reason, afterMs);
    case 500:
    case 502:
    case 503:
    case 504:
      return retry(reason, afterMs ?? 0, { pace: 'busy' });
    default:
      return unnamed(answer, reason, afterMs);
  }
}

function refusedAsWrong(
  { errorCode, status, fields, message }: FcmError,
  reason: string,
  facts: AnswerFacts,
): JudgedAnswer {
  const isInvalid = (errorCode ?? status) === 'INVALID_ARGUMENT';
  // For a bad token FCM used to name the member. Newer answers say it in the message alone (firebase-admin-java #1064).
  const isAboutToken =
    fields.includes('message.token') || (fields.length === 0 && /registration token/i.test(message));
  if (isInvalid && isAboutToken) return badToken(reason, facts);
  return failed(reason, isInvalid ? { isAboutMessage: true } : {});
}

function refusedForGood(
  code: 401 | 403 | 404,
  { errorCode, status }: FcmError,
  reason: string,
): JudgedAnswer {
  // A wrong project must not deactivate all devices, and a missing APNs key in Firebase must not stop Android devices.
  const isOfDevice = errorCode === 'THIRD_PARTY_AUTH_ERROR' || errorCode === 'SENDER_ID_MISMATCH';
  if (isOfDevice && code !== 404) return failed(reason, { warns: true });
  if (code === 401) return credentialRefused(reason, { again: 'newToken' });
  if (code === 403) return status === 'PERMISSION_DENIED' ? credentialRefused(reason) : failed(reason);
  if (errorCode === 'UNREGISTERED') return { outcome: { kind: 'gone', reason }, pace: 'none' };
  return errorCode === undefined ? credentialRefused(reason) : failed(reason);
}

/** Not specified (FCM error codes): how FCM names the quota of a device. We take the word `device` in either member for it. */
function overQuota({ quotas }: FcmError, reason: string, namedMs: number | undefined): JudgedAnswer {
  const isOfDevice = quotas.length > 0 && quotas.every((quota) => /device/i.test(quota));
  return isOfDevice ? deviceLimited(reason, namedMs) : limited(reason, namedMs);
}

function readError(body: string): FcmError {
  const error = memberOf(jsonOf(body), 'error');
  const given = memberOf(error, 'details');
  const details: readonly unknown[] = Array.isArray(given) ? given : [];
  const all = (list: string, ...names: readonly string[]): string[] =>
    details
      .flatMap((detail) => memberOf(detail, list) ?? [])
      .map((one) => names.map((name) => textOf(one, name) ?? '').join(' '));
  return {
    errorCode: details.map((detail) => textOf(detail, 'errorCode')).find((code) => code !== undefined),
    status: textOf(error, 'status'),
    message: textOf(error, 'message') ?? '',
    fields: all('fieldViolations', 'field'),
    quotas: all('violations', 'subject', 'description'),
  };
}
