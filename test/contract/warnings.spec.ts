// docs/use/warnings.md has every code that a plan may warn of, and no other.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WARNING_CODES } from '../../src/scheduler/decide/plan/warning-codes.js';
import { projectRoot } from '../../tools/project.js';

it('the table of warnings has every code, with what it means and what to do', () => {
  const page = readFileSync(`${projectRoot}/docs/use/warnings.md`, 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` *\| \S[^|]*\| \S[^|]*\|$/gm)].map(([, code]) => code);
  expect(rows).toEqual([...WARNING_CODES]);
});
