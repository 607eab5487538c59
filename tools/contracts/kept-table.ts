// What ends the rows of each table, as a table of Markdown, from the list by which they are deleted. Pure.
import type { KeptFor, KeptTables } from '../../src/platform/kept.js';

export function keptTable(list: KeptTables): string {
  const rows = Object.entries(list).map(([tables, kept]) => {
    const names = tables.split(' ').map((name) => `\`${name}\``);
    return `| ${names.join(' ')} | ${typeof kept === 'string' ? kept : inWords(kept)} |`;
  });
  return ['| table | until when, or how many at most |', '| --- | --- |', ...rows, ''].join('\n');
}

function inWords({ length, also = '' }: KeptFor): string {
  return `${typeof length === 'string' ? `\`${length}\`` : `${length} days`}${also}`;
}
