import { describe, expect, it } from 'vitest';
import { createHmac } from 'node:crypto';
import { readRequest } from './read-request.js';
import { checkSigned, type SignFinding } from './sign-check.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');
const SECRET = 'the-secret';
const TARGET = '/push/v2/services/shop-app/users/a%20b?x=1';
const hmac = (text: string, as: 'base64' | 'hex' = 'base64'): string =>
  createHmac('sha256', SECRET).update(text).digest(as);

function head(signature: string, { method = 'GET', target = TARGET, timestamp = String(NOW) } = {}): string {
  return [
    `${method} ${target} HTTP/1.1`,
    `X-Svc-Apigw-Timestamp: ${timestamp}`,
    'x-svc-iam-access-key: AK1',
    `x-svc-apigw-signature-v2: ${signature}`,
  ].join('\r\n');
}
const wrong = (text: string): readonly SignFinding[] =>
  checkSigned(readRequest(text), { secretKey: SECRET, now: NOW }).filter(({ ok }) => !ok);

it('finds nothing in a request that is signed as it is sent, also as curl -v shows it', () => {
  const good = head(hmac(`GET ${TARGET}\n${NOW}\nAK1`));
  expect(wrong(good)).toEqual([]);
  expect(
    wrong(
      `* Connected\n${good
        .split('\r\n')
        .map((line) => `> ${line}`)
        .join('\n')}\n< HTTP/1.1 401`,
    ),
  ).toEqual([]);
});

describe('it names', () => {
  it.each([
    [
      'clock',
      head(hmac(`GET ${TARGET}\n1772323200\nAK1`), { timestamp: '1772323200' }),
      /looks like seconds/,
    ],
    [
      'clock',
      head(hmac(`GET ${TARGET}\n${NOW - 400_000}\nAK1`), { timestamp: String(NOW - 400_000) }),
      /400\.0 s behind/,
    ],
    ['clock', head(hmac(`GET ${TARGET}\nnow\nAK1`), { timestamp: 'now' }), /no number/],
    ['path', head(hmac(`GET /services/x\n${NOW}\nAK1`), { target: '/services/x' }), /begins with \/push\/v2/],
    ['signature', head(hmac(`GET ${TARGET.split('?')[0]}\n${NOW}\nAK1`)), /without its query/],
    ['signature', head(hmac(`GET ${decodeURIComponent(TARGET)}\n${NOW}\nAK1`)), /the path decoded/],
    ['signature', head(hmac(`get ${TARGET}\n${NOW}\nAK1`)), /in lower case/],
    ['signature', head(hmac(`POST ${TARGET}\n${NOW}\nAK1`)), /the method POST/],
    ['signature', head(hmac(`GET ${TARGET}\n${NOW}\nAK1`, 'hex')), /in hex/],
    ['signature', head(hmac(`GET ${TARGET}\n${NOW}\nAK1\n`)), /a line end after/],
    ['signature', head('bm90aGluZw=='), /another secret key/],
    ['headers', `GET ${TARGET}\nx-svc-iam-access-key: AK1`, /apigw-timestamp, .*signature-v2 are missing/],
  ])('%s: %#', (of, text, says) => {
    expect(wrong(text)).toEqual([{ of, ok: false, text: expect.stringMatching(says) }]);
  });
});

it('refuses a text without a request line', () => {
  expect(() => readRequest('x-svc-iam-access-key: AK1')).toThrow(/request line/);
});
