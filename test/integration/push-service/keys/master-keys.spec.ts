// A master key that replaces another, in the push service as it runs: access keys are sealed anew, health says what hangs
// on the former one, and a process without it serves whoever it can.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../../src/platform/env.js';
import { newMasterKey, Sealer } from '../../../../src/platform/secrets/sealed.js';
import { reseal } from '../../../../src/platform/secrets/reseal.js';
import { SECRET } from '../../../../src/push-service/gateway/access.store.js';
import { SEALED } from '../../../../src/push-service/sealed-columns.js';
import { cloneDatabase, type TestDatabase } from '../../../support/postgres/database.js';
import { eventually } from '../../../support/eventually.js';
import { Client, exchange, Management } from '../../../contract/push-service/support/client.js';
import { query } from '../../../contract/push-service/support/replica.js';
import { refusal } from '../../../contract/push-service/support/stage.js';
import { startOwn, type Target } from '../../../contract/push-service/support/target.js';
import { addService, openDatabase } from '../delivery/push-rows.js';

const [OLD, NEW] = [newMasterKey('old'), newMasterKey('new')];

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

async function started<Result>(keys: string, work: (target: Target) => Promise<Result>): Promise<Result> {
  const target = await startOwn({ DATABASE_URL: database.url, CARILLON_MASTER_KEY: keys });
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

/** What the check says, and whether the process is ready all the same. */
async function masterKeyCheck(target: Target): Promise<[ready: boolean, ok: boolean, text: string]> {
  const headers = { authorization: `Bearer ${target.managementToken}` };
  const answer = await exchange(target.managementUrl, 'GET', '/health/ready', headers);
  const { ready, checks } = answer.json() as {
    ready: boolean;
    checks: { name: string; ok: boolean; text: string }[];
  };
  const check = checks.find(({ name }) => name === 'master key');
  return [ready, check?.ok ?? false, check?.text ?? 'no such check'];
}

it('ends with every key under the new one, and the old one of no use', async () => {
  const made = await started(OLD, (target) => new Management(target).newService());
  const status = async (target: Target) =>
    refusalOf(await new Client(target, made.serviceId, made.keys).get('channels'));

  await started(NEW, async (target) => {
    // Nothing was accepted, and another process may serve it: 503, not 500.
    expect(await status(target)).toEqual([503, '500', 'Endpoint Error']);
    const text = `1 of access_key (${made.keys.accessKey}) need the master key old: it is not in CARILLON_MASTER_KEY: put it back behind the current one`;
    expect(await masterKeyCheck(target)).toEqual([true, false, text]);
    // Whose key this process can open is served.
    const other = await new Management(target).newService();
    expect((await other.get('channels')).status).toBe(200);
  });
  await started(`${NEW},${OLD}`, async (target) => {
    expect(await status(target)).toBe(200);
    await eventually(async () => {
      const [left] = await query<{ count: number }>(
        database.url,
        `select count(*)::int as count from access_key where secret_sealed like 'old.%'`,
      );
      return left?.count === 0;
    });
    await eventually(async () => expect(await masterKeyCheck(target)).toEqual([true, true, 'ok']));
  });
  await started(NEW, async (target) => expect(await status(target)).toBe(200));
});

function refusalOf(answer: Awaited<ReturnType<Client['get']>>): number | ReturnType<typeof refusal> {
  return answer.status < 400 ? answer.status : refusal(answer);
}

it('seals thousands of rows anew, a page at a time, past those that do not open', async () => {
  const opened = await openDatabase();
  const { sql } = opened;
  const [old, both] = [OLD, `${NEW},${OLD}`].map((keys) => new Sealer(new Secret(keys)));
  if (old === undefined || both === undefined) throw new Error('two sealers were made');
  try {
    const now = new Date();
    const names = Array.from({ length: 1_300 }, (_, index) => `key-${String(index).padStart(4, '0')}`);
    for (const name of names.slice(0, 3)) await addService(sql, name, now);
    await sql.query(
      `insert into account (id, created_at) select name, now() from unnest($1::text[]) as name
      on conflict do nothing`,
      [names],
    );
    await sql.query(
      `insert into access_key (access_key, account_id, position, secret_sealed, created_at)
       select name, name, 1, sealed, now() from unnest($1::text[], $2::text[]) as n(name, sealed)`,
      [names, names.map((name, index) => (index % 400 === 7 ? 'lost.AAAA' : old.seal(name, SECRET, name)))],
    );
    let most = 0;
    const counting = {
      query: async <Row>(text: string, parameters?: readonly unknown[]) => {
        const rows = await sql.query<Row>(text, parameters);
        most = Math.max(most, rows.length);
        return rows;
      },
    };
    expect(await reseal(counting, both, SEALED)).toBe(1_296);
    expect(most).toBe(500);
    expect(await reseal(counting, both, SEALED)).toBe(0);
    const left = await sql.query<{ id: string; count: number }>(
      `select split_part(secret_sealed, '.', 1) as id, count(*)::int as count from access_key group by 1 order by 1`,
    );
    expect(left).toEqual([
      { id: 'lost', count: 4 },
      { id: 'new', count: 1_296 },
    ]);
  } finally {
    await opened.close();
  }
});

it('opens no secret that was put into another key’s row', async () => {
  await started(NEW, async (target) => {
    const management = new Management(target);
    const [mine, theirs] = [await management.newService(), await management.newService()];
    await query(
      database.url,
      `update access_key set secret_sealed = (select secret_sealed from access_key where access_key = $1)
       where access_key = $2`,
      [mine.keys.accessKey, theirs.keys.accessKey],
    );
    const keys = { accessKey: theirs.keys.accessKey, secretKey: mine.keys.secretKey };
    expect(refusalOf(await theirs.get('channels', { keys }))).toEqual([503, '500', 'Endpoint Error']);
    expect((await mine.get('channels')).status).toBe(200);
  });
});
