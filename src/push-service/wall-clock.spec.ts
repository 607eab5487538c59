// Wall times and instants against vectors made by other tools, by every source of zone rules on this machine.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completeRuleSets } from '../../test/support/planning/rule-sets.js';
import { parseLocal } from '../zone-rules/civil.js';
import { requireTable } from './wall-clock.js';

interface Row {
  id: string;
  zone: string;
  local: string;
  kind: 'unique' | 'gap' | 'overlap';
  tzdata_sensitive: boolean;
  expected: { any?: string; shift_forward?: string; first?: string };
}

const rows = readFileSync(new URL('../../test/vectors/zones.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

describe.each(completeRuleSets().map((rules) => [rules.source, rules] as const))(
  'a wall time in a zone, by %s',
  (_source, rules) => {
    const at = (local: string, zone: string): number =>
      requireTable(rules, zone).instantOf(parseLocal(local.replace(' ', 'T')) ?? Number.NaN);

    it.each([
      ['2026-03-08 02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
      ['2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
      ['2026-10-04 02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00Z'],
      ['2026-07-01 09:00', 'Asia/Kathmandu', '2026-07-01T03:15:00Z'],
    ])('%s in %s is %s', (local, zone, instant) => {
      expect(new Date(at(local, zone)).toISOString()).toBe(instant.replace('Z', '.000Z'));
    });

    it('agrees with every vector: forward past gaps, the first in overlaps', () => {
      const certain = rows.filter((row) => !row.tzdata_sensitive && rules.has(row.zone));
      const wrong = certain.filter((row) => {
        const { any, shift_forward: forward, first } = row.expected;
        return at(row.local, row.zone) !== Date.parse(any ?? forward ?? first ?? '');
      });
      expect(wrong.map((row) => `${row.id} ${row.local} ${row.zone}`)).toEqual([]);
      expect(certain.length).toBeGreaterThan(1_700);
    });
  },
);
