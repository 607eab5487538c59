// From which place of each project reads go on, also after work was put off or given back.
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { SteppedClock } from '../../platform/clock.js';
import { FullReads } from '../../platform/loops/full-reads.js';
import { WHOLE } from '../decide/lifecycle/replica-slice.js';
import type { FoundWork, ReadAsk } from '../store/send/read-work.store.js';
import { ProjectReads } from './project-reads.js';
import { ReadAhead, type ReadQueue } from './read-ahead.js';

const NOW = 1_800_000_000_000;
const LATE = NOW - 1_000;

class RealClock extends SteppedClock {
  realMs = 0;

  override elapsed(): number {
    return this.realMs;
  }
}

class Queue implements ReadQueue {
  readonly reads = new ProjectReads();
  readonly taken: string[] = [];
  most = Infinity;
  left = 4;
  wantsMore = false;

  room(): number {
    return Math.min(this.left, this.most);
  }
}

type Asked = Omit<ReadAsk, 'work'>;

/** Each of its reads finds the next of `answers`. The first round reads from the start, and no other does within a minute. */
function rig({ room = 4, batch = 6, againMs = 5_000 } = {}) {
  const clock = new RealClock(NOW);
  const queues = new Map<string, Queue>();
  const asked: Asked[] = [];
  const answers: (FoundWork[] | Error)[] = [];
  const made = { clock, queues, asked, answers, wakes: 0, slice: WHOLE };
  const ahead = new ReadAhead<FoundWork>({
    clock,
    log: pino({ level: 'silent' }),
    read: (ask) => {
      asked.push(ask);
      const answer = answers.shift() ?? [];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    slice: () => made.slice,
    fullReads: new FullReads(clock, { everyMs: 60_000, oneIn: 0 }),
    aheadMs: 2_000,
    againMs,
    batch,
    room,
    wake: () => (made.wakes += 1),
    queues,
    prepare: (found) => {
      for (const { serviceId } of found) if (!queues.has(serviceId)) queues.set(serviceId, new Queue());
      return Promise.resolve();
    },
    take: (found) => {
      for (const { id, serviceId } of found) queues.get(serviceId)?.taken.push(id);
    },
  });
  /** A round that finds this; returns what it asked for. */
  const round = async (...found: FoundWork[]): Promise<Asked | undefined> => {
    answers.push(found);
    await ahead.runOnce();
    return asked.at(-1);
  };
  /** Work of all projects has left: returns what the read further on asks for, if one is made. */
  const drain = async (...answer: FoundWork[]): Promise<Asked['pages'] | undefined> => {
    const before = asked.length;
    answers.splice(0, Infinity, answer);
    for (const [serviceId, queue] of queues) {
      queue.wantsMore = true;
      ahead.drained(serviceId);
      queue.wantsMore = false;
    }
    await setImmediate();
    return asked.length > before ? asked.at(-1)?.pages : undefined;
  };
  return Object.assign(made, { ahead, round, drain });
}

function work(id: string, nextAt: number, kind: FoundWork['kind'] = 'late', serviceId = 'shop'): FoundWork {
  return { id, serviceId, nextAt, chunk: 0, kind };
}

const four = (at: number, kind: FoundWork['kind'] = 'late') =>
  ['a', 'b', 'c', 'd'].map((id, index) => work(id, at + index, kind));

const pageOf = (asked: Pick<Asked, 'pages'> | undefined, serviceId = 'shop') => asked?.pages.get(serviceId);

it('begins at the start, then where late work was read up to, less the time in which work may have appeared', async () => {
  const { round, clock } = rig();
  expect(await round(work('a', NOW - 60_000))).toMatchObject({
    pages: new Map(),
    others: { room: 4, late: { at: 0 }, fresh: { at: LATE } },
  });
  clock.advance(100);
  const place = { late: { at: LATE - 5_000 }, fresh: { at: LATE + 100 } };
  const between = await round();
  expect(between?.others).toEqual({ room: 4, ...place });
  expect(pageOf(between)).toEqual({ room: 4, ...place });
  clock.realMs = 60_000;
  const again = await round();
  expect([again?.others?.late, pageOf(again)?.late]).toEqual([{ at: 0 }, { at: 0 }]);
});

it('reads further on while a read brings as much as there is room for, fresh and late work each behind its last', async () => {
  const { round, drain } = rig();
  await round(...four(NOW - 20), ...['e', 'f', 'g', 'h'].map((id) => work(id, NOW + 5, 'fresh')));
  const last = { late: { at: NOW - 17, chunk: 0, id: 'd' }, fresh: { at: NOW + 5, chunk: 0, id: 'h' } };
  expect(await drain(work('i', NOW - 10))).toEqual(new Map([['shop', { room: 4, ...last }]]));
  expect(await drain()).toBeUndefined();
});

it('goes on from the place of the last read if that reached its limit and found nothing of the project', async () => {
  const { round, drain } = rig({ room: 8 });
  await round(...four(NOW - 20), work('e', NOW - 10, 'late'), work('f', NOW - 9));
  const place = { late: { at: NOW - 9, chunk: 0, id: 'f' } };
  const others = Array.from({ length: 6 }, (_, index) => work(`o-${index}`, NOW, 'late', 'other'));
  expect(await drain(...others)).toMatchObject(new Map([['shop', place]]));
  expect(await drain()).toMatchObject(new Map([['shop', place]]));
});

it('a round that reached its limit moves no project on that it did not reach, and is followed by another', async () => {
  const made = rig({ againMs: 0, batch: 3 });
  await made.round(work('a', NOW - 60_000));
  expect(made.wakes).toBe(0);
  made.clock.advance(100);
  const more = ['b', 'c', 'd'].map((id, index) => work(id, NOW - 30 + index, 'late', 'other'));
  await made.round(...more);
  expect(made.wakes).toBe(1);
  const asked = await made.round();
  expect(asked?.others?.late).toEqual({ at: LATE });
  expect(pageOf(asked)?.late).toEqual({ at: LATE });
  expect(pageOf(asked, 'other')?.late).toEqual({ at: LATE + 100 });
});

it('a project without room is read from where it was read up to, and asks for a round once its work has left', async () => {
  const made = rig({ againMs: 0 });
  await made.round(work('a', NOW - 60_000));
  const shop = made.queues.get('shop');
  Object.assign(shop ?? {}, { left: 0 });
  made.clock.advance(100);
  expect(pageOf(await made.round())?.room).toBe(0);
  expect([await made.drain(), made.wakes]).toEqual([undefined, 0]);
  Object.assign(shop ?? {}, { left: 4 });
  expect([await made.drain(), made.wakes]).toEqual([undefined, 1]);
  // Asked once: if there is no room again, the round that follows notes it.
  expect([await made.drain(), made.wakes]).toEqual([undefined, 1]);
  const asked = await made.round();
  expect(pageOf(asked)?.late).toEqual({ at: LATE });
  expect(asked?.others?.late).toEqual({ at: LATE + 100 });
});

it('late work of other slices is left to a round', async () => {
  const made = rig();
  await made.round(...four(NOW - 20, 'others'));
  expect([await made.drain(), made.wakes]).toEqual([undefined, 1]);
});

it('work that is put off to before the place is read again, and work that is found twice is taken once', async () => {
  const made = rig({ againMs: 0 });
  const one = work('a', NOW - 5_000);
  await made.round(one, work('b', NOW - 4_000));
  made.ahead.stepBack('shop', NOW + 60_000);
  expect(pageOf(await made.round())?.late).toEqual({ at: LATE });
  made.ahead.stepBack('shop', LATE);
  made.ahead.forget('a');
  const asked = await made.round(work('b', LATE), work('a', LATE));
  expect(pageOf(asked)?.late).toEqual({ at: LATE - 1 });
  expect(asked?.held).toEqual(['b']);
  expect(made.queues.get('shop')?.taken).toEqual(['a', 'b', 'a']);
});

it('work that is given back is read again by a round, which leaves out what is still held', async () => {
  const made = rig();
  const one = work('a', NOW - 60_000);
  await made.round(one, work('b', NOW - 50_000), work('c', NOW - 40_000), work('d', NOW - 30_000));
  made.ahead.giveBack(one);
  expect([await made.drain(), made.wakes]).toEqual([undefined, 1]);
  const asked = await made.round();
  expect(pageOf(asked)?.late).toEqual({ at: NOW - 60_001 });
  expect(asked?.held).toEqual(['b', 'c', 'd']);
});

it('does not name the held work of a project without room', async () => {
  const made = rig();
  await made.round(work('a', NOW - 60_000), work('b', NOW - 60_000, 'late', 'other'));
  Object.assign(made.queues.get('other') ?? {}, { left: 0 });
  expect((await made.round())?.held).toEqual(['a']);
});

it('a read further on that failed is left to a round', async () => {
  const made = rig();
  await made.round(...four(NOW - 20));
  const wakes = made.wakes;
  made.answers.push(new Error('away'));
  const shop = made.queues.get('shop');
  Object.assign(shop ?? {}, { wantsMore: true });
  made.ahead.drained('shop');
  await setImmediate();
  expect([made.asked.length, made.wakes]).toEqual([2, wakes + 1]);
  expect(shop?.reads.mayHaveMore).toBe(false);
});

it('a process that has another slice reads from the start', async () => {
  const made = rig();
  await made.round(work('a', NOW - 60_000));
  made.slice = { index: 1, of: 2 };
  const asked = await made.round();
  expect([asked?.others?.late, pageOf(asked)?.late]).toEqual([{ at: -1 }, { at: -1 }]);
});

it('a read from the start that takes long is made at the same time as others, and reads only late work', async () => {
  const made = rig();
  const slow = made.round(work('a', NOW - 60_000));
  made.clock.realMs = 200;
  await slow;
  made.clock.realMs = 60_200;
  made.answers.push([work('b', NOW - 90_000)]);
  await made.round();
  await setImmediate();
  const [beside, round] = made.asked.slice(-2);
  expect([beside?.others?.late, beside?.upTo]).toEqual([{ at: 0 }, LATE]);
  expect([round?.others?.late, round?.upTo]).toEqual([{ at: LATE - 5_000 }, NOW + 2_000]);
  expect(made.queues.get('shop')?.taken).toEqual(['a', 'b']);
  expect(pageOf(await made.round())?.late).toEqual({ at: NOW - 90_001 });
});
