// Every citation in the code can be followed: the page it names is in a folder of docs/, and has the heading it names. The forms are
// `page.md §n`, `page.md "Heading"` and `docs/decisions/nnnn`; a citation may be broken over lines of a comment.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../tools/project.js';
import { headingsOf, isHeading } from '../support/doc-headings.js';

interface Citation {
  /** `src/file.ts:12` */
  readonly where: string;
  readonly page: string;
  /** `§4.4`, or the heading's words; undefined for a decision, which is a page of its own. */
  readonly place: string | undefined;
}

const SECTIONS = /([a-z0-9-]+\.md),?\s+(§[\d.]*\d(?:(?:,|\s+and|\s+to|\s+or)+\s+§[\d.]*\d)*)/g;
const HEADING = /([a-z0-9-]+\.md),?\s+"([^"]+)"/g;
const DECISION = /docs\/decisions\/(\d{4})/g;
/** Sections of documents that are not ours name them; those of pages stand in SECTIONS. */
const FOREIGN = /(?:RFC \d+|W3C Trace Context),?\s+§[\d.]*\d(?:(?:,|\s+and|\s+to|\s+or)+\s+§[\d.]*\d)*/g;

/** A line break of a comment, with what begins the next line, counts as blanks: places in the text stay what they are. */
const unbroken = (text: string): string =>
  text.replaceAll(/\n[ \t]*(?:\/\/|\*(?!\/)|--)?[ \t]?/g, (broken) => ' '.repeat(broken.length));

function citationsIn(file: string, text: string): Citation[] {
  const read = unbroken(text);
  const where = (index: number): string => `${file}:${text.slice(0, index).split('\n').length}`;
  const found: Citation[] = [];
  for (const { 1: page = '', 2: sections = '', index } of read.matchAll(SECTIONS))
    for (const [place] of sections.matchAll(/§[\d.]*\d/g)) found.push({ where: where(index), page, place });
  for (const { 1: page = '', 2: heading = '', index } of read.matchAll(HEADING))
    found.push({ where: where(index), page, place: heading.replaceAll(/\s+/g, ' ') });
  for (const { 1: number = '', index } of read.matchAll(DECISION))
    found.push({ where: where(index), page: `decisions/${number}`, place: undefined });
  return found;
}

/** A section that is named without its document. */
function bareSections(file: string, text: string): string[] {
  const named = unbroken(text).replaceAll(new RegExp(`${SECTIONS.source}|${FOREIGN.source}`, 'g'), (found) =>
    ' '.repeat(found.length),
  );
  return [...named.matchAll(/§[\d.]*\d/g)].map(
    ({ 0: section, index }) => `${file}:${text.slice(0, index).split('\n').length}: ${section} of what?`,
  );
}

const decisions = readdirSync(join(projectRoot, 'docs', 'decisions'));

/** Its name → where it is. The names differ, whatever their folder: pages.spec.ts. */
const pages = new Map(
  ['use', 'operate', 'understand'].flatMap((group) =>
    readdirSync(join(projectRoot, 'docs', group)).map((name) => [name, `docs/${group}/${name}`] as const),
  ),
);

/** What is wrong with a citation, or undefined. */
function fault({ where, page, place }: Citation): string | undefined {
  if (place === undefined) {
    const isThere = decisions.some((name) => name.startsWith(`${page.slice('decisions/'.length)}-`));
    return isThere ? undefined : `${where}: there is no decision ${page}`;
  }
  const file = pages.get(page);
  if (file === undefined) return `${where}: there is no page ${page} in docs/`;
  return headingsOf(file).some((heading) => isHeading(heading, place))
    ? undefined
    : `${where}: ${file} has no heading ${place}`;
}

const files = ['src', 'sql', 'migrations'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|sql)$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((file) => ({ file, text: readFileSync(join(projectRoot, file), 'utf8') })),
);
const citations = files.flatMap(({ file, text }) => citationsIn(file, text));

describe('citations', () => {
  it('name pages of docs/ and headings that are there', () => {
    expect(citations.map(fault).filter((found) => found !== undefined)).toEqual([]);
  });

  it('name the document that a section is of', () => {
    expect(files.flatMap(({ file, text }) => bareSections(file, text))).toEqual([]);
    const text = '// By §4.3, RFC 5545 §3.3.10 and\n// planning.md §4 and §5.\n/** §7 */';
    expect(bareSections('it', text)).toEqual(['it:1: §4.3 of what?', 'it:3: §7 of what?']);
  });

  it('are found in some number, and in every form', () => {
    const forms = { section: 0, words: 0, decision: 0 };
    for (const { place } of citations)
      forms[place === undefined ? 'decision' : place.startsWith('§') ? 'section' : 'words'] += 1;
    expect(forms.section).toBeGreaterThan(40);
    expect(forms.words).toBeGreaterThan(15);
    expect(forms.decision).toBeGreaterThan(5);
  });

  it('are listed where they are wrong', () => {
    const text = [
      '// By planning.md §99, planning.md §4 and §5, push-interface.md §2.1 to §2.5;',
      '// no-such-page.md "Words" and (life-of-a-send.md, "No such',
      '// heading"), (life-of-a-send.md, "Campaign and',
      '// occurrence"), life-of-a-send.md "guarantee 3";',
      '// docs/decisions/0001 and docs/decisions/9999.',
    ].join('\n');
    expect(citationsIn('it', text).flatMap((one) => fault(one) ?? [])).toEqual([
      'it:1: docs/understand/planning.md has no heading §99',
      'it:2: there is no page no-such-page.md in docs/',
      'it:2: docs/understand/life-of-a-send.md has no heading No such heading',
      'it:5: there is no decision decisions/9999',
    ]);
  });
});
