// The rows of every table of both services are deleted at some time, or have a stated bound: retention.md, "What is kept", names
// each once.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { projectRoot } from '../../tools/project.js';

const read = (file: string): string => readFileSync(`${projectRoot}/${file}`, 'utf8');

const TABLES = ['scheduler', 'push-service'].flatMap((service) =>
  [...read(`sql/${service}/schema.sql`).matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map(
    ([, name]) => name ?? '',
  ),
);

/** The first column names tables, the second says until when. */
const ROWS =
  read('docs/operate/retention.md')
    .split(/^## /m)
    .find((section) => section.startsWith('What is kept\n'))
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, 3)) ?? [];

const namesIn = (cell = ''): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '');

it('names every table of the schema, each once, and no other', () => {
  expect(ROWS.flatMap(([tables]) => namesIn(tables)).sort()).toEqual([...TABLES].sort());
});

it('says until when each is kept, by a length, a setting that there is, or what bounds it', () => {
  const settings = read('.env.example');
  for (const [tables, until = ''] of ROWS) {
    expect([tables, until]).toEqual([
      tables,
      expect.stringMatching(/\d+ (days|hours)|_(DAYS|HOURS)`|^ *(as|until|while|a fixed number) /),
    ]);
    for (const setting of namesIn(until)) expect(settings).toContain(`# ${setting}=`);
  }
});
