// Lists that lead from a figure to its rows: the filters of sends, failures, campaigns, plan and audit over HTTP, what a page
// counts, and that none of them reads a table to its end.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { MOST_LOOKED_AT } from '../../../src/platform/database/bounded-pages.js';
import {
  campaignPage,
  countSends,
  nextDueOf,
} from '../../../src/scheduler/report/lists/campaign-list.store.js';
import { failureGroups, type FailureKey } from '../../../src/scheduler/report/lists/failure-groups.store.js';
import { sendPage } from '../../../src/scheduler/store/read/send-view.store.js';
import { blocksOf } from '../../support/postgres/blocks-of.js';
import { eventually } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { PlanWorld, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

type Row = Record<string, unknown>;
interface PageBody {
  items: Row[];
  nextCursor: string | null;
  count: { value: number; atLeast: boolean } | null;
}
interface Failures extends PageBody {
  items: (Row & { sends: number; filter: Record<string, string> })[];
  sends: { value: number; atLeast: boolean };
}

const OTHER = 'another-app';
const TAGGED = 'tagged-app';
const HOUR = 3_600_000;
const at = (ms: number): string => new Date(START + ms).toISOString();

let world: PlanWorld;
let scheduler: TestScheduler;
let operator: string;
let shop: string;
/** Of three zones, three sends each. */
let spread: { id: string; sends: string[] };
let others: { id: string; sends: string[] };

beforeAll(async () => {
  world = await PlanWorld.open();
  await world.project({ service_id: OTHER });
  await world.rows('update project set max_to = 1');
  scheduler = await startScheduler(schedulerConfig(world.url, { CARILLON_ROLES: 'api' }), {
    clock: world.clock,
  });
  await eventually(() => scheduler.dataSource.isInitialized);
  operator = await scheduler.bearer(['admin']);
  shop = await scheduler.bearer(['operator'], [SERVICE]);
  const zones = ['Asia/Seoul', 'Europe/Paris', 'America/New_York'];
  spread = await world.planned({
    audience: null,
    delivery: {
      kind: 'recipient',
      local: '2027-03-14T12:00',
      segments: zones.map((zone) => ({ zone, audience: users(3, zone) })),
    },
  });
  world.clock.advance(1_000);
  others = await world.planned({ serviceId: OTHER, audience: users(3) });
  const led = async (
    send: string,
    path: SendState[],
    code: string | null,
    columns: Row = {},
  ): Promise<void> => {
    await world.lead(send, path, columns);
    await world.rows('update send set code = $2 where id = $1', [send, code]);
  };
  const [a = '', b = '', c = '', d = ''] = spread.sends;
  const refused = { http_status: 400 };
  await led(a, ['sending', 'rejected'], 'BAD_TARGET', refused);
  await led(b, ['sending', 'rejected'], 'BAD_TARGET', refused);
  await led(c, ['sending', 'uncertain'], 'NO_ANSWER');
  await led(d, ['sending', 'accepted', 'failed'], 'ALL_FAILED', { request_id: 'req-7' });
  world.clock.advance(1_000);
  const [e = '', f = '', g = ''] = others.sends;
  await led(e, ['sending', 'rejected'], 'BAD_TARGET', refused);
  const answered = new Date(START + 1_000 + 45_000);
  await led(f, ['sending', 'accepted', 'sent'], null, { request_id: 'req-8', answered_at: answered });
  await led(g, ['sending', 'rejected'], null, { http_status: 413 });
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

async function get<Body = PageBody>(path: string, authorization = operator): Promise<Body> {
  const answer = await scheduler.call('GET', path, { authorization });
  expect([path, answer.status, answer.status === 200 ? '' : answer.body]).toEqual([path, 200, '']);
  return answer.body as Body;
}

async function all(path: string, authorization = operator): Promise<Row[]> {
  const found: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: PageBody = await get(
      `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`,
      authorization,
    );
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}
const idsOf = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id);

describe('GET /v1/sends', () => {
  it.each([
    ['serviceId=another-app', 3],
    ['code=BAD_TARGET', 3],
    ['code=none&state=rejected', 1],
    ['zone=Europe/Paris', 3],
    ['httpStatus=400', 3],
    ['httpStatus=413', 1],
    ['httpStatus=none&state=uncertain,failed', 2],
    ['requestId=req-7', 1],
    ['mode=reserved', 9],
    ['mode=immediate', 3],
    ['lateOver=44999', 1],
    ['lateOver=PT45S', 0],
    ['deferred=true', 0],
    ['deferred=false', 12],
    [`dueTo=${at(HOUR)}`, 3],
    [`dueFrom=${at(HOUR)}`, 9],
    ['state=rejected,uncertain', 5],
  ])('by %s finds and counts %i', async (query, sends) => {
    expect(await all(`/v1/sends?${query}`)).toHaveLength(sends);
    const first = await get(`/v1/sends?${query}&limit=1`);
    expect(first.count).toEqual({ value: sends, atLeast: false });
  });

  it('counts on the first page alone', async () => {
    const { nextCursor } = await get('/v1/sends?limit=1');
    expect((await get(`/v1/sends?limit=1&cursor=${nextCursor}`)).count).toBeNull();
  });

  it('by campaign, occurrence and cell, alike under the campaign', async () => {
    const [{ cell } = {}] = await all(`/v1/sends?campaign=${spread.id}&zone=Asia/Seoul`);
    const query = `occurrence=once&cell=${encodeURIComponent(String(cell))}`;
    const listed = await all(`/v1/sends?campaign=${spread.id}&${query}`);
    expect(listed).toHaveLength(3);
    expect(await all(`/v1/campaigns/${spread.id}/sends?${query}`)).toEqual(listed);
    expect(await all(`/v1/campaigns/${spread.id}/sends?${query}&state=sent`)).toEqual([]);
  });

  it('newest first is the same list the other way round, by pages of any length', async () => {
    for (const query of [
      'newest=true',
      `campaign=${spread.id}`,
      'state=rejected,failed',
      'code=BAD_TARGET',
    ]) {
      const forward = idsOf(await all(`/v1/sends?${query}&limit=500`));
      expect(forward.length).toBeGreaterThan(2);
      expect(idsOf(await all(`/v1/sends?${query}&order=newest&limit=2`))).toEqual(forward.toReversed());
      expect(idsOf(await all(`/v1/sends?${query}&order=oldest&limit=2`))).toEqual(forward);
    }
  });

  it('shows a token nothing of the services it does not hold', async () => {
    for (const query of ['newest=true', 'state=rejected', 'code=BAD_TARGET', `campaign=${others.id}`])
      expect((await all(`/v1/sends?${query}`, shop)).filter((send) => send['serviceId'] !== SERVICE)).toEqual(
        [],
      );
  });

  it('refuses what it does not know, and says what it takes', async () => {
    const unknown = await scheduler.call('GET', '/v1/sends?zones=Asia/Seoul', { authorization: operator });
    expect(unknown).toMatchObject({
      status: 400,
      body: { problems: [{ pointer: '?zones', code: 'UNKNOWN_PARAMETER' }] },
    });
    expect(JSON.stringify(unknown.body)).toContain('zone');
    for (const query of ['lateOver=P1M', 'lateOver=-1', 'httpStatus=7', 'deferred=yes', 'order=up', 'mode=x'])
      expect(await scheduler.call('GET', `/v1/sends?${query}`, { authorization: operator })).toMatchObject({
        status: 400,
      });
  });
});

describe('GET /v1/failures', () => {
  it('leads from every group, by every key, to exactly its sends', async () => {
    const keys = ['code', 'project', 'campaign', 'zone', 'mode', 'httpStatus'];
    for (const groupBy of [...keys, 'code,zone', keys.join(',')]) {
      const { items, sends } = await get<Failures>(`/v1/failures?groupBy=${groupBy}`);
      expect(sends).toEqual({ value: 6, atLeast: false });
      expect(items.reduce((sum, group) => sum + group.sends, 0)).toBe(6);
      for (const group of items) {
        const query = new URLSearchParams(group.filter).toString();
        const rows = await all(`/v1/sends?${query}`);
        expect([groupBy, query, rows.length]).toEqual([groupBy, query, group.sends]);
        expect((await get(`/v1/sends?${query}`)).count).toEqual({ value: group.sends, atLeast: false });
        const times = rows.map((send) => String(send['stateAt'])).toSorted();
        expect([group['firstAt'], group['lastAt']]).toEqual([times[0], times.at(-1)]);
      }
    }
  });

  it('names each group, the largest first, and whether its sends may be retried', async () => {
    const { items } = await get<Failures>('/v1/failures?groupBy=code,campaign');
    expect(items[0]).toMatchObject({
      state: 'rejected',
      code: 'BAD_TARGET',
      campaign: spread.id,
      campaignId: `c-${spread.id}`,
      sends: 2,
      retryable: true,
    });
    expect(items.find(({ state }) => state === 'uncertain')).toMatchObject({ retryable: false });
    expect(items.map(({ sends }) => sends)).toEqual(
      items.map(({ sends }) => sends).toSorted((a, b) => b - a),
    );
  });

  it('pages through the groups, each once, and takes the filters of the sends', async () => {
    const whole = await get<Failures>('/v1/failures?groupBy=code,zone');
    const paged = await all('/v1/failures?groupBy=code,zone&limit=1');
    expect(paged).toEqual(whole.items);
    expect((await get<Failures>('/v1/failures?state=uncertain')).sends.value).toBe(1);
    expect((await get<Failures>(`/v1/failures?campaign=${others.id}&httpStatus=413`)).sends.value).toBe(1);
    expect((await get<Failures>('/v1/failures', shop)).sends.value).toBe(4);
  });

  it('has no group by what it does not know, nor of a state that asks for nobody', async () => {
    for (const query of ['groupBy=device', 'groupBy=', 'state=sent'])
      expect(await scheduler.call('GET', `/v1/failures?${query}`, { authorization: operator })).toMatchObject(
        {
          status: 400,
        },
      );
  });
});

describe('GET /v1/campaigns', () => {
  it('counts the sends of each by state, as the campaign alone does, and shows what is due next', async () => {
    for (const campaign of await all('/v1/campaigns')) {
      const alone = await get<Row>(`/v1/campaigns/${String(campaign['id'])}`);
      for (const member of ['sends', 'sendsAtLeast', 'nextDueAt', 'attention'])
        expect(campaign[member]).toEqual(alone[member]);
    }
    const [mine] = await all(`/v1/campaigns?serviceId=${SERVICE}&campaignId=c-${spread.id}`);
    expect(mine).toMatchObject({
      sends: { planned: 5, rejected: 2, uncertain: 1, failed: 1 },
      sendsAtLeast: false,
      nextDueAt: '2027-03-14T03:00:00.000Z',
    });
    const [other] = await all(`/v1/campaigns?serviceId=${OTHER}`);
    expect(other).toMatchObject({ nextDueAt: null });
  });

  it('holds the days whose sends it counts before it reads anything', async () => {
    const other = await OwnConnection.beside(world.dataSource);
    try {
      await other.query('begin');
      await other.query('lock table campaign');
      const asked = all('/v1/campaigns');
      await eventually(async () => {
        const held = await other.query(
          `select from pg_locks w join pg_locks h on h.pid = w.pid
             join pg_database d on d.oid = w.database and d.datname = current_database()
            where w.relation = 'campaign'::regclass and not w.granted and h.relation = 'send'::regclass and h.granted`,
        );
        expect(held).toHaveLength(1);
      });
      await other.query('rollback');
      expect(await asked).not.toEqual([]);
    } finally {
      await other.release();
    }
  });

  it('shows the next due of an occurrence under way, of its cells that are still to come', async () => {
    const due = await nextDueOf(world.dataSource, [{ id: spread.id }], new Date('2027-03-14T03:00:01Z'));
    expect(due.get(spread.id)?.toISOString()).toBe('2027-03-14T11:00:00.000Z');
    const over = await nextDueOf(world.dataSource, [{ id: spread.id }], new Date('2027-03-15T00:00:00Z'));
    expect(over.size).toBe(0);
  });

  it('finds by part of id or name, by several states, by what is due, by what asks for attention', async () => {
    await world.rows(`update campaign set name = 'Spring_SALE 100%' where id = $1`, [spread.id]);
    const found = async (query: string) => idsOf(await all(`/v1/campaigns?${query}`));
    expect(await found('q=g_sale%20100%25')).toEqual([spread.id]);
    expect(await found('q=%25')).toEqual([spread.id]);
    expect(await found(`q=${others.id.slice(3).toUpperCase()}`)).toEqual([others.id]);
    expect(await found('q=nothing')).toEqual([]);
    expect(await found('state=planned,running')).toEqual([others.id, spread.id]);
    expect(await found('state=completed')).toEqual([]);
    expect(await found('dueFrom=2027-03-14T00:00:00Z&dueTo=2027-03-15T00:00:00Z')).toEqual([spread.id]);
    expect(await found('dueFrom=2027-03-14T12:00:00Z&dueTo=2027-03-14T13:00:00Z')).toEqual([spread.id]);
    expect(await found('dueTo=2027-03-02T00:00:00Z')).toEqual([others.id]);
    expect(await found('order=oldest&limit=1')).toEqual([spread.id, others.id]);
  });

  it('lists what begins from now on, the soonest first, each campaign once, over all pages', async () => {
    const ids: string[] = [];
    for (const _ of [1, 2, 3, 4]) ids.push((await world.planned({ audience: users(1) })).id);
    const [late = '', soon = '', twice = '', over = ''] = ids;
    const begins = (id: string, hours: number) =>
      world.rows(
        `update occurrence set state = 'planned', first_due = $2, last_due = $2 where campaign = $1`,
        [id, at(hours * HOUR)],
      );
    await begins(late, 90_003);
    await begins(soon, 90_001);
    await begins(twice, 90_002);
    await begins(over, -1);
    await world.rows(
      `insert into occurrence select campaign, 'again', revision, state, code, $2, $2, state_at from occurrence
        where campaign = $1`,
      [twice, at(90_004 * HOUR)],
    );
    const listed = idsOf(await all(`/v1/campaigns?order=due&limit=1&dueFrom=${at(90_000 * HOUR)}`));
    expect(listed).toEqual([soon, twice, late]);
    expect(idsOf(await all('/v1/campaigns?order=due'))).toEqual([spread.id, ...listed]);
  });

  it('finds by tag, of the revision that is in force', async () => {
    const found = async (query: string, token?: string) =>
      idsOf(await all(`/v1/campaigns?${query}`, token))
        .map(String)
        .toSorted();
    const [first, second] = [
      (await world.planned({ audience: users(1) })).id,
      (await world.planned({ audience: users(1) })).id,
    ];
    await world.rows(`update campaign set tags = '{sale,"spring, 100 %"}' where id = $1`, [first]);
    await world.rows(`update campaign set tags = '{sale,other}' where id = $1`, [second]);
    expect(await found('tag=sale')).toEqual([first, second].toSorted());
    expect(await found(`tag=${encodeURIComponent('spring, 100 %')}`)).toEqual([first]);
    for (const nobody of ['spring', 'SALE', 'sal', 'other,sale'])
      expect(await found(`tag=${nobody}`)).toEqual([]);
    expect(await found('tag=sale', await scheduler.bearer(['publisher'], [OTHER]))).toEqual([]);
    expect(await found(`tag=sale&q=${second}`)).toEqual([second]);
    // The tags of the first revision do not count for a later one.
    await world.rows(
      `insert into revision (campaign, revision, event, state, data, request, taken_at)
       select campaign, 2, uuidv7(), 'in-force', data || '{"tags": ["later"]}', request, taken_at from revision where campaign = $1`,
      [first],
    );
    await world.rows('update campaign set revision = 2 where id = $1', [first]);
    expect(await found('tag=later')).toEqual([first]);
    expect(await found('tag=sale')).toEqual([second]);
  });

  it('with attention=true has exactly those whose attention is not null', async () => {
    const quiet = await world.planned({ audience: users(1) });
    const failing = await world.accepted();
    await world.damage(`update campaign set code = 'PLANNING_FAILED' where id = $1`, [failing]);
    const refused = await world.accepted();
    await world.damage(`update campaign set state = 'rejected' where id = $1`, [refused]);
    const nobody = await world.accepted();
    await world.damage(`update campaign set state = 'completed', code = 'ALL_EMPTY' where id = $1`, [nobody]);
    const running = await world.accepted();
    await world.damage(`update campaign set code = 'ALL_EMPTY' where id = $1`, [running]);
    const listed = await all('/v1/campaigns?limit=2');
    const asking = listed.filter((campaign) => campaign['attention'] !== null);
    expect(idsOf(asking)).toEqual(expect.arrayContaining([failing, refused, nobody, spread.id, others.id]));
    expect(idsOf(asking)).not.toEqual(expect.arrayContaining([quiet.id]));
    expect(await all('/v1/campaigns?attention=true&limit=2')).toEqual(asking);
  });
});

describe('the plan of a campaign', () => {
  it('is filtered by occurrence, zone and state, each cell with its sends and the changes of its clock', async () => {
    const plan = `/v1/campaigns/${spread.id}/plan`;
    const cells = await all(`${plan}?limit=2`);
    expect(cells.map((cell) => [cell['zone'], cell['offsetChanges']])).toEqual(
      [
        ['Asia/Seoul', []],
        ['Europe/Paris', []],
        ['America/New_York', [{ at: '2027-03-14T07:00:00.000Z', from: '-05:00', to: '-04:00' }]],
      ].toSorted(
        ([a], [b]) => cells.findIndex(({ zone }) => zone === a) - cells.findIndex(({ zone }) => zone === b),
      ),
    );
    for (const { zone, cell, sends, sendsAtLeast } of cells) {
      const rows = await all(`/v1/sends?campaign=${spread.id}&cell=${encodeURIComponent(String(cell))}`);
      const states: Record<string, number> = {};
      for (const { state } of rows) states[String(state)] = (states[String(state)] ?? 0) + 1;
      expect([zone, sends, sendsAtLeast]).toEqual([zone, states, false]);
    }
    expect((await all(`${plan}?zone=Europe/Paris`)).map(({ zone }) => zone)).toEqual(['Europe/Paris']);
    expect(await all(`${plan}?occurrence=twice`)).toEqual([]);
    expect(await all(`${plan}?occurrence=once&limit=1`)).toEqual(cells);
    const rejected = cells.filter(({ sends }) => 'rejected' in (sends as object));
    expect(rejected.length).toBeGreaterThan(0);
    expect(await all(`${plan}?state=rejected&limit=1`)).toEqual(rejected);
  });
});

describe('the figures of one answer are of one moment', () => {
  /** What `path` answers when `changes` are committed while the answer waits for `table`. */
  async function readBeside(table: string, path: string, changes: string[], id: string): Promise<Row> {
    const own = await OwnConnection.beside(world.dataSource);
    try {
      await own.query('begin');
      await own.query(`lock table ${table} in access exclusive mode`);
      const reading = get<Row>(path);
      await untilLockAwaited((text) => world.rows(text), { like: `%${table}%` });
      for (const change of changes) await own.query(change, [id]);
      await own.query('commit');
      return await reading;
    } finally {
      await own.release();
    }
  }
  const REMOVED = 'delete from send where campaign = $1 and chunk = 0';
  const sum = (sends: unknown): number =>
    Object.values(sends as Record<string, number>).reduce((total, some) => total + some, 0);

  it('a campaign and its sends', async () => {
    const { id } = await world.planned({ audience: users(3), serviceId: OTHER });
    const change = `update campaign set code = 'PLANNING_FAILED' where id = $1`;
    const { code, sends } = await readBeside('send', `/v1/campaigns/${id}`, [change, REMOVED], id);
    expect([code, sum(sends)]).toEqual(['PLANNING_FAILED', 2]);
  });

  it('the cells of a plan and their sends', async () => {
    const { id } = await world.planned({ audience: users(3), serviceId: OTHER });
    const change = 'update cell set chunks = 2 where campaign = $1';
    const { items } = await readBeside('send', `/v1/campaigns/${id}/plan`, [change, REMOVED], id);
    expect((items as Row[]).map(({ requests, sends }) => [requests, sum(sends)])).toEqual([[2, 2]]);
  });

  it('a send and its history', async () => {
    const { sends } = await world.planned({ audience: users(1), serviceId: OTHER });
    const [id = ''] = sends;
    await world.lead(id, ['sending', 'accepted']);
    const change = `update send set state = 'sent', changes = changes + 1 where id = $1`;
    const { state, history } = await readBeside('unwritten_answer', `/v1/sends/${id}`, [change], id);
    expect((history as Row[]).at(-1)).toMatchObject({ to: state });
    expect((await get<Row>(`/v1/sends/${id}`))['state']).toBe('sent');
  });

  it('a group of failures and the sends that it is of', async () => {
    const { id, sends } = await world.planned({ audience: users(1), serviceId: OTHER });
    const [failed = ''] = sends;
    await world.lead(failed, ['sending', 'accepted', 'failed']);
    // At each moment one send of the chunk asks for attention: the first, or its retry, which is too late at once.
    const retry = v7({ msecs: world.clock.now() + 1_000 });
    const retried = `with retry as (
      insert into send (id, ended_at, service_id, campaign, revision, occurrence, cell, chunk, state, code, state_at, state_by, mode, mode_rule,
                        due_at, created_at, retry_of, retries)
      select '${retry}', ended_at, service_id, campaign, revision, occurrence, cell, chunk, 'expired', 'LATE', state_at, state_by, mode, mode_rule,
             due_at, created_at, id, 1 from send where id = $1 returning id, retry_of)
      update send s set next_send = r.id from retry r where s.id = r.retry_of`;
    const path = `/v1/failures?groupBy=zone&campaign=${id}`;
    const found = await readBeside('cell', path, [retried], failed);
    expect(found['sends']).toEqual({ value: 1, atLeast: false });
    expect(await get<Row>(path)).toMatchObject({ sends: { value: 1, atLeast: false } });
  });
});

describe('GET /v1/audit', () => {
  it('is filtered by who, what, service and time', async () => {
    for (const [index, [who, action, serviceId]] of [
      ['token:ann', 'send.retry', SERVICE],
      ['token:ann', 'project.stop', OTHER],
      ['token:ben', 'send.retry', OTHER],
    ].entries()) {
      const when = new Date(START + index * HOUR);
      await world.insert('audit', {
        id: v7({ msecs: when.getTime() }),
        at: when,
        who,
        action,
        target: `t-${index}`,
        service_id: serviceId,
      });
    }
    const targets = async (query: string, authorization = operator) =>
      (await all(`/v1/audit?limit=1&${query}`, authorization)).map((row) => row['target']);
    expect(await targets('who=token:ann')).toEqual(['t-1', 't-0']);
    expect(await targets('action=send.retry')).toEqual(['t-2', 't-0']);
    expect(await targets(`serviceId=${OTHER}`)).toEqual(['t-2', 't-1']);
    expect(await targets(`from=${at(HOUR)}&to=${at(2 * HOUR)}`)).toEqual(['t-1']);
    const own = await scheduler.bearer(['admin'], [SERVICE]);
    expect(await targets('who=token:ann', own)).toEqual(['t-0']);
  });
});

describe('what a page reads, of 60 000 sends', () => {
  const filter = { serviceIds: null, newestOnly: true } as const;
  const page = { newest: true, from: undefined, limit: 51 } as const;

  beforeAll(async () => {
    const [{ id: like } = { id: '' }] = await world.rows<{ id: string }>('select id from send limit 1');
    const large = await world.accepted({ serviceId: OTHER });
    await world.damage(
      `insert into send (id, ended_at, service_id, campaign, revision, occurrence, cell, chunk, state, state_at, state_by, mode, mode_rule,
                         intended_at, due_at, created_at)
       select (left(uuid_floor($3::timestamptz + n * interval '1 millisecond')::text, 24) || lpad(to_hex(n), 12, '0'))::uuid,
              state_at, service_id, $2, 1, 'once', 'large', n, case when n % 2 = 0 then 'failed' else 'sent' end, state_at, 'spec', mode,
              mode_rule, intended_at, due_at, created_at
         from send, generate_series(1, 60000) n where id = $1`,
      [like, large, new Date(START + 60_000)],
    );
    await world.project({ service_id: TAGGED });
    await world.damage(
      `with c as (
         insert into campaign (id, service_id, campaign_id, event, state, newest_time, state_at, state_by, created_at, tags)
         select uuidv7(), $1, 'c' || n, uuidv7(), 'completed', $2, $2, 'spec', $2, '{common}' from generate_series(1, 30000) n returning id)
       insert into revision (campaign, revision, event, state, data, request, taken_at)
       select c.id, 1, uuidv7(), 'in-force', r.data || '{"tags": ["common"]}', r.request, r.taken_at from c, revision r where r.campaign = $3`,
      [TAGGED, new Date(START), spread.id],
    );
    await world.rows('vacuum analyze campaign, revision, send');
    spreadRows.large = large;
  });
  const spreadRows = { large: '' };

  it('is bounded, whatever the filter names', async () => {
    const failed: SendState[] = ['failed'];
    const asked = {
      nothing: {},
      'of no code': { code: 'NO_SUCH' },
      'of no zone': { zone: 'No/Where' },
      'late, of a service': { lateOver: 1, serviceId: SERVICE },
      'of a small campaign': { campaign: spread.id },
      'of a large one': { campaign: spreadRows.large, code: 'NO_SUCH' },
      'that ask for attention': { state: failed, code: 'NO_SUCH' },
    };
    const read: Record<string, number> = {};
    for (const [name, one] of Object.entries(asked))
      read[name] = await blocksOf(world.dataSource, (sql) => sendPage(sql, { ...filter, ...one }, page));
    const failures = (...keys: FailureKey[]) =>
      blocksOf(world.dataSource, (sql) =>
        failureGroups(sql, { ...filter, state: failed }, keys, { after: undefined, limit: 51 }),
      );
    read['failures by code'] = await failures('code', 'project');
    read['failures by zone'] = await failures('code', 'zone');
    read['campaigns'] = await blocksOf(world.dataSource, (sql) =>
      campaignPage(sql, { serviceIds: null, q: 'nothing' }, page),
    );
    for (const tag of ['nothing', 'common'])
      read[`campaigns by tag, ${tag}`] = await blocksOf(world.dataSource, (sql) =>
        campaignPage(sql, { serviceIds: null, serviceId: TAGGED, tag }, page),
      );
    read['counts'] = await blocksOf(world.dataSource, (sql) =>
      countSends(
        sql,
        [spreadRows.large, spread.id].map((id) => ({ id, createdAt: new Date(START) })),
      ),
    );
    // With a zone, the cell of each row is read: four blocks for the page and its count together.
    const most: Readonly<Record<string, number>> = {
      'of no zone': 5.5 * MOST_LOOKED_AT,
      'of a large one': 4_000,
      'that ask for attention': 6_000,
      'failures by zone': 5.5 * MOST_LOOKED_AT,
      // Only the rows of a page, and no revision.
      'campaigns by tag, nothing': 1_200,
      'campaigns by tag, common': 400,
    };
    expect(Object.entries(read).filter(([name, blocks]) => !(blocks < (most[name] ?? 2_500)))).toEqual([]);
  });

  it('goes on where it stopped, and says that it counted at least so many', async () => {
    const found = await all(`/v1/sends?campaign=${spreadRows.large}&code=NO_SUCH`);
    expect(found).toEqual([]);
    const first = await get(`/v1/sends?campaign=${spreadRows.large}&code=NO_SUCH`);
    expect([first.items, first.count]).toEqual([[], { value: 0, atLeast: true }]);
    expect(first.nextCursor).not.toBeNull();
    expect((await get(`/v1/sends?campaign=${spreadRows.large}`)).count).toEqual({
      value: 10_000,
      atLeast: true,
    });
    const [campaign] = await all(`/v1/campaigns?serviceId=${OTHER}&q=${spreadRows.large}`);
    expect(campaign).toMatchObject({ sendsAtLeast: true });
    const sends = Object.values(campaign?.['sends'] as Record<string, number>);
    expect(sends.reduce((sum, one) => sum + one, 0)).toBe(10_001);
    const failures = await get<Failures>('/v1/failures?groupBy=project');
    expect(failures.sends).toEqual({ value: MOST_LOOKED_AT, atLeast: true });
    const [group] = failures.items;
    expect(group?.sends).toBe(MOST_LOOKED_AT);
  });

  it('finds every row of a rare filter once, by pages that may be short', async () => {
    await world.damage(
      `update send set request_id = 'rare' where campaign = $1 and chunk in (7, 25000, 59999)`,
      [spreadRows.large],
    );
    for (const order of ['oldest', 'newest']) {
      const rows = await all(`/v1/sends?requestId=rare&order=${order}&limit=1`);
      const chunks = [7, 25_000, 59_999];
      expect(rows.map(({ chunk }) => chunk)).toEqual(order === 'newest' ? chunks.toReversed() : chunks);
    }
  });
});
