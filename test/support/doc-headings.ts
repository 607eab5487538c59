// The headings of a page of docs/, and whether a citation means one of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../tools/project.js';

const known = new Map<string, readonly string[]>();

/** Without back-ticks; `file` is named from the project's root. */
export function headingsOf(file: string): readonly string[] {
  let headings = known.get(file);
  if (headings === undefined) {
    const prose = readFileSync(join(projectRoot, file), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
    headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text.replaceAll('`', ''));
    known.set(file, headings);
  }
  return headings;
}

/** By number (`§4.4`): the heading begins with it. By words: all of it, or what stands before its colon. */
export function isHeading(heading: string, place: string): boolean {
  if (place.startsWith('§')) return /^[\d.]*\d/.exec(heading)?.[0] === place.slice(1);
  const wanted = place.toLowerCase();
  const lower = heading.toLowerCase();
  return lower === wanted || lower.startsWith(`${wanted}:`);
}
