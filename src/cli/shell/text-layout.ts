// Text for a terminal: lines that end before its edge, counts with the right word, instants. Pure.
import { instantText } from '../../platform/instant.js';

/** Breaks at spaces; every line but the first is indented by `hang`. A word longer than a line gets one of its own. */
export function wrap(text: string, width: number, hang = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trimStart().split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || lengthOf(longer) <= width - (lines.length === 0 ? lead(text) : hang.length))
      line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  return lines.map((one, index) => (index === 0 ? ' '.repeat(lead(text)) : hang) + one);
}

function lead(text: string): number {
  return text.length - text.trimStart().length;
}

/** The width in columns of a terminal: Korean letters take two. */
export function lengthOf(text: string): number {
  return text.length + (text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/g)?.length ?? 0);
}

/** `1 cell`, `2 cells`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `2027-03-01 00:00Z`, with seconds if there are any, and without their fraction. */
export function utc(instant: number): string {
  return instantText(Math.floor(instant / 1_000) * 1_000)
    .replace('T', ' ')
    .replace(/(?::00)?\.000Z$/, 'Z');
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
