// The defaults against the brackets of campaign-events.md, "policy": what a publisher who says nothing gets.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { policyDefaults } from './campaign-policy.js';
import { parseDuration } from './duration.js';

const page = readFileSync(new URL('../../../../docs/use/campaign-events.md', import.meta.url), 'utf8');
const section = page.split('\n## policy\n')[1]?.split('\n## ')[0] ?? '';
/** Member → the default in brackets, of those that have one. */
const documented = Object.fromEntries(
  [...section.matchAll(/^\| `([\w.]+)` +\|.*?\[(\w+)\]/gm)].map(([, member, value]) => [member, value]),
);

describe('the policy of a campaign that names none (campaign-events.md, "policy")', () => {
  it('is what the page says in brackets', () => {
    const { dst, night, passedZone, deadline, lateness, handoff, jitterMs, approval } = policyDefaults;
    expect(documented).toEqual({
      'dst.gap': dst.gap,
      'dst.overlap': dst.overlap,
      night,
      passedZone: passedZone.kind,
      deadline: 'P1D',
      'lateness.max': 'PT30M',
      'lateness.then': lateness.beyond,
      handoff,
      jitter: 'PT0S',
      approval,
    });
    expect(parseDuration('P1D')).toEqual(deadline);
    expect(parseDuration('PT30M')?.ms).toBe(lateness.maxMs);
    expect(parseDuration('PT0S')?.ms).toBe(jitterMs);
  });

  it('has neither quiet hours nor a pace, splits nothing and asks nobody', () => {
    expect(policyDefaults).toMatchObject({
      quietHours: null,
      pace: null,
      split: { deviceType: false, country: false },
      approval: 'none',
      testTo: [],
    });
  });
});
