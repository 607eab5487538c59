// The code of an outcome, by the facts about its chunk.
import { describe, expect, it } from 'vitest';
import type { Outcome } from './provider-port.js';
import { judgeOutcome, type OutcomeFacts } from './outcome-code.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');
const facts = (more: Partial<OutcomeFacts> = {}): OutcomeFacts => ({
  now: NOW,
  notAfter: undefined,
  refusals: 0,
  isStopping: false,
  faultSince: undefined,
  random: 0.5,
  ...more,
});
const busy: Outcome = { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 0 };
const limited: Outcome = { kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 60_000 };
const refused: Outcome = { kind: 'credential', reason: 'InvalidProviderToken' };

describe('an outcome', () => {
  it.each<[Outcome, string | null]>([
    [{ kind: 'sent' }, null],
    [{ kind: 'failed', reason: 'BadPriority' }, 'failed BadPriority'],
    [{ kind: 'gone', reason: 'UNREGISTERED' }, 'failed UNREGISTERED'],
    [{ kind: 'unknown', reason: 'NO_ANSWER' }, 'unknown NO_ANSWER'],
  ])('%j is recorded as %j', (outcome, code) => {
    expect(judgeOutcome(outcome, facts())).toEqual({ kind: 'final', code });
  });

  it.each([
    [0, 1_000],
    [1, 2_000],
    [4, 16_000],
    [5, 32_000],
    [60, 32_000],
  ])('goes again by its refusals where the provider names no time: %i', (refusals, afterMs) => {
    expect(judgeOutcome(busy, facts({ refusals }))).toEqual({ kind: 'again', afterMs });
    expect(judgeOutcome(busy, facts({ refusals, random: 0 }))).toEqual({
      kind: 'again',
      afterMs: 0.8 * afterMs,
    });
    expect(judgeOutcome(busy, facts({ refusals, random: 1 }))).toEqual({
      kind: 'again',
      afterMs: 1.2 * afterMs,
    });
  });

  it('goes again when the provider says, and at once where the process ends', () => {
    expect(judgeOutcome(limited, facts({ refusals: 9 }))).toEqual({ kind: 'again', afterMs: 60_000 });
    expect(judgeOutcome(busy, facts({ isStopping: true }))).toEqual({ kind: 'again', afterMs: 0 });
  });

  it('fails with its own reason where it would go again at its end or after it', () => {
    const end = (ms: number) => facts({ notAfter: { at: NOW + ms, reason: 'TIMEOUT' } });
    expect(judgeOutcome(limited, end(60_001))).toEqual({ kind: 'again', afterMs: 60_000 });
    expect(judgeOutcome(limited, end(60_000))).toEqual({ kind: 'final', code: 'failed QUOTA_EXCEEDED' });
  });

  it('waits ten minutes for a credential, from when it was refused first', () => {
    const again = { kind: 'again', afterMs: 30_000 };
    expect(judgeOutcome(refused, facts())).toEqual(again);
    expect(judgeOutcome(refused, facts({ faultSince: NOW - 599_999 }))).toEqual(again);
    const failed = { kind: 'final', code: 'failed PROVIDER_CREDENTIAL' };
    expect(judgeOutcome(refused, facts({ faultSince: NOW - 600_000 }))).toEqual(failed);
  });
});
