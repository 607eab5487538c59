// Schedules by push-decisions.md, "Schedule registration", and the cancellation of a scheduled message (push-interface.md §4.4).
import { v4 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventuallyFound } from '../../support/eventually.js';
import type { Client, Delivery } from './support/client.js';
import { query as rows } from './support/replica.js';
import {
  finalResult,
  message,
  openStage,
  passLoops,
  reached,
  refusal,
  send,
  type Stage,
} from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

/** Deliveries of the message once there are as many as expected; later ones would show in the next call. */
async function deliveriesOf(requestId: string, count: number): Promise<Delivery[]> {
  return eventuallyFound(async () => {
    const deliveries = await stage.management.deliveries(requestId);
    return deliveries.length < count ? undefined : deliveries;
  });
}

/**
 * Twice: what was due before the first was fired by then, and as a rule on its way before the second. So this shows that nothing
 * came; what is to come is waited for by deliveriesOf().
 */
async function settle(project: Client): Promise<void> {
  await passLoops(project);
  await passLoops(project);
}

describe('registering schedules', () => {
  beforeAll(() => stage.freeze('2026-11-20T00:00:00Z'));

  it('answers 201 with the object, its defaults filled in; the same to GET', async () => {
    const answer = await client.post('schedules', { scheduleCode: 'daily', scheduleTime: '09:30:45' });
    expect(answer.status).toBe(201);
    expect(answer.json()).toEqual({
      scheduleId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      scheduleCode: 'daily',
      scheduleDesc: null,
      scheduleTimeZone: 'Asia/Seoul',
      scheduleTime: '09:30:00',
      startDate: '2026-11-20',
      endDate: null,
      dayOfWeeks: ['ALL'],
      scheduleStatus: 'ACTIVE',
      createTime: '2026-11-20T09:00:00.000',
      updateTime: null,
    });
    expect((await client.get('schedules/daily')).json()).toEqual(answer.json());
  });

  it('answers 409 to a code that is taken in this project', async () => {
    await client.post('schedules', { scheduleCode: 'taken', scheduleTime: '09:00' });
    expect(
      refusal(await client.post('schedules', { scheduleCode: 'taken', scheduleTime: '09:00' })).slice(0, 2),
    ).toEqual([409, '409']);
    const other = await stage.project();
    expect((await other.post('schedules', { scheduleCode: 'taken', scheduleTime: '09:00' })).status).toBe(
      201,
    );
  });

  it.each<[Record<string, unknown>, string]>([
    [{ scheduleCode: undefined }, 'scheduleCode: is required'],
    [{ scheduleCode: 'a b' }, 'scheduleCode: must match [A-Za-z0-9_-]{1,64}'],
    [{ scheduleCode: 'x'.repeat(65) }, 'scheduleCode: must match [A-Za-z0-9_-]{1,64}'],
    [{ scheduleTime: undefined }, 'scheduleTime: is required'],
    [{ scheduleTime: '24:00' }, 'scheduleTime: must have the format HH:mm or HH:mm:ss'],
    [{ scheduleTime: '9:00' }, 'scheduleTime: must have the format HH:mm or HH:mm:ss'],
    [
      { scheduleTimeZone: 'Mars/Base' },
      'scheduleTimeZone: is no name of the time-zone database, nor LOCALTIME',
    ],
    [
      { scheduleTimeZone: 'localtime' },
      'scheduleTimeZone: is no name of the time-zone database, nor LOCALTIME',
    ],
    [{ startDate: '2026/11/20' }, 'startDate: must have the format yyyy-MM-dd'],
    [{ endDate: '2026-02-30' }, 'endDate: is no date of the calendar'],
    [{ startDate: '0000-01-01' }, 'startDate: is no date of the calendar'],
    [{ startDate: '2026-11-20', endDate: '2026-11-19' }, 'endDate: must not be before startDate'],
    [{ dayOfWeeks: [] }, 'dayOfWeeks: must not be empty'],
    [
      { dayOfWeeks: ['MONDAY'] },
      'dayOfWeeks[0]: must be ALL or MON or TUE or WED or THU or FRI or SAT or SUN',
    ],
    [{ dayOfWeeks: 'MON' }, 'dayOfWeeks: must be an array'],
    [{ scheduleDesc: 7 }, 'scheduleDesc: must be a string'],
  ])('refuses %j with 400: %s', async (members, text) => {
    const body = { scheduleCode: `code-${v4()}`, scheduleTime: '09:00', ...members };
    expect(refusal(await client.post('schedules', body))).toEqual([400, '100', text]);
  });

  it('changes one by PUT; the path names it', async () => {
    await client.post('schedules', { scheduleCode: 'changed', scheduleTime: '09:00' });
    const answer = await client.put('schedules/changed', {
      scheduleCode: 'ignored',
      scheduleDesc: 'new',
      scheduleTime: '10:15',
      scheduleTimeZone: 'LOCALTIME',
      dayOfWeeks: ['SUN', 'MON'],
      endDate: '2026-12-31',
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      scheduleCode: 'changed',
      scheduleDesc: 'new',
      scheduleTime: '10:15:00',
      scheduleTimeZone: 'LOCALTIME',
      dayOfWeeks: ['MON', 'SUN'],
      endDate: '2026-12-31',
      updateTime: '2026-11-20T09:00:00.000',
    });
    expect(refusal(await client.put('schedules/changed', {}))).toEqual([
      400,
      '100',
      'scheduleTime: is required',
    ]);
  });

  it('deletes one: 204, then 404 to everything', async () => {
    await client.post('schedules', { scheduleCode: 'deleted', scheduleTime: '09:00' });
    const answer = await client.delete('schedules/deleted');
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const gone of [
      client.get('schedules/deleted'),
      client.put('schedules/deleted', { scheduleTime: '09:00' }),
      client.delete('schedules/deleted'),
      client.get('schedules/deleted/messages'),
    ]) {
      expect(refusal(await gone).slice(0, 2)).toEqual([404, '300']);
    }
  });

  it('lists pages, by code or by time, and by a substring of the code', async () => {
    const project = await stage.project();
    for (const scheduleCode of ['b-1', 'a-1', 'c-2'])
      await project.post('schedules', { scheduleCode, scheduleTime: '09:00' });
    const codes = async (query: string): Promise<unknown[]> => {
      const page = (await project.get(`schedules${query}`)).json();
      return (page['content'] as Record<string, unknown>[]).map((one) => one['scheduleCode']);
    };
    expect((await project.get('schedules?size=2')).json()).toMatchObject({
      totalElements: 3,
      totalPages: 2,
      first: true,
      last: false,
      numberOfElements: 2,
      size: 2,
      number: 0,
    });
    expect((await project.get('schedules?size=2&page=1')).json()).toMatchObject({
      first: false,
      last: true,
      numberOfElements: 1,
    });
    expect(await codes('')).toEqual(['a-1', 'b-1', 'c-2']);
    expect(await codes('?sort=scheduleCode,desc')).toEqual(['c-2', 'b-1', 'a-1']);
    expect(await codes('?sort=asc')).toEqual(['a-1', 'b-1', 'c-2']);
    expect(await codes('?sort=desc')).toEqual(['c-2', 'b-1', 'a-1']);
    expect(await codes('?scheduleCode=-1')).toEqual(['a-1', 'b-1']);
    await stage.freeze('2026-11-20T00:00:01Z');
    await project.post('schedules', { scheduleCode: 'a-0', scheduleTime: '09:00' });
    expect((await codes('?sort=createTime')).at(-1)).toBe('a-0');
    expect((await codes('?sort=createTime,desc')).at(0)).toBe('a-0');
    const record = (await project.get('schedules/a-1')).json();
    for (const member of Object.keys(record)) {
      const ascending = await codes(`?sort=${member}`);
      expect([member, new Set(ascending)]).toEqual([member, new Set(['a-0', 'a-1', 'b-1', 'c-2'])]);
      expect([member, await codes(`?sort=${member},desc`)]).toEqual([member, ascending.toReversed()]);
    }
    const odd = ['?sort=other', '?sort=asc,desc', '?sort=scheduleCode,up', '?sort='];
    for (const query of ['?size=0', '?size=101', '?page=-1', ...odd]) {
      expect(refusal(await project.get(`schedules${query}`))[0]).toBe(400);
    }
  });
});

