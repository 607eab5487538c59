// What is previewed is what is planned, what the push service is asked for and what people's devices get: a whole
// scheduler and the real push service, over HTTP throughout, led through the days of preview-cases together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_VERDICTS } from '../../../src/scheduler/decide/timing/local-time.js';
import { SKIP_CODES, ZONE_SOURCES } from '../../../src/scheduler/decide/plan/plan-types.js';
import type { Json } from '../../support/scheduler/intake-world.js';
import { JOURNEYS } from './preview-cases.js';
import { leadThroughDays, skippedOf, type Days } from './two-services-day.js';
import { TwoServices, type Cell } from '../../support/scheduler/two-services.js';

let world: TwoServices;
let days: Days;

// On an idle machine some 15 s.
beforeAll(async () => {
  world = await TwoServices.open();
  days = await leadThroughDays(world, JOURNEYS);
}, 300_000);
afterAll(() => world.close());

describe('what is previewed', () => {
  it.each(JOURNEYS)('$what: is planned, asked of the push service and got by devices so', async (journey) => {
    const one = days.led.get(journey.what);
    if (one === undefined) throw new Error('it was not led through the days');
    const { previewed, campaign, sends } = one;
    expect((previewed['refusal'] as Json | null)?.['code']).toBe(journey.refused);
    expect(one.state === 'rejected').toBe(journey.refused !== undefined);

    const stored = await world.all<Cell>(`/v1/campaigns/${campaign}/plan`, 100);
    const byKey = (a: Cell, b: Cell) => (`${a.occurrence} ${a.cell}` < `${b.occurrence} ${b.cell}` ? -1 : 1);
    // Members that a preview does not have: the revision, the state, and the clock changes of the day.
    const alike = stored.map(
      ({ revision: _revision, sends: _sends, sendsAtLeast: _atLeast, offsetChanges: _changes, ...cell }) =>
        cell,
    );
    expect(alike).toEqual(previewed.items.toSorted(byKey));

    expect(one.asked).toEqual(one.foreseen);
    expect(one.got).toEqual(journey.gets);
    expect(sends).toHaveLength(previewed.totals.requests);
    const born = sends.map(({ occurrence, cell, state, code }) => {
      const left = state === 'skipped' || state === 'expired';
      return `${occurrence} ${cell} ${left ? `${state} ${code ?? ''}` : ''}`;
    });
    const foreseen = previewed.items.flatMap((item) => {
      const { occurrence, cell, skipped, verdicts, requests } = item;
      const whole = skipped === null ? ('expired' in verdicts ? 'expired LATE' : '') : `skipped ${skipped}`;
      const tooLate = skippedOf(item).map((code) => `skipped ${code}`);
      const leaving = Array.from({ length: requests - tooLate.length }, () => whole);
      return [...leaving, ...tooLate].map((left) => `${occurrence} ${cell} ${left}`);
    });
    expect(born.toSorted()).toEqual(foreseen.toSorted());
  });

  it('shows every verdict there is in the stored plan, each with its reason', async () => {
    const seen = new Map<string, Set<string>>();
    const see = (what: string, verdict: unknown): void => {
      seen.set(what, (seen.get(what) ?? new Set()).add(String(verdict)));
    };
    for (const { campaign } of days.led.values()) {
      const { refusal } = (await world.get(`/v1/campaigns/${campaign}/plan`)).body as Json;
      if (refusal !== null) see('refusal', (refusal as Json)['code']);
      for (const cell of await world.all<Cell>(`/v1/campaigns/${campaign}/plan`, 100)) {
        const { verdicts, skipped, zoneSource, mode, rule } = cell;
        see('zoneSource', zoneSource);
        see('mode', `${mode} ${rule}`);
        if (skipped !== null) see('skipped', skipped);
        for (const [name, verdict] of Object.entries(verdicts)) see(name, kindOf(verdict));
      }
    }
    const kinds = Object.fromEntries([...seen].map(([what, verdicts]) => [what, [...verdicts].toSorted()]));
    expect(kinds).toEqual({
      refusal: ['DST_GAP', 'DST_OVERLAP', 'PASSED_ZONE'],
      // The directory is not offered yet.
      zoneSource: ZONE_SOURCES.filter((source) => source !== 'directory').toSorted(),
      mode: [
        'immediate DUE_NOW',
        'immediate HELD_BY_POLICY',
        'immediate SUB_MINUTE',
        'immediate TOO_CLOSE_TO_RESERVE',
        'reserved BEYOND_HORIZON',
        'reserved RESERVABLE',
        'scheduled SCHEDULE_CODE',
      ],
      skipped: SKIP_CODES.toSorted(),
      dst: LOCAL_VERDICTS.toSorted(),
      passedZone: [
        'floored to 2027-03-01T10:00:00.000Z',
        'next-day to 2027-03-01T21:00:00.000Z',
        'not-passed',
        'rejected',
        'sent-now to 2027-03-01T00:00:00.000Z',
        'skipped',
      ],
      night: [
        'consented',
        'deferred to 2027-03-01T19:00:00.000Z',
        'deferred to 2027-03-01T23:00:00.000Z',
        'deferred to 2027-03-02T07:00:00.000Z',
        'deferred to 2027-03-02T13:00:00.000Z',
        'outside',
        'skipped',
      ],
      quietHours: [
        'deferred to 2027-03-01T22:30:00.000Z',
        'deferred to 2027-03-02T06:30:00.000Z',
        'outside',
        'skipped',
      ],
      late: ['3600000 ms late'],
      jitterMs: ['0', '360000', '480000'],
      paceMs: ['0', '60000'],
      deadlineAt: ['an instant'],
      lastDueAt: ['an instant'],
      fallback: ['INVALID_ZONE', 'ZONE_UNKNOWN'],
      skippedRequests: ['{"DEADLINE":1}'],
    });
  });

  function kindOf(verdict: unknown): unknown {
    if (typeof verdict === 'string') return /^\d{4}-/.test(verdict) ? 'an instant' : verdict;
    if (typeof verdict !== 'object' || verdict === null) return verdict;
    const { kind, to, lateMs } = verdict as { kind?: string; to?: string; lateMs?: number };
    if (lateMs !== undefined) return `${lateMs} ms late`;
    return kind === undefined ? JSON.stringify(verdict) : to === undefined ? kind : `${kind} to ${to}`;
  }

  it('is all that the push service is asked for', () => {
    expect(days.strangers).toEqual([]);
  });
});
