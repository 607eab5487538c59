import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { payloadsOf, type Change } from '../../store/change.store.js';
import { ChangeFeed, type Batch } from './change-feed.js';
import { addChange } from './merge-changes.js';

const change = (subject: string, data: Change['data'] = {}): Change => ({
  event: 'campaign',
  serviceId: 'shop',
  subject,
  data,
});

describe('changes of one subject', () => {
  it('become one: counts are added, lists united, other values replaced', () => {
    const waiting = new Map<string, Change>();
    addChange(waiting, change('a', { state: 'planned', sends: { sent: 1 }, occurrences: ['x'] }));
    addChange(waiting, change('b'));
    addChange(
      waiting,
      change('a', { state: 'running', sends: { sent: 2, failed: 1 }, occurrences: ['x', 'y'] }),
    );
    addChange(waiting, { ...change('a'), event: 'send' });
    expect([...waiting.values()]).toEqual([
      change('b'),
      change('a', { state: 'running', sends: { sent: 3, failed: 1 }, occurrences: ['x', 'y'] }),
      { ...change('a'), event: 'send' },
    ]);
  });

  it('list fifty at most, and say that there are more', () => {
    const waiting = new Map<string, Change>();
    for (let index = 0; index < 60; index += 1) addChange(waiting, change('a', { sends: [`s${index}`] }));
    addChange(waiting, change('a', { state: 'running' }));
    const [one] = waiting.values();
    expect(one?.data).toMatchObject({ more: true, state: 'running' });
    expect(one?.data['sends']).toHaveLength(50);
  });
});

describe('payloads', () => {
  it('fit into a NOTIFY, each with an id of its own, and keep every change in order', () => {
    const changes = Array.from({ length: 300 }, (_, index) =>
      change(`subject-${index}`, { text: '한'.repeat(20) }),
    );
    const payloads = payloadsOf(changes);
    expect(payloads.length).toBeGreaterThan(3);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    const read = payloads.map((payload) => JSON.parse(payload) as { id: string; changes: Change[] });
    expect(read.flatMap((one) => one.changes)).toEqual(changes);
    expect(new Set(read.map(({ id }) => id)).size).toBe(payloads.length);
    expect(payloadsOf([])).toEqual([]);
  });
});

describe('a feed', () => {
  let feed: ChangeFeed;
  let batches: (Batch | undefined)[];
  beforeEach(() => {
    vi.useFakeTimers();
    feed = new ChangeFeed(250);
    batches = [];
    feed.read((batch) => batches.push(batch));
  });
  afterEach(() => void vi.useRealTimers());

  const announce = (id: string, ...changes: Change[]): void => feed.take(JSON.stringify({ id, changes }));
  const subjectsSince = (id: string) => feed.since(id)?.changes.map(({ subject }) => subject);

  it('gives what came within a quarter of a second as one batch', () => {
    announce('1', change('a', { sends: { sent: 1 } }));
    announce('2', change('a', { sends: { sent: 1 } }), change('b'));
    vi.advanceTimersByTime(249);
    expect(batches).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(batches).toEqual([{ id: '2', changes: [change('a', { sends: { sent: 2 } }), change('b')] }]);
  });

  it('gives a reader that comes back what it missed, wherever another process ended its batch', () => {
    const begin = feed.lastId;
    for (const id of ['1', '2', '3']) {
      announce(`${id}a`, change(`${id}a`));
      announce(`${id}b`, change(`${id}b`));
      vi.advanceTimersByTime(250);
    }
    expect(subjectsSince('3b')).toEqual([]);
    expect(subjectsSince('2b')).toEqual(['3a', '3b']);
    // Its batch ended after 2a: 2a comes again with 2b.
    expect(subjectsSince('2a')).toEqual(['2a', '2b', '3a', '3b']);
    expect(subjectsSince(begin)).toHaveLength(6);
    expect(feed.since('none')).toBeUndefined();
  });

  it('forgets what is too much to keep, and then knows the old ids no more', () => {
    const begin = feed.lastId;
    for (let index = 0; index < 2_005; index += 1) {
      announce(String(index), change(String(index)));
      vi.advanceTimersByTime(250);
    }
    expect(feed.since(begin)).toBeUndefined();
    expect(feed.since('3')).toBeUndefined();
    expect(subjectsSince('4')).toHaveLength(2_000);
  });

  it('tells its readers to read anew once announcements may be lost, and knows no id from before', () => {
    announce('1', change('a'));
    vi.advanceTimersByTime(250);
    announce('2', change('b'));
    feed.lost();
    vi.advanceTimersByTime(250);
    expect(batches.slice(1)).toEqual([undefined]);
    expect(feed.since('1')).toBeUndefined();
    expect(feed.since(feed.lastId)).toEqual({ id: feed.lastId, changes: [] });
  });

  it('passes over what another release announces', () => {
    feed.take('no json');
    feed.take('{}');
    feed.take(JSON.stringify({ id: '1', changes: [{ event: 'weather' }, change('a')], more: 1 }));
    vi.advanceTimersByTime(250);
    expect(batches).toEqual([{ id: '1', changes: [change('a')] }]);
  });
});
