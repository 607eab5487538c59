import { expect, it } from 'vitest';
import { isNamed } from './source-patterns.js';

it.each<[string, readonly string[], boolean]>([
  ['/shop/promotions', ['/shop/promotions'], true],
  ['/shop/promotions', ['/shop/orders', '/shop/promotions'], true],
  ['/shop/promotions', ['/shop'], false],
  ['/shop/promotions/spring', ['/shop/promotions'], false],
  ['/Shop/promotions', ['/shop/promotions'], false],
  ['/shop/promotions', ['/shop/*'], true],
  ['/shop/promotions/spring', ['/shop/*'], true],
  ['/shop/', ['/shop/*'], true],
  ['/shop', ['/shop/*'], false],
  ['/shopping/promotions', ['/shop/*'], false],
  // A star anywhere else is a star.
  ['/shop/promotions', ['/shop*'], false],
  ['/shop/promotions', ['*'], false],
  ['/shop/promotions', ['/*/promotions'], false],
  ['/shop/promotions', ['/*'], true],
  ['/shop/promotions', [], false],
])('campaign-events.md, "Transport and envelope": %j is named by %j: %j', (source, patterns, named) => {
  expect(isNamed(source, patterns)).toBe(named);
});