describe('a message under a schedule', () => {
  it('goes out at each firing until it is cancelled, and its result adds up', async () => {
    await stage.freeze('2026-11-19T23:00:00Z');
    const project = await stage.project();
    await project.register({ userId: 'u' });
    await project.post('schedules', { scheduleCode: 'nine', scheduleTime: '09:00' });
    const id = await send(project, message({ scheduleCode: 'nine' }));
    for (const [index, at] of ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'].entries()) {
      await stage.freeze(new Date(Date.parse(at) - 1).toISOString());
      await settle(project);
      expect((await stage.management.deliveries(id)).length).toBe(index);
      await stage.freeze(at);
      const deliveries = await deliveriesOf(id, index + 1);
      expect(deliveries.map(({ handedAt }) => handedAt).at(-1)).toBe(at);
      expect((await project.get(`messages/${id}`)).json()).toMatchObject({
        messageStatusName: 'processing',
        messageStatusCode: null,
        targetCount: index + 1,
        sentCount: index + 1,
      });
    }
    expect((await project.delete(`schedules/nine/messages/${id}`)).status).toBe(204);
    await stage.freeze('2026-11-22T00:00:00Z');
    await settle(project);
    expect(await finalResult(project, id)).toMatchObject({
      messageStatusCode: '200',
      targetCount: 2,
      sentCount: 2,
    });
  });

  it('goes out on its weekdays alone, from startDate to endDate; then the result is final and the schedule INACTIVE', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const project = await stage.project();
    await project.register({ userId: 'u' });
    await project.post('schedules', {
      scheduleCode: 'week',
      scheduleTime: '12:00',
      scheduleTimeZone: 'UTC',
      dayOfWeeks: ['MON', 'WED', 'SAT'],
      startDate: '2026-11-22',
      endDate: '2026-12-02',
    });
    const id = await send(project, message({ scheduleCode: 'week' }));
    const firings = ['2026-11-23', '2026-11-25', '2026-11-28', '2026-11-30', '2026-12-02'];
    for (let day = 20; day <= 33; day += 1) {
      const at = new Date(Date.UTC(2026, 10, day, 12)).toISOString();
      await stage.freeze(at);
      await settle(project);
      const due = firings.filter((date) => date <= at.slice(0, 10));
      const deliveries = await deliveriesOf(id, due.length);
      expect(deliveries.map(({ occurrence }) => occurrence)).toEqual(due.map((date) => `${date}T12:00@0`));
    }
    expect(await finalResult(project, id)).toMatchObject({ messageStatusCode: '200', sentCount: 5 });
    expect((await project.get('schedules/week')).json()).toMatchObject({ scheduleStatus: 'INACTIVE' });
    const late = await project.post('messages', message({ scheduleCode: 'week' }));
    expect(refusal(late)).toEqual([400, '100', 'scheduleCode: the schedule has ended']);
  });

  it('keeps its wall time over a change of offset', async () => {
    await stage.freeze('2027-03-12T00:00:00Z');
    const project = await stage.project();
    await project.register({ userId: 'u' });
    await project.post('schedules', {
      scheduleCode: 'ny',
      scheduleTime: '09:00',
      scheduleTimeZone: 'America/New_York',
    });
    const id = await send(project, message({ scheduleCode: 'ny' }));
    const instants = ['2027-03-13T14:00:00.000Z', '2027-03-14T13:00:00.000Z'];
    for (const [index, at] of instants.entries()) {
      await stage.freeze(at);
      await deliveriesOf(id, index + 1);
      await settle(project);
    }
    const deliveries = await stage.management.deliveries(id);
    expect(deliveries.map(({ handedAt }) => handedAt)).toEqual(instants);
  });

  it('LOCALTIME rounds offsets to quarters of an hour: nobody is left out, and nobody gets it twice', async () => {
    await stage.freeze('2026-11-19T00:00:00Z');
    const project = await stage.project();
    const offsets = [-64_800, -64_351, -64_350, -450, -1, 0, 7, 449, 450, 900, 64_349, 64_800];
    for (const timezone of offsets) await project.register({ userId: `at ${timezone}`, timezone });
    const times = { scheduleTime: '08:00', scheduleTimeZone: 'LOCALTIME', startDate: '2026-11-20' };
    await project.post('schedules', { scheduleCode: 'odd', ...times, endDate: '2026-11-20' });
    const everybody = await send(project, message({ scheduleCode: 'odd' }));
    const target = { type: 'ALL', timezone: [7, 450, 64_800] };
    const some = await send(project, message({ scheduleCode: 'odd', target }));
    // 08:00 at +18:00, +17:45, +00:15, UTC, −17:45 and −18:00, and how many have got the one and the other by then.
    const minutes = [
      ['19T14:00', 1, 1],
      ['19T14:15', 2, 1],
      ['20T07:45', 4, 2],
      ['20T08:00', 9, 3],
      ['21T01:45', 10, 3],
      ['21T02:00', 12, 3],
    ] as const;
    for (const [minute, ofEverybody, ofSome] of minutes) {
      await stage.freeze(`2026-11-${minute}:00Z`);
      // A firing that has not begun when the clock goes on is STALE.
      await deliveriesOf(everybody, ofEverybody);
      await deliveriesOf(some, ofSome);
      await settle(project);
    }
    const deliveries = await stage.management.deliveries(everybody);
    expect(reached(deliveries)).toEqual(offsets.map((timezone) => `at ${timezone}`).sort());
    const occurrences = new Set(deliveries.map(({ occurrence }) => occurrence.split('@')[1]));
    expect(occurrences).toEqual(new Set(['-64800', '-63900', '0', '900', '63900', '64800']));
    expect(reached(await stage.management.deliveries(some))).toEqual(['at 450', 'at 64800', 'at 7']);
  });

  it('LOCALTIME reaches each user at that time on their own clock, once', async () => {
    await stage.freeze('2026-11-19T20:00:00Z');
    const project = await stage.project();
    for (const timezone of [32_400, 0, -18_000, 20_700])
      await project.register({ userId: `at ${timezone}`, timezone });
    await project.post('schedules', {
      scheduleCode: 'local',
      scheduleTime: '08:00',
      scheduleTimeZone: 'LOCALTIME',
      startDate: '2026-11-20',
      endDate: '2026-11-20',
    });
    const id = await send(project, message({ scheduleCode: 'local' }));
    const all = ['at -18000', 'at 0', 'at 20700', 'at 32400'];
    for (const [at, users] of [
      ['2026-11-19T22:59:00Z', []],
      ['2026-11-19T23:00:00Z', ['at 32400']],
      ['2026-11-20T02:15:00Z', ['at 20700', 'at 32400']],
      ['2026-11-20T08:00:00Z', ['at 0', 'at 20700', 'at 32400']],
      ['2026-11-20T12:59:00Z', ['at 0', 'at 20700', 'at 32400']],
      ['2026-11-20T13:00:00Z', all],
      ['2026-11-21T08:00:00Z', all],
    ] as const) {
      await stage.freeze(at);
      await deliveriesOf(id, users.length);
      await settle(project);
      expect([at, reached(await stage.management.deliveries(id))]).toEqual([at, users]);
    }
  });

  it('does not fire what came due while the service was away for longer than the time-out', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const project = await stage.project();
    await project.register({ userId: 'u' });
    await project.post('schedules', { scheduleCode: 'late', scheduleTime: '01:00', scheduleTimeZone: 'UTC' });
    const id = await send(project, message({ scheduleCode: 'late' }));
    await stage.freeze('2026-11-20T01:10:00Z');
    await settle(project);
    expect(await stage.management.deliveries(id)).toEqual([]);
    await stage.freeze('2026-11-21T01:09:59.999Z');
    expect((await deliveriesOf(id, 1)).map(({ occurrence }) => occurrence)).toEqual(['2026-11-21T01:00@0']);
  });

  it('changed on a day it has fired, it is fired at its new time, be it the same reading in another zone', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const project = await stage.project();
    await project.register({ userId: 'u' });
    const at = (scheduleTimeZone: string): Record<string, string> => ({
      scheduleTime: '10:00',
      scheduleTimeZone,
    });
    await project.post('schedules', { scheduleCode: 'moved', ...at('Asia/Seoul') });
    const id = await send(project, message({ scheduleCode: 'moved' }));
    await stage.freeze('2026-11-20T01:00:00Z');
    await deliveriesOf(id, 1);
    expect((await project.put('schedules/moved', at('Asia/Tokyo'))).status).toBe(200);
    await settle(project);
    expect((await project.put('schedules/moved', at('Europe/Berlin'))).status).toBe(200);
    await stage.freeze('2026-11-20T09:00:00Z');
    expect((await deliveriesOf(id, 2)).map(({ occurrence }) => occurrence)).toEqual([
      '2026-11-20T10:00@32400',
      '2026-11-20T10:00@3600',
    ]);
  });

  it('is fired out of turn by the sandbox', async () => {
    const project = await stage.project();
    await project.register({ userId: 'u' });
    await project.post('schedules', { scheduleCode: 'now', scheduleTime: '00:00', startDate: '2099-01-01' });
    const id = await send(project, message({ scheduleCode: 'now' }));
    const path = `/v1/sandbox/services/${encodeURIComponent(project.serviceId)}/schedules/now/fire`;
    expect((await stage.management.ask('POST', path)).json()).toEqual({ firings: 1 });
    expect((await deliveriesOf(id, 1)).length).toBe(1);
  });
});

