import { describe, expect, it } from 'vitest';
import { rules } from '../../../../test/support/planning/planning.js';
import type { Delivery } from '../plan/campaign.js';
import { policyDefaults } from '../timing/campaign-policy.js';
import { OCCURRENCE_STATES } from './campaign-state.js';
import { judgeOccurrenceAct, type OccurrenceFacts } from './occurrence-act.js';

const weekly: Delivery = {
  kind: 'wall',
  local: '2027-03-01T09:00',
  zone: 'Asia/Seoul',
  recurrence: 'FREQ=WEEKLY;BYDAY=MO',
};
const once: Delivery = { kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Seoul' };
const NOW = '2027-03-10T00:00Z';

function judged(occurrence: string, facts: Partial<OccurrenceFacts> = {}, now = NOW): string {
  const { dst } = policyDefaults;
  const all = { delivery: weekly, dst, state: null, plannedUntil: '2027-04-05T09:00', ...facts };
  const found = judgeOccurrenceAct(all, occurrence, { now: Date.parse(now), rules });
  return found.kind === 'refused' ? found.code : found.kind;
}

describe('the cancel of one occurrence (planning.md §3)', () => {
  const byState: Readonly<Record<(typeof OCCURRENCE_STATES)[number], string>> = {
    planned: 'asked',
    running: 'asked',
    canceling: 'canceled',
    canceled: 'canceled',
    completed: 'OCCURRENCE_CLOSED',
    expired: 'OCCURRENCE_CLOSED',
    skipped: 'OCCURRENCE_CLOSED',
  };
  it.each(OCCURRENCE_STATES)('that is %s goes by its state, whatever its name', (state) => {
    for (const occurrence of ['2027-03-15T09:00', 'once', 'anything'])
      expect(judged(occurrence, { state })).toBe(byState[state]);
  });

  it.each<[string, string, Partial<OccurrenceFacts>, string]>([
    ['is asked for of one that is not planned yet', '2027-04-12T09:00', {}, 'asked'],
    ['is asked for before anything is planned', '2027-03-15T09:00', { plannedUntil: null }, 'asked'],
    ['comes too late for one that planning passed over', '2027-04-05T09:00', {}, 'OCCURRENCE_CLOSED'],
    ['names one that is not of the rule: another day', '2027-04-13T09:00', {}, 'UNKNOWN_OCCURRENCE'],
    ['names one that is not of the rule: another hour', '2027-04-12T10:00', {}, 'UNKNOWN_OCCURRENCE'],
    ['names one before the start', '2027-02-22T09:00', {}, 'UNKNOWN_OCCURRENCE'],
    ['spells it otherwise', '2027-04-12T09:00:00', {}, 'UNKNOWN_OCCURRENCE'],
    ['names no time', 'tomorrow', {}, 'UNKNOWN_OCCURRENCE'],
    ['of a recurrence names none that is once', 'once', {}, 'UNKNOWN_OCCURRENCE'],
    [
      'names one beyond COUNT',
      '2027-04-12T09:00',
      { delivery: { ...weekly, recurrence: 'FREQ=WEEKLY;COUNT=6' } },
      'UNKNOWN_OCCURRENCE',
    ],
    [
      'names the last of COUNT',
      '2027-04-12T09:00',
      { delivery: { ...weekly, recurrence: 'FREQ=WEEKLY;COUNT=7' } },
      'asked',
    ],
    [
      'names one of a rule that planning will refuse',
      '2027-04-12T09:00',
      { delivery: { ...weekly, recurrence: 'every day' } },
      'UNKNOWN_OCCURRENCE',
    ],
    ['of a one-shot names its only one', 'once', { delivery: once, plannedUntil: null }, 'asked'],
    [
      'of a one-shot names a time',
      '2027-03-01T09:00',
      { delivery: once, plannedUntil: null },
      'UNKNOWN_OCCURRENCE',
    ],
  ])('%s', (_what, occurrence, facts, expected) => {
    expect(judged(occurrence, facts)).toBe(expected);
  });

  it('is taken five years ahead, and no further', () => {
    const daily = { delivery: { ...weekly, recurrence: 'FREQ=DAILY' } };
    // Five years of 366 days.
    expect(judged('2032-03-14T09:00', daily, '2027-03-15T09:00Z')).toBe('asked');
    expect(judged('2032-03-18T09:00', daily, '2027-03-15T09:00Z')).toBe('asked');
    expect(judged('2032-03-19T09:00', daily, '2027-03-15T09:00Z')).toBe('OCCURRENCE_TOO_FAR');
  });

  it('says what is taken where it knows no such occurrence', () => {
    const facts = { dst: policyDefaults.dst, state: null, plannedUntil: null };
    const text = (delivery: Delivery): unknown =>
      judgeOccurrenceAct({ ...facts, delivery }, 'x', { now: Date.parse(NOW), rules });
    expect(text(weekly)).toMatchObject({
      text: 'the campaign has no occurrence "x": give the start of one, such as "2027-03-01T09:00"',
    });
    expect(text(once)).toMatchObject({ text: 'the campaign has no occurrence "x": give "once"' });
  });

  it('counts a rule once for all that is cancelled of it', () => {
    const counted = new Map<string, number>();
    const delivery: Delivery = { ...weekly, recurrence: 'FREQ=WEEKLY;COUNT=7' };
    const { dst } = policyDefaults;
    const kindOf = (occurrence: string): string =>
      judgeOccurrenceAct({ delivery, dst, state: null, plannedUntil: null }, occurrence, {
        now: Date.parse(NOW),
        rules,
        counted,
      }).kind;
    expect(['2027-04-05T09:00', '2027-04-12T09:00', '2027-04-19T09:00'].map(kindOf)).toEqual([
      'asked',
      'asked',
      'refused',
    ]);
    expect([...counted.values()]).toEqual([Date.parse('2027-04-12T09:00Z')]);
    for (const rule of counted.keys()) counted.set(rule, Date.parse('2027-04-19T09:00Z'));
    expect(kindOf('2027-04-19T09:00')).toBe('asked');
  });
});
