import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { PlanWorld, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
let scheduler: TestScheduler;
let publisher: string;

beforeAll(async () => {
  world = await PlanWorld.open();
  await world.project({ service_id: 'another-app' });
  await world.rows('update project set max_to = 1');
  scheduler = await startScheduler(schedulerConfig(world.url, { CARILLON_ROLES: 'api' }), {
    clock: world.clock,
  });
  await eventually(() => scheduler.dataSource.isInitialized);
  publisher = await scheduler.bearer(['publisher'], [SERVICE]);
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

interface PageBody {
  items: Record<string, unknown>[];
  nextCursor: string | null;
}

async function get<Body>(path: string, authorization = publisher): Promise<Body> {
  const answer = await scheduler.call('GET', path, { authorization });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as Body;
}

/** Follows cursors to the end. */
async function pages(path: string): Promise<Record<string, unknown>[][]> {
  const found: Record<string, unknown>[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: PageBody = await get(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`);
    found.push(page.items);
    cursor = page.nextCursor;
  }
  return found;
}

describe('GET /v1/campaigns', () => {
  it('pages newest first through every campaign of the token, each once, and through no other', async () => {
    const own: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      own.unshift(await world.accepted());
      await world.accepted({ serviceId: 'another-app' });
      world.clock.advance(1);
    }
    const found = await pages('/v1/campaigns?limit=2');
    expect(found.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(found.flat().map((campaign) => campaign['id'])).toEqual(own);
    expect(found.flat()[0]).toMatchObject({
      serviceId: SERVICE,
      campaignId: `c-${own[0]}`,
      state: 'accepted',
      revision: 1,
      stateAt: '2027-03-01T00:00:00.004Z',
    });
  });

  it("finds a campaign by the publisher's id, and by state", async () => {
    const id = await world.accepted();
    const byId = await get<PageBody>(`/v1/campaigns?serviceId=${SERVICE}&campaignId=c-${id}`);
    expect(byId.items.map((campaign) => campaign['id'])).toEqual([id]);
    expect((await get<PageBody>('/v1/campaigns?serviceId=another-app')).items).toEqual([]);
    const accepted = await get<PageBody>('/v1/campaigns?state=accepted&limit=500');
    expect(accepted.items.map((campaign) => campaign['id'])).toContain(id);
    expect((await get<PageBody>('/v1/campaigns?state=completed')).items).toEqual([]);
  });

  it('says what asks for attention, alike in the list and of one, and nothing of what does not', async () => {
    const named = async (...ways: SendState[][]) => {
      world.clock.advance(1);
      const { id, sends } = await world.planned({ audience: users(ways.length) });
      for (const [index, way] of ways.entries()) await world.lead(sends[index] ?? '', way);
      await world.closeFinished.runOnce();
      return id;
    };
    const accepted: SendState[] = ['sending', 'accepted'];
    const fine = await named([...accepted, 'sent']);
    const nobody = await named([...accepted, 'empty']);
    const partly = await named([...accepted, 'sent'], ['sending', 'rejected'], ['sending', 'uncertain']);
    const going = await named(['sending', 'uncertain'], accepted);
    const { items } = await get<PageBody>('/v1/campaigns?limit=4');
    const found = new Map(items.map((campaign) => [campaign['id'], campaign['attention']]));
    expect([fine, nobody, partly, going].map((id) => found.get(id))).toEqual([
      null,
      { code: 'ALL_EMPTY', text: expect.stringContaining('(1 empty)') as unknown },
      { code: 'SENDS_FAILED', text: expect.stringContaining('(1 rejected, 1 uncertain)') as unknown },
      { code: 'SENDS_UNCERTAIN', text: expect.stringContaining('(1 uncertain)') as unknown },
    ]);
    for (const id of [fine, nobody, partly, going])
      expect((await get<Record<string, unknown>>(`/v1/campaigns/${id}`))['attention']).toEqual(found.get(id));
  });

  it('refuses a state that is none, and an id that is none', async () => {
    const sends = `/v1/campaigns/${v7()}/sends?state=lost`;
    for (const path of ['/v1/campaigns?state=lost', '/v1/campaigns/lost', '/v1/sends/lost', sends]) {
      expect(await scheduler.call('GET', path, { authorization: publisher })).toMatchObject({ status: 400 });
    }
  });
});

describe('one campaign', () => {
  it('shows its revisions, occurrences and the states of its newest sends', async () => {
    const { id, sends } = await world.planned({ audience: users(3) });
    await world.lead(sends[0] ?? '', ['sending', 'accepted', 'sent']);
    expect(await get(`/v1/campaigns/${id}`)).toMatchObject({
      id,
      state: 'planned',
      revisions: [{ revision: 1, state: 'in-force', messageType: 'NOTIF', reasons: null }],
      occurrences: [{ occurrence: 'once', state: 'planned' }],
      sends: { planned: 2, sent: 1 },
    });
  });

  it('pages through its history', async () => {
    const { id } = await world.planned();
    const found = await pages(`/v1/campaigns/${id}/history?limit=2`);
    expect(found.map((page) => page.map((row) => row['to']))).toEqual([
      ['accepted', 'planning'],
      ['planned'],
    ]);
    expect(found[0]?.[1]).toMatchObject({ sequence: 2, from: 'accepted', by: 'plan' });
  });

  it('pages through its plan: every cell with every decision, and the warnings and totals with each page', async () => {
    const zones = ['Asia/Seoul', 'Asia/Tokyo', 'Europe/Paris', 'Pacific/Auckland'];
    const { id } = await world.planned({
      audience: null,
      delivery: {
        kind: 'recipient',
        local: '2027-03-01T12:00',
        segments: zones.map((zone) => ({ zone, audience: users(2, zone) })),
      },
    });
    const found = await pages(`/v1/campaigns/${id}/plan?limit=3`);
    expect(found.flat().map((cell) => cell['zone'])).toEqual(zones);
    expect(found.flat()[0]).toMatchObject({
      mode: 'reserved',
      rule: 'RESERVABLE',
      requests: 2,
      recipients: 2,
      intendedAt: '2027-03-01T03:00:00.000Z',
      verdicts: { dst: 'exact', passedZone: { kind: 'not-passed' }, night: { kind: 'outside' } },
    });
    expect(await get(`/v1/campaigns/${id}/plan`)).toMatchObject({
      revision: 1,
      state: 'in-force',
      cells: 4,
      totals: { cells: 4, requests: 8, skippedRequests: 2, firstDueAt: '2027-03-01T03:00:00.000Z' },
      tzdata: { version: expect.stringMatching(/^20\d\d[a-z]$/) as string },
    });
  });
});

describe('sends', () => {
  it('of a campaign: paged in order of creation, by state, or only those that count', async () => {
    const { id, sends } = await world.planned({ audience: users(5) });
    await world.lead(sends[2] ?? '', ['sending', 'rejected']);
    const all = await pages(`/v1/campaigns/${id}/sends?limit=2`);
    expect(all.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(all.flat().map((send) => send['id'])).toEqual(sends.toSorted());
    expect((await pages(`/v1/campaigns/${id}/sends?state=rejected`)).flat()).toMatchObject([
      { id: sends[2], state: 'rejected', newest: true, recipients: 1, zone: 'Asia/Seoul' },
    ]);
    expect((await pages(`/v1/sends?campaign=${id}&state=rejected,failed`)).flat()).toHaveLength(1);
    const [{ stateAt } = {}] = (await pages(`/v1/sends?campaign=${id}&state=rejected`)).flat();
    const at = String(stateAt);
    const timed = async (since: string, until: string) =>
      (await pages(`/v1/sends?campaign=${id}&state=rejected&since=${since}&until=${until}`)).flat().length;
    expect(await timed(at, '9999-01-01T00:00:00Z')).toBe(1);
    expect(await timed('1900-01-01T00:00:00Z', at)).toBe(0);
    const year0 = await scheduler.call('GET', '/v1/sends?since=0000-01-01T00:00:00Z', {
      authorization: publisher,
    });
    expect(year0.status).toBe(400);
  });

  it('never show who the recipients are', async () => {
    const { id, sends } = await world.planned({ audience: users(1, 'secret-person') });
    const answers = await Promise.all(
      [`/v1/campaigns/${id}/sends`, `/v1/sends/${sends[0]}`, `/v1/campaigns/${id}/plan`].map((path) =>
        get(path),
      ),
    );
    expect(JSON.stringify(answers)).not.toContain('secret-person');
  });

  it('one by one: with their history and the calls made for them', async () => {
    const {
      sends: [send = ''],
    } = await world.planned();
    await world.lead(send, ['sending', 'uncertain'], { attempts: 1 });
    const started = { send, attempt: 1, kind: 'send', started_at: new Date(START) };
    await world.insert('attempt', {
      ...started,
      request_sent: true,
      error_code: 'ECONNRESET',
      outcome: 'unknown',
    });
    expect(await get(`/v1/sends/${send}`)).toMatchObject({
      id: send,
      state: 'uncertain',
      history: [{ to: 'planned' }, { to: 'sending' }, { to: 'uncertain' }],
    });
    expect(await get(`/v1/sends/${send}/attempts`)).toMatchObject({
      items: [{ attempt: 1, kind: 'send', requestSent: true, errorCode: 'ECONNRESET', endedAt: null }],
      nextCursor: null,
    });
  });

  it('of a foreign service answer 404', async () => {
    const {
      sends: [send = ''],
    } = await world.planned({ serviceId: 'another-app' });
    for (const path of [`/v1/sends/${send}`, `/v1/sends/${send}/attempts`]) {
      expect(await scheduler.call('GET', path, { authorization: publisher })).toMatchObject({ status: 404 });
    }
    expect((await get<PageBody>('/v1/sends?serviceId=another-app')).items).toEqual([]);
  });
});
