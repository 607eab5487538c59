// carillon audiences against a running scheduler: what it prints, and how it ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { carillon } from '../../support/compiled.js';
import { ListWorld, SERVICE } from '../../support/scheduler/list-world.js';

let world: ListWorld;
let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), 'list-'));

beforeAll(async () => {
  world = await ListWorld.open();
  env = { CARILLON_URL: world.scheduler.url, CARILLON_TOKEN: world.publisher.replace('Bearer ', '') };
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const list = (...args: string[]) => carillon(['audiences', ...args, '--service', SERVICE], env);

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it('puts, lists, shows and deletes', async () => {
  const csv = file('vip.csv.gz', gzipSync('userId,zone\na,Asia/Seoul\nb\nb\nc,Asia/Soul\n'));
  const put = await list('put', 'vip', csv, '--expires', '10');
  expect(put).toMatchObject({ code: 0, stderr: '' });
  expect(put.stdout).toMatch(
    /^vip: 3 users in 1 zone, until 2027-03-11[^]*1 row named a user again[^]*1 user without a zone[^]*Asia\/Soul is no zone \(1 user\); did you mean Asia\/Seoul\?/,
  );
  const again = await list('put', 'vip', csv, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ unchanged: true, rows: 3 });
  const lines = file('vip.ndjson', '{"userId":"a"}\n');
  expect((await list('put', 'more', lines)).stdout).toContain('more: 1 user');
  const { stdout } = await list('list', '--csv');
  expect(stdout).toMatch(/^name,users,expires\r\nmore,1,2027-.*\r\nvip,3,2027-/);
  expect((await list('show', 'vip')).stdout).toMatch(
    /the one that counts: 3 users[^]*no zone: 1\n {2}Asia\/Seoul: 1/,
  );
  expect((await list('delete', 'more')).stdout).toBe('more is deleted\n');
});

it('ends with 1 and the answer in words where it is refused, and with 2 where the call is wrong', async () => {
  const bad = await list('put', 'bad', file('bad.csv', 'a\nb,c,d\n'));
  expect(bad).toMatchObject({ code: 1, stdout: '' });
  expect(bad.stderr).toContain('line 2: there are two columns at most');
  // Much more than fits into the buffers between: the answer comes before all of it is sent.
  const large = await list('put', 'bad', file('large.csv', `a,b,c\n${'user\n'.repeat(4_000_000)}`));
  expect(large.code).toBe(1);
  expect(large.stderr).toContain('line 1: there are two columns at most');
  expect(await list('show', 'nobody')).toMatchObject({ code: 1, stderr: 'there is no such list\n' });
  expect(await list('put', 'x', join(folder, 'none.csv'))).toMatchObject({ code: 2 });
  expect(await carillon(['audiences', 'list'], env)).toMatchObject({ code: 2 });
});
