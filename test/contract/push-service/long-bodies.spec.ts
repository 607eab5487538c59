// One service's clients send long bodies and take their time: two of them are read at once, and another's are taken meanwhile.
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signatureOf, type Client } from './support/client.js';
import { message, openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let greedy: Client;
let other: Client;

beforeAll(async () => {
  stage = await openStage();
  [greedy, other] = [await stage.project(), await stage.project()];
});
afterAll(() => stage.close());

const LONG = `${' '.repeat(200_000)}${JSON.stringify(message())}`;

/** Sends all of a long body but its last byte. */
async function beginUpload(client: Client) {
  const { keys, target } = client;
  const { hostname, port } = new URL(target.url);
  const messages = client.path('messages');
  const timestamp = String(client.now());
  const headers = {
    'x-svc-apigw-timestamp': timestamp,
    'x-svc-iam-access-key': keys.accessKey,
    'x-svc-apigw-signature-v2': signatureOf('POST', messages, timestamp, keys),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(LONG),
  };
  const upload = request({ hostname, port, method: 'POST', path: messages, headers, agent: false });
  upload.on('error', () => undefined);
  upload.write(LONG.slice(0, -1));
  await once(upload, 'socket');
  return upload;
}

it('reads two long bodies of one service at once, others’ and short ones meanwhile, and refuses what waits too long', async () => {
  const uploads = [await beginUpload(greedy), await beginUpload(greedy)];
  // Answered behind them: their headers have come.
  expect((await greedy.post('messages', message())).status).toBe(202);
  const waits = greedy.post('messages', LONG);
  expect((await other.post('messages', LONG)).status).toBe(202);
  expect(
    (await greedy.post('messages', message({ message: { default: { content: 'short' } } }))).status,
  ).toBe(202);
  const refused = await waits;
  expect(refusal(refused)).toEqual([429, '410', 'too many long bodies at once: send fewer side by side']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  for (const upload of uploads) upload.destroy();
  expect((await greedy.post('messages', LONG)).status).toBe(202);
}, 30_000);
