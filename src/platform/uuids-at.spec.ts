import { expect, it } from 'vitest';
import { idsAt } from './uuids-at.js';

const AT = Date.parse('2026-11-21T00:00:00Z');

it('ids of one instant ascend, each of them its own', () => {
  const next = idsAt(AT);
  const ids = Array.from({ length: 1_000 }, next);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) {
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(AT);
  }
});

it('two runs of one instant have no id in common, nor any random end twice', () => {
  const [one, other] = [idsAt(AT), idsAt(AT)];
  const ids = Array.from({ length: 2_000 }, (_, index) => (index % 2 === 0 ? one() : other()));
  expect(new Set(ids).size).toBe(2_000);
  expect(new Set(ids.map((id) => id.slice(-10))).size).toBe(2_000);
});
