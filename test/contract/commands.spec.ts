// docs/use/commands.md names every command of carillon, and no other; and each has two examples, which it would take.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { carillon } from '../../src/cli/carillon-commands.js';
import { EXAMPLES } from '../../src/cli/examples.js';

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
  const [, table = ''] = page.split('\n## Command line: `carillon`');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.flatMap(named).toSorted()).toEqual(leaves(carillon()).toSorted());
});

describe('an example', () => {
  it('is there twice for every command, and for no other', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(leaves(carillon()).toSorted());
  });

  const calls = Object.entries(EXAMPLES).flatMap(([name, two]) => two.map((call) => [name, call] as const));
  it.each(calls)('of %s calls it by options that it has: %s', (name, call) => {
    let found: Command = carillon();
    for (const word of name.split(' ')) {
      const below = found.commands.find((one) => one.name() === word);
      if (below === undefined) throw new Error(`${name} is no command`);
      found = below;
    }
    // A list may be called by the name of its group alone.
    const group = name.replace(/ list$/, '');
    expect(`${call} `.startsWith(`${group} `)).toBe(true);
    // The example itself, without what is nested in it or piped from it.
    const [own = ''] = call.replace(/\$\(.*\)/, '').split(/ [|<>] /);
    const words = own
      .replaceAll(/'[^']*'/g, "''")
      .split(/\s+/)
      .filter((word) => /^--?[a-z]/.test(word));
    const flags = found.options.flatMap(({ short, long }) => [short, long]);
    for (const word of words) expect(flags).toContain(word);
  });
});
