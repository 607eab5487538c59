// What an answer of APNs means. Pure. The reason is the body's `reason`.
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

const MINUTE_MS = 60_000;
/** Apple asks to wait so long after a 5xx. */
const TROUBLE_MS = 15 * MINUTE_MS;
const TOKEN_UPDATES_MS = 20 * MINUTE_MS;
const DEVICE_LIMITED_MS = 30_000;
const SHUTDOWN_MS = 5_000;

type Judge = (reason: string, answer: Answer, facts: AnswerFacts) => JudgedAnswer;

const ofCredential: Judge = (reason) => credentialRefused(reason);
const ofMessage: Judge = (reason) => failed(reason, { isAboutMessage: true });
const ours: Judge = (reason) => failed(reason, { isOurFault: true });
const gone: Judge = (reason, { body }) => {
  const since = memberOf(jsonOf(body), 'timestamp');
  return {
    outcome: { kind: 'gone', reason, ...(typeof since === 'number' ? { since } : {}) },
    pace: 'none',
  };
};
const trouble: Judge = (reason, answer, facts) =>
  retry(reason, retryAfterMs(answer, facts) ?? TROUBLE_MS, { pace: 'busy' });

/** By status and reason. */
const TABLE: Readonly<Record<string, Judge>> = {
  '410 Unregistered': gone,
  '410 ExpiredToken': gone,
  '400 BadDeviceToken': (reason, _answer, facts) => badToken(reason, facts),
  '400 DeviceTokenNotForTopic': (reason, _answer, { isProven }) =>
    isProven ? failed(reason) : credentialRefused(reason),
  '400 BadTopic': ofCredential,
  '400 MissingTopic': ofCredential,
  '400 TopicDisallowed': ofCredential,
  '403 InvalidProviderToken': ofCredential,
  '403 MissingProviderToken': ofCredential,
  '403 Forbidden': ofCredential,
  '403 BadCertificate': ofCredential,
  '403 BadCertificateEnvironment': ofCredential,
  '403 BadEnvironmentKeyIdInToken': ofCredential,
  '403 BadEnvironmentKeyInToken': ofCredential,
  '400 BadCollapseId': ofMessage,
  '400 BadExpirationDate': ofMessage,
  '400 BadPriority': ofMessage,
  '400 InvalidPushType': ofMessage,
  '400 PayloadEmpty': ofMessage,
  '413 PayloadTooLarge': ofMessage,
  '400 BadMessageId': ours,
  '400 DuplicateHeaders': ours,
  '400 MissingDeviceToken': ours,
  '404 BadPath': ours,
  '405 MethodNotAllowed': ours,
  '400 IdleTimeout': (reason) => retry(reason, 0, { again: 'newConnection' }),
  '403 ExpiredProviderToken': (reason) => credentialRefused(reason, { again: 'newToken' }),
  '403 UnrelatedKeyIdInToken': (reason) => credentialRefused(reason, { again: 'newConnection' }),
  '429 TooManyRequests': (reason, answer, facts) =>
    deviceLimited(reason, retryAfterMs(answer, facts), DEVICE_LIMITED_MS),
  '429 TooManyProviderTokenUpdates': (reason) =>
    retry(reason, TOKEN_UPDATES_MS, { pauseMs: TOKEN_UPDATES_MS }),
  '500 InternalServerError': trouble,
  '503 ServiceUnavailable': trouble,
  '503 Shutdown': (reason) => retry(reason, SHUTDOWN_MS, { leavesConnection: true }),
};

/** By status, for a reason that is not in the table: what Apple's table of status codes says. */
const BY_STATUS: Readonly<Record<number, Judge>> = {
  403: ofCredential,
  410: gone,
  413: ofMessage,
  429: (reason, answer, facts) => limited(reason, retryAfterMs(answer, facts)),
};

export function judgeApnsAnswer(answer: Answer, facts: AnswerFacts): JudgedAnswer {
  if (answer.status === 200) return TAKEN;
  const word = textOf(jsonOf(answer.body), 'reason');
  const reason = reasonFrom(word, answer);
  const judge = TABLE[`${answer.status} ${word}`] ?? BY_STATUS[answer.status];
  return judge === undefined
    ? unnamed(answer, reason, retryAfterMs(answer, facts))
    : judge(reason, answer, facts);
}
