import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeRuleSets } from '../../test/support/planning/rule-sets.js';
import { fixedTable, ZoneOffsets, type Transition } from './zone-offsets.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Every instant, to the hour, at which a clock shows the wall time: found by trying. */
function byTrying(table: ZoneOffsets, local: number): number[] {
  const found: number[] = [];
  for (let instant = local - 30 * HOUR; instant <= local + 30 * HOUR; instant += HOUR / 4) {
    if (table.toLocal(instant) === local) found.push(instant);
  }
  return found;
}

describe('ZoneOffsets', () => {
  it('finds what trying every quarter of an hour finds', () => {
    const step = fc.record({
      days: fc.integer({ min: 3, max: 200 }),
      offset: fc.integer({ min: -48, max: 56 }),
    });
    const table = fc.array(step, { minLength: 1, maxLength: 12 }).map((steps) => {
      let at = 0;
      const transitions = steps.map(({ days, offset }): Transition => {
        at += days * DAY;
        return { at, offsetMs: (offset * HOUR) / 4 };
      });
      return {
        table: new ZoneOffsets({ initialOffsetMs: 0, transitions, coveredToYear: 1970 }),
        transitions,
      };
    });
    fc.assert(
      fc.property(
        table,
        fc.nat(),
        fc.integer({ min: -120, max: 120 }),
        ({ table: built, transitions }, nth, quarters) => {
          const local = (transitions[nth % transitions.length]?.at ?? 0) + (quarters * HOUR) / 4;
          const tried = byTrying(built, local);
          const found = built.candidates(local);
          const instants =
            found.kind === 'unique'
              ? [found.instant]
              : found.kind === 'overlap'
                ? [found.first, found.second]
                : [];
          expect(instants).toEqual(tried);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('asks for later years once each, and only as far as it must', () => {
    const asked: number[] = [];
    const table = new ZoneOffsets({
      initialOffsetMs: 0,
      transitions: [],
      coveredToYear: 2026,
      transitionsOf: (year) => {
        asked.push(year);
        return [
          { at: Date.UTC(year, 5, 1), offsetMs: HOUR },
          { at: Date.UTC(year, 8, 1), offsetMs: 0 },
        ];
      },
    });
    expect(table.offsetAt(Date.UTC(2025, 6, 1))).toBe(0);
    expect(asked).toEqual([]);
    expect(table.offsetAt(Date.UTC(2027, 6, 1))).toBe(HOUR);
    expect(table.offsetAt(Date.UTC(2026, 6, 1))).toBe(HOUR);
    expect(asked).toEqual([2026, 2027]);
  });

  it('hands times before its first year to the earlier table', () => {
    const earlier = { beforeYear: 2024, table: () => fixedTable(HOUR) };
    const table = new ZoneOffsets({
      initialOffsetMs: 2 * HOUR,
      transitions: [],
      coveredToYear: 2024,
      earlier,
    });
    expect([table.offsetAt(Date.UTC(2023, 0)), table.offsetAt(Date.UTC(2024, 0))]).toEqual([HOUR, 2 * HOUR]);
    expect(table.candidates(Date.UTC(2020, 0))).toEqual({
      kind: 'unique',
      instant: Date.UTC(2020, 0) - HOUR,
    });
  });

  it.each(completeRuleSets().map((rules) => [rules.source, rules] as const))(
    'has wall times that at most two instants show, in every zone of %s: changes never lie closer than their own length',
    (_source, rules) => {
      for (const name of rules.names()) {
        const table = rules.table(name);
        let last = -Infinity;
        for (const { at, offsetMs } of table?.between(Date.UTC(2024, 0), Date.UTC(2033, 0)) ?? []) {
          const before = table?.offsetAt(at - 1) ?? 0;
          expect(at + Math.min(before, offsetMs), name).toBeGreaterThanOrEqual(last);
          last = at + Math.max(before, offsetMs);
        }
      }
    },
  );
});
