// Every row of APNs' answers, and what each asks for beside the device's outcome.
import { describe, expect, it } from 'vitest';
import type { Answer, AnswerFacts, JudgedAnswer } from '../over-http2/judged-answer.js';
import { judgeApnsAnswer } from './apns-answer.js';

const FACTS: AnswerFacts = { isProven: true, mayRemove: true, now: Date.parse('2027-03-01T00:00:00Z') };
const MINUTE_MS = 60_000;

function answer(status: number, reason?: string, more: object = {}, retryAfter?: string): Answer {
  return {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    body: reason === undefined ? '' : JSON.stringify({ reason, ...more }),
  };
}

describe('an answer of APNs', () => {
  it('200 is sent', () => {
    expect(judgeApnsAnswer(answer(200), FACTS)).toEqual({ outcome: { kind: 'sent' }, pace: 'taken' });
  });

  it.each(['Unregistered', 'ExpiredToken'])('410 %s is gone since its timestamp', (reason) => {
    const since = Date.parse('2026-11-01T00:00:00Z');
    expect(judgeApnsAnswer(answer(410, reason, { timestamp: since }), FACTS)).toEqual({
      outcome: { kind: 'gone', reason, since },
      pace: 'none',
    });
    expect(judgeApnsAnswer(answer(410, reason), FACTS).outcome).toEqual({ kind: 'gone', reason });
  });

  it('400 BadDeviceToken is gone with guard, and failed without', () => {
    const bad = answer(400, 'BadDeviceToken');
    expect(judgeApnsAnswer(bad, FACTS)).toEqual({
      outcome: { kind: 'gone', reason: 'BadDeviceToken' },
      pace: 'none',
      isAboutToken: true,
    });
    expect(judgeApnsAnswer(bad, { ...FACTS, mayRemove: false }).outcome.kind).toBe('failed');
  });

  it('400 DeviceTokenNotForTopic is failed, and of the credential while that is unproven', () => {
    const other = answer(400, 'DeviceTokenNotForTopic');
    expect(judgeApnsAnswer(other, FACTS).outcome.kind).toBe('failed');
    expect(judgeApnsAnswer(other, { ...FACTS, isProven: false }).outcome.kind).toBe('credential');
  });

  it.each([
    [400, 'BadTopic'],
    [400, 'MissingTopic'],
    [400, 'TopicDisallowed'],
    [403, 'InvalidProviderToken'],
    [403, 'MissingProviderToken'],
    [403, 'Forbidden'],
    [403, 'BadCertificate'],
    [403, 'BadCertificateEnvironment'],
    [403, 'BadEnvironmentKeyIdInToken'],
    [403, 'BadEnvironmentKeyInToken'],
  ])('%i %s is of the credential', (status, reason) => {
    expect(judgeApnsAnswer(answer(status, reason), FACTS)).toEqual({
      outcome: { kind: 'credential', reason },
      pace: 'none',
    });
  });

  it.each([
    [400, 'BadCollapseId'],
    [400, 'BadExpirationDate'],
    [400, 'BadPriority'],
    [400, 'InvalidPushType'],
    [400, 'PayloadEmpty'],
    [413, 'PayloadTooLarge'],
  ])('%i %s is of the message', (status, reason) => {
    expect(judgeApnsAnswer(answer(status, reason), FACTS)).toEqual({
      outcome: { kind: 'failed', reason },
      pace: 'none',
      isAboutMessage: true,
    });
  });

  it.each([
    [400, 'BadMessageId'],
    [400, 'DuplicateHeaders'],
    [400, 'MissingDeviceToken'],
    [404, 'BadPath'],
    [405, 'MethodNotAllowed'],
  ])('%i %s is our own fault', (status, reason) => {
    expect(judgeApnsAnswer(answer(status, reason), FACTS)).toEqual({
      outcome: { kind: 'failed', reason },
      pace: 'none',
      isOurFault: true,
    });
  });

  it.each<[number, string, JudgedAnswer]>([
    [
      400,
      'IdleTimeout',
      { outcome: { kind: 'retry', reason: 'IdleTimeout', afterMs: 0 }, pace: 'none', again: 'newConnection' },
    ],
    [
      403,
      'ExpiredProviderToken',
      { outcome: { kind: 'credential', reason: 'ExpiredProviderToken' }, pace: 'none', again: 'newToken' },
    ],
    [
      403,
      'UnrelatedKeyIdInToken',
      {
        outcome: { kind: 'credential', reason: 'UnrelatedKeyIdInToken' },
        pace: 'none',
        again: 'newConnection',
      },
    ],
    [
      429,
      'TooManyRequests',
      {
        outcome: { kind: 'retry', reason: 'TooManyRequests', afterMs: 30_000 },
        pace: 'none',
        isDeviceLimited: true,
        backsOff: true,
      },
    ],
    [
      429,
      'TooManyProviderTokenUpdates',
      {
        outcome: { kind: 'retry', reason: 'TooManyProviderTokenUpdates', afterMs: 20 * MINUTE_MS },
        pace: 'none',
        pauseMs: 20 * MINUTE_MS,
      },
    ],
    [
      503,
      'Shutdown',
      {
        outcome: { kind: 'retry', reason: 'Shutdown', afterMs: 5_000 },
        pace: 'none',
        leavesConnection: true,
      },
    ],
  ])('%i %s', (status, reason, verdict) => {
    expect(judgeApnsAnswer(answer(status, reason), FACTS)).toEqual(verdict);
  });

  it.each([
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailable'],
  ])('%i %s may go again after Retry-After, else after 15 minutes', (status, reason) => {
    const outcome = { kind: 'retry', reason, afterMs: 15 * MINUTE_MS };
    expect(judgeApnsAnswer(answer(status, reason), FACTS)).toEqual({ outcome, pace: 'busy' });
    expect(judgeApnsAnswer(answer(status, reason, {}, '90'), FACTS).outcome).toEqual({
      ...outcome,
      afterMs: 90_000,
    });
  });

  it.each([
    [418, undefined, { outcome: { kind: 'failed', reason: 'HTTP_418' }, pace: 'none' }],
    [400, 'SomethingNew', { outcome: { kind: 'failed', reason: 'SomethingNew' }, pace: 'none' }],
    [503, 'SomethingNew', { outcome: { kind: 'retry', reason: 'SomethingNew', afterMs: 0 }, pace: 'busy' }],
    [502, undefined, { outcome: { kind: 'retry', reason: 'HTTP_502', afterMs: 0 }, pace: 'busy' }],
    [410, undefined, { outcome: { kind: 'gone', reason: 'HTTP_410' }, pace: 'none' }],
    [410, 'DeviceTokenRetired', { outcome: { kind: 'gone', reason: 'DeviceTokenRetired' }, pace: 'none' }],
    [403, 'KeyRetired', { outcome: { kind: 'credential', reason: 'KeyRetired' }, pace: 'none' }],
    [
      413,
      'HeadersTooLarge',
      { outcome: { kind: 'failed', reason: 'HeadersTooLarge' }, pace: 'none', isAboutMessage: true },
    ],
    [
      429,
      'TooManyTopics',
      {
        outcome: { kind: 'retry', reason: 'TooManyTopics', afterMs: 60_000 },
        pace: 'limited',
        pauseMs: 60_000,
        backsOff: true,
      },
    ],
  ])('%i %s, which no row names', (status, reason, verdict) => {
    expect(judgeApnsAnswer(answer(status, reason), FACTS)).toEqual(verdict);
  });
});
