// docs/campaign-events.md, "Warnings", has every code that a plan may warn of, and none else.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WARNING_CODES } from '../../src/scheduler/decide/plan/warning-codes.js';
import { docsPage } from '../../tools/contracts/contract-files.js';

it('the table of warnings has every code, with what it means and what to do', () => {
  const [, section = ''] = readFileSync(docsPage, 'utf8').split(/^## Warnings$/m);
  const [table = ''] = section.split(/^## /m);
  const rows = [...table.matchAll(/^\| `([A-Z_]+)` *\| \S[^|]*\| \S[^|]*\|$/gm)].map(([, code]) => code);
  expect(rows).toEqual([...WARNING_CODES]);
});
