// The pages of docs/ are kept as their readers need them: each is listed, none is too long to read, every link leads somewhere,
// and a decision begins with the question that it answers.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../tools/project.js';
import { headingsOf, isHeading } from '../support/doc-headings.js';

const MOST_BYTES = 25_000;
const MOST_LINES = { 'README.md': 200, decision: 60, unreleased: 60 };
/** Mostly tables of fields, which `npm run schemas` writes. */
const TABLES_OF_FIELDS = 'docs/use/campaign-events.md';
const GROUPS = ['use', 'operate', 'understand'];

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const lines = (text: string): number => text.trimEnd().split('\n').length;

const pages = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.md'));
const decisions = pages.filter((page) => /^docs\/decisions\/\d{4}-/.test(page));
const linked = ['README.md', 'CONTRIBUTING.md', 'packages/publisher/README.md', ...pages];

/** What a page links to in this repository, without the place within it. */
function targetsOf(file: string): string[] {
  const prose = read(file)
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => normalize(join(dirname(file), target)).replaceAll('\\', '/'));
}

/** A page's own question, in one line. */
const questionOf = (page: string): string | undefined =>
  /^# .+\n\n\*\*Question\.\*\* ([^]+?)\n\n/.exec(read(page))?.[1]?.replaceAll('\n', ' ');

describe('the pages of docs/', () => {
  it('are in the folder of their reader, each under a name of its own, and in the index', () => {
    const others = pages.filter((page) => !page.startsWith('docs/decisions/') && page !== 'docs/README.md');
    expect(others.map((page) => page.split('/')[1]).filter((group = '') => !GROUPS.includes(group))).toEqual(
      [],
    );
    expect(new Set(others.map((page) => page.split('/').at(-1))).size).toBe(others.length);
    const index = targetsOf('docs/README.md').filter((page) => others.includes(page));
    expect(index.toSorted()).toEqual(others.toSorted());
  });

  it('link to what is there', () => {
    const dead = linked.flatMap((file) =>
      targetsOf(file).flatMap((target) =>
        existsSync(join(projectRoot, target)) ? [] : [`${file}: ${target}`],
      ),
    );
    expect(dead).toEqual([]);
    expect(targetsOf('docs/README.md').length).toBeGreaterThan(30);
  });

  it('name headings that are there', () => {
    const named = linked.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)#\s]+\.md)\),?\s+(?:"([^"]+)"|§([\d.]*\d))/g)].map(
        ([, target = '', heading, section]) => ({
          file,
          page: normalize(join(dirname(file), target)).replaceAll('\\', '/'),
          place:
            heading === undefined ? `§${section ?? ''}` : heading.replaceAll('`', '').replaceAll(/\s+/g, ' '),
        }),
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(
      named.filter(({ page, place }) => !headingsOf(page).some((heading) => isHeading(heading, place))),
    ).toEqual([]);
  });

  it('are short enough to be read', () => {
    const long = pages.filter(
      (page) => page !== TABLES_OF_FIELDS && Buffer.byteLength(read(page)) > MOST_BYTES,
    );
    expect(long).toEqual([]);
    expect(lines(read('README.md'))).toBeLessThanOrEqual(MOST_LINES['README.md']);
    const [unreleased = ''] = read('CHANGELOG.md').split(/^## (?!.*unreleased)/m);
    expect(lines(unreleased)).toBeLessThanOrEqual(MOST_LINES.unreleased);
  });
});

describe('a decision', () => {
  it('begins with the question that it answers, which the index has too, and is at most a screen', () => {
    const index = read('docs/decisions/README.md').split('\n');
    const rows = decisions.map((page) => index.filter((row) => row.includes(`(${page.split('/').at(-1)})`)));
    expect(rows.map((found, at) => [decisions[at], found.length])).toEqual(
      decisions.map((page) => [page, 1]),
    );
    for (const [at, page] of decisions.entries()) {
      const question = questionOf(page);
      expect([page, question]).toEqual([page, expect.stringMatching(/^[^?]+\?$/)]);
      expect([page, rows[at]?.[0]?.split('|')[2]?.trim()]).toEqual([page, question]);
      expect([page, lines(read(page)) <= MOST_LINES.decision]).toEqual([page, true]);
    }
  });
});
