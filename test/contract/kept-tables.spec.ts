// The rows of every table of both services are deleted at some time, or have a stated bound: the list of the service names each table
// once. The services delete by these lists, and docs/operate/retention.md is written from them (schemas.spec.ts).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KEPT as PUSH_KEPT } from '../../src/push-service/retention/kept.js';
import { KEPT } from '../../src/scheduler/store/kept.js';
import { keptTable } from '../../tools/contracts/kept-table.js';
import { projectRoot } from '../../tools/project.js';

const read = (file: string): string => readFileSync(`${projectRoot}/${file}`, 'utf8');

describe.each([
  ['scheduler', KEPT],
  ['push-service', PUSH_KEPT],
])('the list of the %s', (service, list) => {
  const schema = read(`sql/${service}/schema.sql`);

  it('names every table of the schema, each once, and no other', () => {
    const tables = [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map(([, name]) => name ?? '');
    expect(
      Object.keys(list)
        .flatMap((names) => names.split(' '))
        .sort(),
    ).toEqual(tables.sort());
  });

  it('says until when each is kept, by a length, a setting that there is, or what bounds it', () => {
    const settings = read('.env.example');
    for (const [, until = ''] of keptTable(list)
      .split('\n')
      .slice(2, -1)
      .map((row) => row.split('|').slice(1, 3))) {
      expect(until).toMatch(/\d+ (days|hours)|_(DAYS|HOURS)`|^ *(as|until|while|a fixed number) /);
      for (const [, setting = ''] of until.matchAll(/`(\w+)`/g)) expect(settings).toContain(`# ${setting}=`);
    }
  });
});
