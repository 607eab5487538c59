// docs/operate/runbook.md has one heading for each cause, and each says the four things that a person at night needs.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CAUSE_CODES, CAUSES, runbookOf } from '../../src/scheduler/alerts/cause.js';

const PAGE = 'docs/operate/runbook.md';
const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

it('has a heading for each cause, in their order, and no other', () => {
  expect([...sections.keys()]).toEqual(CAUSE_CODES);
});

it.each(CAUSE_CODES)('says of %s what it means, what to look at, what to do and what not to do', (code) => {
  const section = sections.get(code) ?? '';
  for (const words of ['**It means**', '**Look at**', '**Do** ', '**Do not**'])
    expect(section).toContain(words);
  expect(section).toMatch(/`[^`]+`/);
});

it('is named by each cause with the anchor of its heading', () => {
  for (const code of CAUSE_CODES) {
    expect(runbookOf(code)).toBe(`${PAGE}#${code.toLowerCase()}`);
    const { setting } = CAUSES[code];
    expect(setting === null || setting.startsWith('ALERT_')).toBe(true);
  }
});
