import { describe, expect, it } from 'vitest';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import { ERASED, withoutMention, withoutRecipient } from './without-user.js';

const users = (...to: string[]) => ({ type: 'USER', to, deviceType: null, country: [] }) as const;
const at = { kind: 'recipient', local: '2027-03-01T09:00' } as const;

describe('a campaign', () => {
  it('goes to the user no more: not by its audience, its segments, or as a test', () => {
    const data = {
      audience: users('ann', 'bob', 'ann'),
      delivery: { ...at, segments: [{ zone: 'Asia/Tokyo', audience: users('ann', 'cho') }] },
      policy: { ...policyDefaults, testTo: ['ann'] },
      name: 'ann',
    };
    expect(withoutRecipient(data, 'ann')).toEqual({
      audience: users('bob'),
      delivery: { ...at, segments: [{ zone: 'Asia/Tokyo', audience: users('cho') }] },
      policy: { ...policyDefaults, testTo: [] },
      name: 'ann',
    });
  });

  it.each([
    ['to others', { audience: users('anna', 'bob'), delivery: at }],
    [
      'to a channel of that name',
      { audience: { type: 'CHANNEL', to: ['ann'], deviceType: null, country: [] } },
    ],
    ['to all', { audience: { type: 'ALL', deviceType: null, country: [] } }],
    ['to a list of that name', { audience: { type: 'USER', list: 'ann', deviceType: null, country: [] } }],
    ['of nobody', { audience: null }],
  ] as const)('%s stays as it is', (_, data) => {
    expect(withoutRecipient(data, 'ann')).toBeUndefined();
  });
});

describe('a mention', () => {
  it.each([
    ['ann', ERASED],
    ['no user ann', `no user ${ERASED}`],
    ['ann, bob', `${ERASED}, bob`],
    ['"ann".', `"${ERASED}".`],
    ['/to/ann/zone', `/to/${ERASED}/zone`],
  ])('%j becomes %j', (text, without) => {
    expect(withoutMention({ items: [{ text, ann: 1 }] }, 'ann')).toEqual({
      items: [{ text: without, ann: 1 }],
    });
  });

  it.each(['anna', 'joann', 'ann@example.com', 'mary-ann', 'ann.lee', 'ann_1'])(
    '%j is somebody else',
    (text) => {
      expect(withoutMention([text, 7, null, { ann: true }], 'ann')).toBeUndefined();
    },
  );

  it.each(['mary-ann', 'a.b', 'a+b', '$1', '😀', '(x)', '[y]', 'ann@example.com', '한국', 'a/b', 'x|y', '7'])(
    'of %j is found as it is written',
    (id) => {
      expect(withoutMention(`no user ${id} here`, id)).toBe(`no user ${ERASED} here`);
    },
  );
});
