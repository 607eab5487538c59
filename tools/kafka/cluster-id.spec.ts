import { expect, it } from 'vitest';
import { newClusterId } from './cluster-id.js';

it('does not begin with a dash, which Kafka would take for an option', () => {
  const drawn = [Buffer.alloc(16, 0xfb), Buffer.alloc(16, 0xf8), Buffer.alloc(16, 1)];
  expect(drawn[0]?.toString('base64url')).toMatch(/^-/);
  expect(newClusterId(() => drawn.shift() ?? Buffer.alloc(0))).toBe('AQEBAQEBAQEBAQEBAQEBAQ');
  expect(newClusterId()).toMatch(/^\w[\w-]{21}$/);
});
