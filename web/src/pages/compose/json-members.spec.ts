import { expect, it } from 'vitest';
import { dataOf, memberIn, otherMembers, textMember, withMember } from './json-members.ts';

const JSON_TEXT = `{
  "serviceId": "shop",
  "message": { "default": { "content": "Hello" }, "apns": { "option": { "badge": 1 } } },
  "policy": { "night": "defer" }
}`;

it('a field reads and writes its member, and every other one stays', () => {
  const next = withMember(JSON_TEXT, ['message', 'default', 'content'], 'Bye');
  expect(dataOf(next)).toEqual({
    serviceId: 'shop',
    message: { default: { content: 'Bye' }, apns: { option: { badge: 1 } } },
    policy: { night: 'defer' },
  });
  expect(textMember(next, ['message', 'default', 'content'])).toBe('Bye');
});

it('a member that was not there is added, and one can be removed', () => {
  const named = withMember(JSON_TEXT, ['delivery', 'at'], '2027-03-01T09:00');
  expect(memberIn(named, ['delivery'])).toEqual({ at: '2027-03-01T09:00' });
  expect(dataOf(withMember(JSON_TEXT, ['policy'], undefined))).not.toHaveProperty('policy');
});

it('counts what only the text shows', () => {
  expect(otherMembers(dataOf(JSON_TEXT) ?? {}, ['serviceId', 'message.default.content'])).toEqual([
    'message.apns',
    'policy',
  ]);
});

it.each(['', '{', '[]', '1', 'null'])('%j is no campaign yet', (json) => {
  expect(dataOf(json)).toBeUndefined();
});
