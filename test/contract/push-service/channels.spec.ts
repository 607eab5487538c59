// push-interface.md §2.2 and §4.2: channels and who is in them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from './support/client.js';
import { openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

async function namesOf(project: Client, query = ''): Promise<unknown[]> {
  const answer = await project.get(`channels${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.list().map((channel) => channel['channelName']);
}

async function projectWith(...channels: string[]): Promise<Client> {
  const project = await stage.project();
  for (const channelName of channels) await project.post('channels', { channelName });
  return project;
}

describe('§4.2 create a channel', () => {
  it('answers 201 without a body, with and without a description', async () => {
    for (const body of [{ channelName: 'news', channelDesc: 'the news' }, { channelName: 'bare' }]) {
      const answer = await client.post('channels', body);
      expect([answer.status, answer.text]).toEqual([201, '']);
    }
  });

  it('answers 409 to a name that is taken, in this project alone', async () => {
    await client.post('channels', { channelName: 'twice' });
    expect(refusal(await client.post('channels', { channelName: 'twice' })).slice(0, 2)).toEqual([
      409,
      '409',
    ]);
    expect((await (await stage.project()).post('channels', { channelName: 'twice' })).status).toBe(201);
  });

  it('lets exactly one of many at once create a name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post('channels', { channelName: 'at once' })),
    );
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 409),
    ]);
  });

  it.each([
    [{}, 'channelName: is required'],
    [{ channelName: null }, 'channelName: is required'],
    [{ channelName: '' }, 'channelName: must not be empty'],
    [{ channelName: 7 }, 'channelName: must be a string'],
    [{ channelName: 'x'.repeat(257) }, 'channelName: must have at most 256 characters'],
    [{ channelName: 'a', channelDesc: 7 }, 'channelDesc: must be a string'],
    [[], 'body: must be an object'],
    ['"text"', 'body: must be an object'],
    ['null', 'body: is required'],
  ])('refuses %j with 400: %s', async (body, text) => {
    expect(refusal(await client.post('channels', body))).toEqual([400, '100', text]);
  });
});

describe('§4.2 update channels', () => {
  it('updates the descriptions and answers the channels of §2.2 in the order given', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const project = await projectWith('b', 'a');
    await stage.freeze('2026-11-20T01:00:00Z');
    const answer = await project.put('channels', [
      { channelName: 'b', channelDesc: 'B' },
      { channelName: 'a', channelDesc: 'A' },
    ]);
    expect(answer.status).toBe(200);
    const times = { createTime: '2026-11-20T09:00:00.000', updateTime: '2026-11-20T10:00:00.000' };
    expect(answer.list()).toEqual([
      { channelName: 'b', channelDesc: 'B', ...times },
      { channelName: 'a', channelDesc: 'A', ...times },
    ]);
    await stage.thaw();
  });

  it('is all or nothing: one unknown channel, and no description changes', async () => {
    const project = await projectWith('here');
    const answer = await project.put('channels', [
      { channelName: 'here', channelDesc: 'changed' },
      { channelName: 'not here', channelDesc: 'x' },
    ]);
    expect(refusal(answer).slice(0, 2)).toEqual([404, '300']);
    expect((await project.get('channels')).list()).toMatchObject([{ channelDesc: null, updateTime: null }]);
  });

  it('takes 0 and 1000 elements, and refuses 1001', async () => {
    const project = await stage.project();
    const names = Array.from({ length: 1_001 }, (_, index) => `c-${index}`);
    // Some at a time: a thousand connections at once are more than a listening socket holds for a busy process.
    for (let made = 0; made < names.length; made += 100) {
      const some = names.slice(made, made + 100);
      await Promise.all(some.map((channelName) => project.post('channels', { channelName })));
    }
    const body = names.map((channelName) => ({ channelName, channelDesc: channelName }));
    expect((await project.put('channels', [])).list()).toEqual([]);
    expect((await project.put('channels', body.slice(0, 1_000))).list().length).toBe(1_000);
    expect(refusal(await project.put('channels', body))).toEqual([
      400,
      '100',
      'body: must have at most 1000 elements',
    ]);
    expect(refusal(await project.delete('channels', body))[0]).toBe(400);
    expect((await project.delete('channels', body.slice(0, 1_000))).status).toBe(204);
    expect(await namesOf(project)).toEqual(['c-1000']);
  });

  it.each([
    [{ channelName: 'a' }, 'body: must be an array'],
    [[{ channelDesc: 'x' }], '[0].channelName: is required'],
    [[{ channelName: 'a' }, null], '[1]: is required'],
    [[{ channelName: 'a' }, 'b'], '[1]: must be an object'],
    [[{ channelName: 'a' }, { channelName: 'a' }], '[1].channelName: must be given once'],
  ])('refuses %j with 400: %s', async (body, text) => {
    expect(refusal(await client.put('channels', body))).toEqual([400, '100', text]);
    expect(refusal(await client.delete('channels', body))).toEqual([400, '100', text]);
  });
});

describe('§4.2 list channels', () => {
  it('is empty for a new project, and null members stay null', async () => {
    const project = await stage.project();
    expect(await namesOf(project)).toEqual([]);
    await project.post('channels', { channelName: 'only' });
    expect((await project.get('channels')).list()).toMatchObject([
      { channelName: 'only', channelDesc: null, updateTime: null },
    ]);
  });

  it('pages in the order of names: 100 by default, 0 to 100, from page 0', async () => {
    const names = Array.from({ length: 105 }, (_, index) => `n-${String(index).padStart(3, '0')}`);
    const project = await projectWith(...names);
    expect(await namesOf(project)).toEqual(names.slice(0, 100));
    expect(await namesOf(project, '?pageIndex=1')).toEqual(names.slice(100));
    expect(await namesOf(project, '?pageSize=0')).toEqual([]);
    expect(await namesOf(project, '?pageSize=2&pageIndex=3')).toEqual(['n-006', 'n-007']);
    expect(await namesOf(project, '?pageSize=100&pageIndex=2000000000')).toEqual([]);
  });

  it('matches channelName as a literal substring: % and _ are characters', async () => {
    const project = await projectWith('100%', '1000', 'a_b', 'aXb', 'Ab');
    expect(await namesOf(project, '?channelName=%25')).toEqual(['100%']);
    expect(await namesOf(project, '?channelName=_')).toEqual(['a_b']);
    expect(await namesOf(project, '?channelName=00')).toEqual(['100%', '1000']);
    expect(await namesOf(project, '?channelName=b')).toEqual(['Ab', 'aXb', 'a_b']);
    expect((await namesOf(project, '?channelName=')).length).toBe(5);
  });

  it.each([
    'pageSize=101',
    'pageSize=-1',
    'pageSize=ten',
    'pageSize=1.5',
    'pageSize=',
    'pageIndex=-1',
    'pageIndex=x',
  ])('refuses ?%s with 400 naming it', async (query) => {
    const [status, code, text] = refusal(await client.get(`channels?${query}`));
    expect([status, code]).toEqual([400, '100']);
    expect(text.startsWith(`${query.split('=')[0]}: must be an integer`)).toBe(true);
  });

  it('refuses a parameter given twice and an encoding that is no UTF-8', async () => {
    expect(refusal(await client.get('channels?pageSize=1&pageSize=2'))[0]).toBe(400);
    expect(refusal(await client.get('channels?channelName=%FF'))[0]).toBe(400);
    expect(refusal(await client.get('channels?channelName=%00'))[0]).toBe(400);
  });
});

describe('§4.2 delete channels', () => {
  it('removes memberships, not users', async () => {
    const project = await projectWith('doomed');
    await project.register({ userId: 'member', channelName: 'doomed' });
    const answer = await project.delete('channels', [{ channelName: 'doomed' }]);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await project.get('users/member')).json()).toMatchObject({ userId: 'member', channelName: null });
  });

  it('is all or nothing', async () => {
    const project = await projectWith('one', 'two');
    const answer = await project.delete('channels', [{ channelName: 'one' }, { channelName: 'three' }]);
    expect(refusal(answer).slice(0, 2)).toEqual([404, '300']);
    expect(await namesOf(project)).toEqual(['one', 'two']);
    expect((await project.delete('channels', [])).status).toBe(204);
  });
});

describe('§4.2 users of a channel', () => {
  it('adds by GET as listed and by POST as clients do: 201 without a body, again 201', async () => {
    const project = await projectWith('c');
    await project.register({ userId: 'u' });
    for (const method of ['GET', 'POST', 'GET', 'POST']) {
      const answer = await project.call(method, 'channels/c/users/u');
      expect([answer.status, answer.text]).toEqual([201, '']);
    }
    expect((await project.get('users/u')).json()).toMatchObject({ channelName: 'c' });
  });

  it('reports the channel most recently joined; joining again is no joining', async () => {
    const project = await projectWith('first', 'second');
    await project.register({ userId: 'u' });
    for (const channel of ['first', 'second', 'first']) await project.get(`channels/${channel}/users/u`);
    expect((await project.get('users/u')).json()).toMatchObject({ channelName: 'second' });
    await project.delete('channels/second/users/u');
    expect((await project.get('users/u')).json()).toMatchObject({ channelName: 'first' });
  });

  it('removes: 204 without a body, the user stays', async () => {
    const project = await projectWith('c');
    await project.register({ userId: 'u', channelName: 'c' });
    const answer = await project.delete('channels/c/users/u');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await project.get('users/u')).json()).toMatchObject({ channelName: null });
  });

  it('answers 404 to an unknown channel or user, whatever is asked', async () => {
    const project = await projectWith('c');
    await project.register({ userId: 'u' });
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect(refusal(await project.call(method, 'channels/x/users/u'))).toEqual([
        404,
        '300',
        'channelName: there is no such channel',
      ]);
      expect(refusal(await project.call(method, 'channels/c/users/x'))).toEqual([
        404,
        '300',
        'userId: there is no such user',
      ]);
    }
  });
});
