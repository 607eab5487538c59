// docs/use/commands.md names every command of carillon, and no other.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { carillon } from '../../src/cli/carillon-commands.js';

const page = readFileSync(new URL('../../docs/use/commands.md', import.meta.url), 'utf8');

/** Every command that does something, by its whole name: `token create`. */
function leaves(command: Command, above: readonly string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const name = [...above, one.name()];
    return one.commands.length === 0 ? [name.join(' ')] : leaves(one, name);
  });
}

/** The names of a row's first cell: `campaign show`, `pause` are two of campaign. */
function named(row: string): string[] {
  const [, cell = ''] = row.split('|');
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+[A-Z]+…?/g, ''));
  const group = (names[0] ?? '').split(' ').slice(0, -1);
  return names.map((name, index) => (index === 0 ? name : [...group, name].join(' ')));
}

it('names every command, and no other', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.flatMap(named).toSorted()).toEqual(leaves(carillon()).toSorted());
});
