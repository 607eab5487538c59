import { describe, expect, it } from 'vitest';
import { attentionOf, nobodyGotIt, NOBODY_CODES, type SendCount } from './attention.js';
import { CAMPAIGN_STATES } from './campaign-state.js';
import { ATTENTION_STATES, SEND_STATES, type SendState } from './send-state.js';

/** `3 rejected 400`, `empty` */
const counts = (...given: string[]): SendCount[] =>
  given.map((one) => {
    const [, sends, state, code] = /^(?:(\d+) )?(\S+)(?: (\S+))?$/.exec(one) ?? [];
    return { state: state as SendState, code: code ?? null, sends: Number(sends ?? 1) };
  });

describe('a campaign that ended with no device taken', () => {
  const cases: [what: string, counts: SendCount[], code: string | undefined, detail: string][] = [
    ['nothing was planned', counts(), 'NOTHING_PLANNED', 'nothing was to be sent'],
    [
      'all left out',
      counts('2 skipped PASSED_ZONE', '3 skipped NIGHT'),
      'ALL_SKIPPED',
      '(3 skipped NIGHT, 2 skipped PASSED_ZONE)',
    ],
    ['all too late', counts('2 expired LATE'), 'ALL_EXPIRED', '(2 expired LATE)'],
    [
      'too late or left out',
      counts('expired LATE', '9 skipped NIGHT'),
      'ALL_EXPIRED',
      '(9 skipped NIGHT, 1 expired LATE)',
    ],
    ['nobody there, or without consent', counts('4 empty'), 'ALL_EMPTY', 'none of them consented (4 empty)'],
    ['all refused', counts('2 rejected BAD_REQUEST'), 'ALL_REJECTED', '(2 rejected BAD_REQUEST)'],
    ['all failed', counts('failed FAIL', 'stale'), 'ALL_FAILED', '(1 failed FAIL, 1 stale)'],
    ['all unknown', counts('2 uncertain TIMEOUT'), 'ALL_UNCERTAIN', '(2 uncertain TIMEOUT)'],
    ['several reasons', counts('empty', 'rejected'), 'NO_DEVICE_TAKEN', '(1 empty, 1 rejected)'],
    [
      'what left counts before what did not',
      counts('empty', '5 skipped NIGHT', 'expired'),
      'ALL_EMPTY',
      '(5 skipped NIGHT',
    ],
    ['taken back in part', counts('9 canceled', 'empty'), 'ALL_EMPTY', '(1 empty)'],
    ['replaced in part', counts('superseded', 'failed'), 'ALL_FAILED', '(1 failed)'],
    ['taken back as a whole', counts('2 canceled'), undefined, ''],
    ['sent, as an operator says', counts('sent CONFIRMED_SENT', 'failed'), undefined, ''],
    ['retried, and open', counts('planned', 'failed'), undefined, ''],
  ];
  it.each(cases)('%s', (_, given, code, detail) => {
    const reason = nobodyGotIt(given);
    expect(reason?.code).toBe(code);
    expect(reason?.detail ?? '').toContain(detail);
  });

  it('has a case for each code, and five counts at most in its words', () => {
    expect(
      cases
        .flatMap(([, , code]) => code ?? [])
        .filter((code, at, all) => all.indexOf(code) === at)
        .toSorted(),
    ).toEqual([...NOBODY_CODES].toSorted());
    const many = counts(...Array.from({ length: 9 }, (_, index) => `rejected R${index}`));
    expect(nobodyGotIt(many)?.detail).toMatch(/R4, …\)$/);
  });

  it.each(SEND_STATES)('%s alone: has a reason unless it is sent, open, taken back or replaced', (state) => {
    const none = [
      'sent',
      'canceled',
      'superseded',
      'planned',
      'sending',
      'accepted',
      'reserved',
      'scheduled',
      'canceling',
      'held',
    ];
    expect(nobodyGotIt(counts(state)) === undefined).toBe(none.includes(state));
  });
});

describe('attention', () => {
  const of = (
    state: (typeof CAMPAIGN_STATES)[number],
    code: string | null = null,
    detail: string | null = null,
  ) => ({ state, code, detail });

  it('is asked for by a refusal, an end with nobody, a planning that failed, and sends that did not go', () => {
    expect(attentionOf(of('rejected', 'DST_GAP', 'is skipped'))).toEqual({
      code: 'DST_GAP',
      text: 'is skipped',
    });
    expect(attentionOf(of('completed', 'ALL_EMPTY', 'nobody'))).toEqual({
      code: 'ALL_EMPTY',
      text: 'nobody',
    });
    expect(attentionOf(of('expired', 'ALL_EXPIRED'))).toMatchObject({ code: 'ALL_EXPIRED' });
    expect(attentionOf(of('running', 'PLANNING_FAILED', 'tried'))).toEqual({
      code: 'PLANNING_FAILED',
      text: 'tried',
    });
    expect(attentionOf(of('running'), { sent: 9, failed: 2, uncertain: 1 })).toEqual({
      code: 'SENDS_FAILED',
      text: 'some sends did not go out (2 failed, 1 uncertain)',
    });
    expect(attentionOf(of('completed'), { uncertain: 1 })).toMatchObject({ code: 'SENDS_UNCERTAIN' });
  });

  it.each(SEND_STATES)('a send that is %s asks for it as the operators’ list has it', (state) => {
    expect(attentionOf(of('running'), { [state]: 1 }) !== null).toBe(ATTENTION_STATES.includes(state));
  });

  it.each(CAMPAIGN_STATES)(
    'nobody has to look at one that is %s and has nothing to say, but for a rejected one',
    (state) => {
      expect(attentionOf(of(state)) !== null).toBe(state === 'rejected');
      expect(attentionOf(of(state, 'CANCELED_BY_EVENT'), { sent: 1, canceled: 3 }) !== null).toBe(
        state === 'rejected',
      );
    },
  );
});

describe('the top reason of breakdowns', () => {
  const ended = (code: string) => ({ state: 'completed' as const, code, detail: 'why' });

  it.each(['ALL_EMPTY', 'ALL_FAILED', 'NO_DEVICE_TAKEN'])('is named for %s', (code) => {
    expect(attentionOf(ended(code), {}, 'NO_AD_AGREEMENT (12)')).toEqual({
      code,
      text: 'why; most often NO_AD_AGREEMENT (12)',
    });
  });

  it('is named for sends that failed, and not for what never had devices', () => {
    const running = { state: 'running' as const, code: null, detail: null };
    expect(attentionOf(running, { failed: 1 }, 'X (1)')?.text).toContain('most often X (1)');
    expect(attentionOf(running, {}, 'X (1)')).toBeNull();
    expect(attentionOf(ended('ALL_SKIPPED'), {}, 'X (1)')?.text).toBe('why');
  });
});
