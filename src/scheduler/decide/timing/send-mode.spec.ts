import { describe, expect, it } from 'vitest';
import { chooseMode, type ModeFacts } from './send-mode.js';

const now = Date.parse('2027-03-01T00:00:30Z');
const seconds = (count: number): number => count * 1_000;
const minutes = (count: number): number => count * 60_000;
const days = (count: number): number => count * 86_400_000;

const project = { reservations: true, minReserveLeadMs: minutes(3), reserveHorizonMs: days(30) };
const nextWholeMinute = now + seconds(30);
const facts = (overrides: Partial<ModeFacts>): ModeFacts => ({
  dueAt: nextWholeMinute + minutes(10),
  now,
  scheduled: false,
  handoff: 'reserve',
  project,
  ...overrides,
});

describe('chooseMode (planning.md §5)', () => {
  it.each<[string, Partial<ModeFacts>, string, string, number]>([
    [
      'row 1: a schedule code, whatever else holds',
      { scheduled: true, handoff: 'hold' },
      'scheduled',
      'SCHEDULE_CODE',
      now,
    ],
    ['row 2: due now', { dueAt: now }, 'immediate', 'DUE_NOW', now],
    [
      'row 2: due in 2 s, and still not sent before it',
      { dueAt: now + 2_000 },
      'immediate',
      'DUE_NOW',
      now + 2_000,
    ],
    ['row 2: long past due', { dueAt: now - days(1) }, 'immediate', 'DUE_NOW', now],
    ['row 3: held', { handoff: 'hold' }, 'immediate', 'HELD_BY_POLICY', nextWholeMinute + minutes(10)],
    [
      'row 3: a project without reservations',
      { project: { ...project, reservations: false } },
      'immediate',
      'HELD_BY_POLICY',
      nextWholeMinute + minutes(10),
    ],
    ['row 4: due has seconds', { dueAt: now + minutes(10) }, 'immediate', 'SUB_MINUTE', now + minutes(10)],
    [
      'row 4: due has milliseconds',
      { dueAt: nextWholeMinute + 1 },
      'immediate',
      'SUB_MINUTE',
      nextWholeMinute + 1,
    ],
    [
      'row 5: nearer than the least lead',
      { dueAt: nextWholeMinute },
      'immediate',
      'TOO_CLOSE_TO_RESERVE',
      nextWholeMinute,
    ],
    [
      'row 7: at the least lead',
      { now: nextWholeMinute, dueAt: nextWholeMinute + minutes(3) },
      'reserved',
      'RESERVABLE',
      nextWholeMinute,
    ],
    [
      'row 7: at the horizon',
      { now: nextWholeMinute, dueAt: nextWholeMinute + days(30) },
      'reserved',
      'RESERVABLE',
      nextWholeMinute,
    ],
    [
      'row 6: beyond the horizon, handed off when due comes within it',
      { now: nextWholeMinute, dueAt: nextWholeMinute + days(30) + minutes(1) },
      'reserved',
      'BEYOND_HORIZON',
      nextWholeMinute + minutes(1),
    ],
  ])('%s', (_name, overrides, mode, rule, handOffAt) => {
    expect(chooseMode(facts(overrides))).toEqual({ mode, rule, handOffAt });
  });

  it('changes its answer as time goes by: what was beyond the horizon becomes reservable, then too close', () => {
    const dueAt = nextWholeMinute + days(40);
    const rules = [days(40), days(20), minutes(2), 0].map(
      (before) => chooseMode(facts({ dueAt, now: dueAt - before })).rule,
    );
    expect(rules).toEqual(['BEYOND_HORIZON', 'RESERVABLE', 'TOO_CLOSE_TO_RESERVE', 'DUE_NOW']);
  });
});
