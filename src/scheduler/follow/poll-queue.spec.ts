// Where a follower reads on: behind what it has read of each project, and again what it put off or gave up.
import { expect, it } from 'vitest';
import { SharedWire } from '../push-client/rate/calls-in-flight.js';
import type { FoundPoll } from '../store/send/poll.store.js';
import { PollQueue } from './poll-queue.js';

const NOW = 1_800_000_000_000;

function poll(id: string, nextAt: number, serviceId = 'shop'): FoundPoll {
  return {
    id,
    serviceId,
    nextAt,
    chunk: 0,
    state: 'accepted',
    goal: null,
    mode: 'immediate',
    detail: null,
    scheduleCode: null,
    requestId: 'r',
    dueAt: NOW,
    handedOffAt: NOW,
    stateAt: NOW,
    polls: 0,
    changes: 3,
    until: null,
  };
}

function queue(room = 4) {
  const asked: string[] = [];
  const wire = new SharedWire();
  wire.of('shop').inFlight = 2;
  let drained = 0;
  const made = new PollQueue({ wire, room, ask: ({ id }) => asked.push(id), drained: () => (drained += 1) });
  return { made, asked, drained: () => drained };
}

const furtherOf = (made: PollQueue) => {
  const { further } = made.wanted(true);
  return { readUpTo: further?.readUpTo, places: Object.fromEntries(further?.places ?? []) };
};

it('reads on from where a read has got to: of whom it did not reach, from the start', () => {
  const { made } = queue();
  expect(made.wanted(true).further).toBeUndefined();
  made.add([poll('a', NOW - 5)], made.wanted(false), true, NOW);
  expect(furtherOf(made)).toEqual({ readUpTo: 0, places: { shop: { at: NOW - 5, chunk: 0, id: 'a' } } });
  made.add([], made.wanted(false), false, NOW + 1);
  expect(furtherOf(made)).toEqual({ readUpTo: NOW + 1, places: {} });
  made.add([], made.wanted(true), false, NOW + 2);
  expect(furtherOf(made).readUpTo).toBe(NOW + 2);
  expect(made.wanted(false).further).toBeUndefined();
});

it('reads a project that may have more behind its last, and one that had no room from where the others were', () => {
  const { made, asked, drained } = queue(4);
  const four = ['a', 'b', 'c', 'd'].map((id, index) => poll(id, NOW - 10 + index));
  made.add(four, made.wanted(false), false, NOW);
  expect(asked).toEqual(['a', 'b']);
  expect(furtherOf(made).places).toEqual({ shop: { at: NOW - 7, chunk: 0, id: 'd' } });
  // It has no room now: the read that follows goes by it.
  made.add([], made.wanted(true), false, NOW + 100);
  expect(furtherOf(made)).toEqual({
    readUpTo: NOW + 100,
    places: { shop: { at: NOW - 7, chunk: 0, id: 'd' } },
  });
  for (const one of four) {
    made.asked(one);
    made.forget(one);
  }
  expect(drained()).toBe(1);
  made.add([], made.wanted(true), false, NOW + 200);
  expect(furtherOf(made).places).toEqual({});
});

it('reads a project without room, which was read to the end, behind what all were read up to then', () => {
  const { made } = queue(6);
  const five = ['a', 'b', 'c', 'd', 'e'].map((id) => poll(id, NOW - 5));
  made.add(five, made.wanted(false), false, NOW);
  expect(furtherOf(made).places).toEqual({});
  const wanted = made.wanted(true);
  expect(wanted.rooms.get('shop')).toBe(0);
  made.add([], wanted, false, NOW + 100);
  expect(furtherOf(made)).toMatchObject({ readUpTo: NOW + 100, places: { shop: { at: NOW } } });
});

it('a read that ended at its own limit moves nobody on whom it did not reach', () => {
  const { made } = queue();
  made.add([poll('a', NOW - 5)], made.wanted(false), false, NOW);
  made.add([poll('b', NOW + 3, 'other')], made.wanted(true), true, NOW + 10);
  expect(furtherOf(made)).toMatchObject({
    readUpTo: NOW,
    places: { shop: { at: NOW }, other: { at: NOW + 3, id: 'b' } },
  });
});

it('what is put off to before the place is read again, and what is met twice is asked once', () => {
  const { made, asked } = queue();
  const [first, second] = [poll('a', NOW - 5), poll('b', NOW - 4)];
  made.add([first, second], made.wanted(false), false, NOW);
  made.putOff(first, NOW + 60_000);
  expect(furtherOf(made).places).toEqual({});
  made.putOff(first, NOW - 1);
  expect(furtherOf(made).places).toMatchObject({ shop: { at: NOW - 2 } });
  made.asked(first);
  made.forget(first);
  made.add([poll('b', NOW - 1), poll('a', NOW - 1)], made.wanted(true), false, NOW + 5);
  expect(asked).toEqual(['a', 'b', 'a']);
  expect(made.unasked).toBe(2);
});

it('what is given up unasked is read again from the start', () => {
  const { made } = queue();
  const one = poll('a', NOW - 5);
  made.add([one, poll('b', NOW - 4), poll('c', NOW - 3)], made.wanted(false), false, NOW);
  made.starved(one);
  expect(furtherOf(made).places).toMatchObject({ shop: { at: 0 } });
  // b is still under way.
  expect(made.wanted(false).held).toEqual(['b']);
});