describe('§4.4 cancel a scheduled message', () => {
  it('answers 204, again 204, and 404 to an unknown code or message; the rest of the schedule goes on', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const project = await stage.project();
    await project.register({ userId: 'u' });
    for (const scheduleCode of ['one', 'two']) {
      await project.post('schedules', { scheduleCode, scheduleTime: '01:00', scheduleTimeZone: 'UTC' });
    }
    const [gone, stays] = [
      await send(project, message({ scheduleCode: 'one' })),
      await send(project, message({ scheduleCode: 'one' })),
    ];
    for (const id of [gone, gone.replaceAll('-', '').toUpperCase()]) {
      const answer = await project.delete(`schedules/one/messages/${id}`);
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    for (const path of [
      `schedules/two/messages/${stays}`,
      `schedules/three/messages/${stays}`,
      `schedules/one/messages/${v4()}`,
    ]) {
      expect(refusal(await project.delete(path)).slice(0, 2)).toEqual([404, '300']);
    }
    await stage.freeze('2026-11-20T01:00:00Z');
    expect((await deliveriesOf(stays, 1)).length).toBe(1);
    expect(await stage.management.deliveries(gone)).toEqual([]);
    expect(await finalResult(project, gone)).toMatchObject({
      messageStatusCode: '499',
      messageStatusName: 'fail',
    });
  });

  it('lists what still goes out, the request as JSON text; a deleted schedule cancels it', async () => {
    const project = await stage.project();
    await project.post('schedules', { scheduleCode: 'list', scheduleTime: '01:00' });
    // Of one millisecond of the frozen clock, the ids alone give an order.
    const ids = [
      await send(project, message({ scheduleCode: 'list' })),
      await send(project, message({ scheduleCode: 'list' })),
    ].sort();
    const page = (await project.get('schedules/list/messages?size=1')).json();
    expect(page).toMatchObject({ totalElements: 2, totalPages: 2, numberOfElements: 1 });
    const [first] = page['content'] as { messageId: string; serviceId: string; message: string }[];
    expect(first).toMatchObject({ messageId: ids[0], serviceId: project.serviceId });
    expect(JSON.parse(first?.message ?? '')).toMatchObject({ scheduleCode: 'list', target: { type: 'ALL' } });
    expect((await project.get(`schedules/list/messages/${ids[1] ?? ''}`)).json()).toMatchObject({
      messageId: ids[1],
    });
    const listed = async (sort: string): Promise<unknown[]> => {
      const sorted = (await project.get(`schedules/list/messages?sort=${sort}`)).json();
      return (sorted['content'] as Record<string, unknown>[]).map((one) => one['messageId']);
    };
    for (const sort of ['asc', ...Object.keys(first ?? {}), 'messageId,asc'])
      expect([sort, await listed(sort)]).toEqual([sort, ids]);
    for (const sort of ['desc', 'messageId,desc', 'MESSAGE,DESC'])
      expect([sort, await listed(sort)]).toEqual([sort, ids.toReversed()]);
    for (const sort of ['', 'other', 'createTime', 'asc,desc'])
      expect((await project.get(`schedules/list/messages?sort=${sort}`)).status).toBe(400);
    await project.delete(`schedules/list/messages/${ids[0] ?? ''}`);
    expect((await project.get('schedules/list/messages')).json()).toMatchObject({ totalElements: 1 });
    expect((await project.get(`schedules/list/messages/${ids[0] ?? ''}`)).status).toBe(404);
    await project.delete('schedules/list');
    expect(await finalResult(project, ids[1] ?? '')).toMatchObject({ messageStatusCode: '499' });
  });
});

// Last: no schedule of this file outlives it.
describe('a clock that leaps', () => {
  it('by centuries keeps nobody waiting: what was due over 31 days ago is not made up for', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const project = await stage.project();
    await project.post('schedules', { scheduleCode: 'leap', scheduleTime: '01:00', scheduleTimeZone: 'UTC' });
    const id = await send(project, message({ scheduleCode: 'leap' }));
    await stage.freeze('2826-11-20T12:00:00Z');
    await settle(project);
    expect((await project.get(`messages/${id}`)).json()).toMatchObject({ messageStatusName: 'processing' });
    const { databaseUrl } = stage.target;
    if (databaseUrl === undefined) return;
    const firings = await rows<{ occurrence: string; state: string }>(
      databaseUrl,
      'select occurrence, state from firing where message_id = $1 order by due_at',
      [id],
    );
    expect(firings.length).toBe(31);
    expect(firings[0]).toEqual({ occurrence: '2826-10-21T01:00@0', state: 'STALE' });
  });
});
