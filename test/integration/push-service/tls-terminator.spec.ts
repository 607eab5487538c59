// deploy/tls/nginx.conf in a real nginx: targets reach the push service byte for byte, so signatures hold. Where there is no
// nginx or openssl it is skipped, with a line that says so.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../tools/project.js';
import { freePort } from '../../../tools/process/free-port.js';
import { signatureOf, type Client } from '../../contract/push-service/support/client.js';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { eventually } from '../../support/eventually.js';

const missing = ['nginx', 'openssl'].filter((program) => spawnSync(program, ['-v']).error !== undefined);
if (missing.length > 0)
  process.stderr.write(`deploy/tls/nginx.conf is not tried: there is no ${missing.join(', ')}\n`);

describe.skipIf(missing.length > 0)('a TLS terminator by deploy/tls/nginx.conf', () => {
  let stage: Stage;
  let client: Client;
  let port: number;
  let nginx: ChildProcess;
  const folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'));

  beforeAll(async () => {
    stage = await openStage();
    client = await stage.project();
    port = await freePort();
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=push.example.com',
      '-days',
      '1',
    ];
    spawnSync('openssl', [
      ...made,
      '-keyout',
      join(folder, 'key.pem'),
      '-out',
      join(folder, 'certificate.pem'),
    ]);
    const conf = readFileSync(join(projectRoot, 'deploy/tls/nginx.conf'), 'utf8')
      .replace('127.0.0.1:3200', new URL(stage.target.url).host)
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      // Files that the example keeps beside it.
      .replaceAll(
        / (nginx\.pid|body|proxy|fastcgi|uwsgi|scgi|certificate\.pem|key\.pem);/g,
        ` ${folder}/$1;`,
      );
    writeFileSync(join(folder, 'nginx.conf'), conf);
    nginx = spawn(
      'nginx',
      [
        '-c',
        join(folder, 'nginx.conf'),
        '-g',
        process.getuid?.() === 0 ? 'daemon off; user root;' : 'daemon off;',
      ],
      { stdio: 'inherit' },
    );
    await eventually(async () => once(connect(port, '127.0.0.1'), 'connect'));
  });

  afterAll(async () => {
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
    rmSync(folder, { recursive: true });
    await stage.close();
  });

  /** Signed over the raw target, and sent through nginx exactly so. */
  async function through(
    method: string,
    target: string,
    body?: string,
  ): Promise<{ status: number; text: string }> {
    const timestamp = String(Date.now());
    const headers = {
      host: 'push.example.com',
      'content-type': 'application/json',
      'x-svc-apigw-timestamp': timestamp,
      'x-svc-iam-access-key': client.keys.accessKey,
      'x-svc-apigw-signature-v2': signatureOf(method, target, timestamp, client.keys),
    };
    const to = { host: '127.0.0.1', port, path: target, method, headers, rejectUnauthorized: false };
    const sent = request(to);
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    return { status: answer.statusCode, text: await text(answer) };
  }

  it.each([
    ['GET', 'channels', 200],
    ['GET', 'channels?', 200],
    ['GET', 'channels?pageSize=1&channelName=%ea%B3%b5', 200],
    ['GET', 'users/a%2Fb%3Ac%20%C3%BC', 404],
    ['GET', 'users/a:b+c;d=1', 404],
    ['GET', 'users//', 404],
    ['GET', 'users/%2e%2E', 404],
  ])('passes %s %s on as it was signed', async (method, tail, status) => {
    const encoded = client.path('x').slice(0, -1);
    for (const base of [encoded, decodeURIComponent(encoded)]) {
      const answer = await through(method, `${base}${tail}`);
      expect([answer.status, answer.text.includes('Authentication Failed')]).toEqual([status, false]);
    }
  });

  it('leaves refusals to the service, in its own words', async () => {
    const none = await through('GET', '/push/v2/services/none/channels');
    expect([none.status, JSON.parse(none.text)]).toMatchObject([401, { error: { errorCode: '210' } }]);
  });
});
