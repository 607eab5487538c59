import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../env.js';
import { masterKey, newMasterKey, SealError, Sealer } from './sealed.js';

const first = newMasterKey('first');
const second = newMasterKey('second');
const COLUMN = { table: 'table', column: 'column', key: ['id'] };
const sealer = (setting: string): Sealer => new Sealer(new Secret(setting));

describe('Sealer', () => {
  it('opens what it sealed, and never seals twice alike', () => {
    const ours = sealer(first);
    const [one, two] = [ours.seal('비밀키-🔑', COLUMN, 'row'), ours.seal('비밀키-🔑', COLUMN, 'row')];
    expect(one).not.toBe(two);
    expect(one).not.toContain('비밀키');
    expect([ours.open(one, COLUMN, 'row'), ours.open(two, COLUMN, 'row')]).toEqual([
      '비밀키-🔑',
      '비밀키-🔑',
    ]);
  });

  it('opens texts of the older key while two are active, and seals under the newer', () => {
    const old = sealer(first).seal('x', COLUMN, 'row');
    const both = sealer(`${second},${first}`);
    expect(both.open(old, COLUMN, 'row')).toBe('x');
    expect([both.currentId, both.holds('first'), sealer(second).holds('first')]).toEqual([
      'second',
      true,
      false,
    ]);
    expect(sealer(second).open(both.seal('y', COLUMN, 'row'), COLUMN, 'row')).toBe('y');
  });

  it('opens a text in the column and row it was sealed for, and in no other', () => {
    const ours = sealer(first);
    const text = ours.seal('x', COLUMN, 'a', 'b');
    expect(ours.open(text, COLUMN, 'a', 'b')).toBe('x');
    const elsewhere = [
      () => ours.open(text, COLUMN, 'a', 'c'),
      () => ours.open(text, COLUMN, 'ab'),
      () => ours.open(text, COLUMN, 'a'),
      () => ours.open(text, { ...COLUMN, table: 'other' }, 'a', 'b'),
      () => ours.open(text, { ...COLUMN, column: 'other' }, 'a', 'b'),
    ];
    for (const open of elsewhere) expect(open).toThrow(SealError);
  });

  it('refuses a changed text, another key and what is no sealed text', () => {
    const text = sealer(first).seal('x', COLUMN, 'row');
    const bytes = Buffer.from(text.slice(6), 'base64');
    bytes[14] = (bytes[14] ?? 0) ^ 1;
    for (const bad of [
      `first.${bytes.toString('base64')}`,
      text.replace('first', 'other'),
      'first.',
      '',
      'x',
    ]) {
      expect(() => sealer(first).open(bad, COLUMN, 'row')).toThrow(SealError);
    }
    expect(() => sealer(second.replace('second', 'first')).open(text, COLUMN, 'row')).toThrow(SealError);
  });
});

describe('masterKey', () => {
  it.each(['', 'a', 'a:b', 'a:AAAA', `${first},${first}`, `${first},${second},${newMasterKey('third')}`])(
    'refuses %j without quoting it',
    (setting) => {
      const answer = masterKey.safeParse(setting);
      expect(answer.success).toBe(false);
      expect(setting !== '' && setting.length > 10 && inspect(answer.error).includes(setting)).toBe(false);
    },
  );

  it('takes one key or two and prints neither', () => {
    expect(inspect(masterKey.parse(`${first},${second}`))).toBe('[redacted]');
  });
});
