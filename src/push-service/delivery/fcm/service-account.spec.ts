// Four members of a service account are read, and no address.
import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseServiceAccount } from './service-account.js';

const pemOf = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
const GOOD = {
  project_id: 'shop',
  client_email: 'push@shop.iam.gserviceaccount.com',
  private_key_id: 'k1',
  private_key: pemOf(2_048),
  token_uri: 'https://elsewhere.example/token',
};

it('is what it says, without its addresses', () => {
  const account = parseServiceAccount(JSON.stringify(GOOD));
  expect(Object.keys(account).sort()).toEqual(['clientEmail', 'privateKey', 'privateKeyId', 'projectId']);
});

it.each<[string, object | string, RegExp]>([
  ['no JSON', 'no JSON', /^must be the JSON object/],
  ['null', 'null', /^must be the JSON object/],
  ['no account', { project_info: {} }, /project_id.*client_email.*private_key_id.*private_key/s],
  ['a project that is a path', { ...GOOD, project_id: '../other' }, /^project_id/],
  ['a short key', { ...GOOD, private_key: pemOf(1_024) }, /at least 2048 bits/],
  ['a key that is none', { ...GOOD, private_key: '-----BEGIN nothing' }, /^private_key must be the PEM/],
])('is refused: %s', (_name, given, says) => {
  const faults = parseServiceAccount(typeof given === 'string' ? given : JSON.stringify(given));
  const text = Array.isArray(faults) ? faults.join('\n') : 'none';
  expect(text).toMatch(says);
  expect(text).not.toContain('BEGIN');
});
