import { expect, it } from 'vitest';
import type { PushAnswer } from '../push-api.js';
import { readNamesAnswer, type NamesAnswer } from './read-names-answer.js';

const answered = (body: unknown, status = 200): PushAnswer => ({
  kind: 'answered',
  status,
  body: JSON.stringify(body),
});
const named = (count: number, name = 'other') => Array.from({ length: count }, () => ({ channelName: name }));

it.each<[what: string, PushAnswer, NamesAnswer]>([
  ['it among others', answered([{ channelName: 'vip2' }, { channelName: 'vip' }]), 'known'],
  ['only names that have it as a part', answered([{ channelName: 'vip2' }]), 'unknown'],
  ['none', answered([]), 'unknown'],
  ['a full page without it', answered(named(100)), 'more'],
  ['a full page with it', answered([...named(99), { channelName: 'vip' }]), 'known'],
  ['no list', answered({ content: [] }), 'failed'],
  ['a refusal', answered({ error: {} }, 404), 'failed'],
  ['nothing', { kind: 'unanswered', started: true, error: 'ECONNRESET', timedOut: false }, 'failed'],
])('of a channel, an answer of %s', (_, answer, expected) => {
  expect(readNamesAnswer(answer, { kind: 'channel', name: 'vip' })).toBe(expected);
});

it('of a schedule, in a page', () => {
  const one = { kind: 'schedule', name: 'WEEKLY' } as const;
  expect(readNamesAnswer(answered({ content: [{ scheduleCode: 'WEEKLY' }] }), one)).toBe('known');
  expect(readNamesAnswer(answered({ content: [{ scheduleCode: 'weekly' }] }), one)).toBe('unknown');
  expect(readNamesAnswer(answered([{ scheduleCode: 'WEEKLY' }]), one)).toBe('failed');
});
