// How rows become pages, and what their zones come to.
import { describe, expect, it } from 'vitest';
import { rules } from '../../../../test/support/planning/planning.js';
import { bucketOf, BUCKETS, ListPages, MAX_ZONES, TooManyZonesError } from './list-pages.js';
import { nearZone, zonesOfList } from './zones-of-list.js';

describe('pages', () => {
  it('hold every row in the bucket of its id, in order', () => {
    const pages = new ListPages();
    const taken = [];
    for (let index = 0; index < 200_000; index += 1) {
      pages.add(`user-${index % 150_000}`, index % 3 === 0 ? 'Asia/Seoul' : null);
      taken.push(...pages.taken());
    }
    taken.push(...pages.taken(true));
    const idsOf = ({ ids }: { ids: string }): string[] => ids.slice(2, -2).split('","');
    expect(taken.flatMap(idsOf)).toHaveLength(200_000);
    expect(taken.every((page) => idsOf(page).length === page.size)).toBe(true);
    expect(pages.rows).toBe(200_000);
    expect(pages.rowsOf.reduce((sum, rows) => sum + rows, 0)).toBe(200_000);
    expect(Math.max(...taken.map(({ size }) => size))).toBeLessThanOrEqual(2_000);
    expect(taken.every((page) => idsOf(page).every((id) => bucketOf(id) === page.bucket))).toBe(true);
    expect(pages.zones).toEqual(['', 'Asia/Seoul']);
    // Even enough: none is twice the average.
    expect(Math.max(...pages.rowsOf)).toBeLessThan((2 * 200_000) / BUCKETS);
  });

  it('escape what an array gives a meaning, and close before they are too long', () => {
    const pages = new ListPages();
    const id = `"\\\\${'🙂'.repeat(125)}`;
    for (let index = 0; index < 200; index += 1) pages.add(id, 'Asia/Seoul');
    const taken = [...pages.taken(true)];
    expect(taken.length).toBeGreaterThan(1);
    const quoted = `"\\"\\\\\\\\${'🙂'.repeat(125)}"`;
    for (const { size, ids, zones } of taken) {
      expect(ids).toBe(`{${Array.from({ length: size }, () => quoted).join(',')}}`);
      expect(zones).toBe(`{${Array.from({ length: size }, () => 1).join(',')}}`);
    }
  });

  it('are refused where the second column is something else', () => {
    const pages = new ListPages();
    const add = (): void => {
      for (let index = 0; index <= MAX_ZONES; index += 1) pages.add(`user-${index}`, `price-${index}`);
    };
    expect(add).toThrow(TooManyZonesError);
  });
});

describe('zones', () => {
  it('are told with the right ones apart from the wrong ones, and what was meant', () => {
    const rowsOf = new Map([
      ['', 5],
      ['Asia/Seoul', 7],
      ['asia/seoul', 2],
      ['Asia/Soul', 3],
      ['KST', 1],
    ]);
    expect(zonesOfList(rowsOf, rules)).toEqual({
      byZone: [
        { zone: 'Asia/Seoul', rows: 7 },
        { zone: null, rows: 5 },
      ],
      invalidZones: [
        { value: 'Asia/Soul', rows: 3, near: 'Asia/Seoul' },
        { value: 'asia/seoul', rows: 2, near: 'Asia/Seoul' },
        { value: 'KST', rows: 1 },
      ],
    });
  });

  it.each([
    ['America/New York', 'America/New_York'],
    ['Europe/Pariss', 'Europe/Paris'],
    ['somewhere else', undefined],
  ])('has near to %s: %s', (given, near) => {
    expect(nearZone(given, rules.names())).toBe(near);
  });
});
