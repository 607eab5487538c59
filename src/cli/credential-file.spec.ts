import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { credentialOf } from './credential-file.js';

const folder = mkdtempSync(join(tmpdir(), 'carillon credential '));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the file of a credential', () => {
  it('is taken with a byte order mark, which is no part of it', async () => {
    expect(await credentialOf('fcm', file('a.json', '\uFEFF{"project_id":"shop"}'), {})).toEqual({
      serviceAccount: { project_id: 'shop' },
    });
    expect(await credentialOf('apns', file('a.p8', '\uFEFF-----BEGIN'), { keyId: 'k' })).toEqual({
      key: '-----BEGIN',
      keyId: 'k',
    });
  });

  it.each([
    ['CP949', Buffer.from('bec8b3e7', 'hex'), 'it may be CP949, or another encoding of Windows'],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'it is UTF-16'],
  ])('is refused in %s, by its name', async (_encoding, content, guess) => {
    const path = file('other.json', content);
    await expect(credentialOf('fcm', path, {})).rejects.toThrow(
      `${path} is not UTF-8 (${guess}): save it as UTF-8`,
    );
  });
});
