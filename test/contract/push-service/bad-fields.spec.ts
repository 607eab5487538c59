// Every member of every body: missing, null, of every wrong type, empty, too long, in the wrong case or form. Refused
// with 400/100 naming the member, and nothing is changed by what was refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from './support/client.js';
import { BODIES, badValues, goodValues, nameOf, withValue, type Body } from './support/fields.js';
import { openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;
let serial = 0;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
  await client.post('schedules', { scheduleCode: 's', scheduleTime: '00:00', startDate: '2099-01-01' });
});
afterAll(() => stage.close());

/** Channels come and go with what is tried; these are there before each. */
async function furnishChannels(): Promise<void> {
  for (const channelName of ['c', 'd']) await client.post('channels', { channelName });
}

/** All that a request could have changed. */
async function state(): Promise<unknown> {
  const service = encodeURIComponent(client.serviceId);
  return Promise.all([
    client.get('channels').then((answer) => answer.text),
    client.get('schedules?size=100').then((answer) => answer.text),
    client.get('timezones').then((answer) => answer.text),
    stage.management
      .ask('GET', `/v1/sandbox/services/${service}/messages?limit=10000`)
      .then((answer) => answer.list().length),
  ]);
}

function callWith(
  { method, path, right }: Body,
  at: readonly (string | number)[],
  value: unknown,
): Promise<Answer> {
  serial += 1;
  return client.call(method, path, { body: withValue(right(serial), at, value) });
}

describe.each(BODIES)('$operation', (body) => {
  const fields = body.fields.map((field) => [nameOf(field), field] as const);

  it('takes the right one', async () => {
    await furnishChannels();
    serial += 1;
    const answer = await client.call(body.method, body.path, { body: body.right(serial) });
    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
  });

  describe('refuses, naming it,', () => {
    let before: unknown;
    beforeAll(async () => {
      await furnishChannels();
      before = await state();
    });

    it.each(fields)('every %s that is wrong', async (name, field) => {
      // What is refused changes nothing: all may come at once.
      const seen = badValues(field).map(async (value) => {
        const [status, code, text] = refusal(await callWith(body, field.at, value));
        return [JSON.stringify(value).slice(0, 40), status, code, text.startsWith(name) || text];
      });
      for (const [value, ...answered] of await Promise.all(seen))
        expect([value, ...answered]).toEqual([value, 400, '100', true]);
    });

    it('and does nothing of what it refused', async () => expect(await state()).toEqual(before));
  });

  it.each(fields)('takes %s, and its absence and null as it must', async (name, field) => {
    for (const value of [...goodValues(field), undefined, null]) {
      // A request that is taken may delete them.
      if (body.method === 'DELETE') await furnishChannels();
      const answer = await callWith(body, field.at, value);
      const isMissing = field.required === true && (value === undefined || value === null);
      // A name that fits may be nobody's: 404. It is not refused for what it is.
      const isTaken = answer.status < 300 || answer.status === 404;
      const isAskedFor = answer.status === 400 && refusal(answer)[2].startsWith(`${name}: is required`);
      const shown = `${String(value).slice(0, 40)} ${answer.text}`;
      expect([shown, isTaken, isAskedFor]).toEqual([shown, !isMissing, isMissing]);
    }
  });
});
