// Which polls of a project a follower makes, how many more it reads, and which it gives back.
import { expect, it } from 'vitest';
import { ProjectPlaces } from '../push-client/rate/calls-in-flight.js';
import type { FoundPoll } from '../store/send/read-work.store.js';
import { PollQueue } from './poll-queue.js';

const NOW = 1_800_000_000_000;

function poll(id: string): FoundPoll {
  return {
    id,
    serviceId: 'shop',
    nextAt: NOW,
    kind: 'fresh',
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

function queue(room: number) {
  const [asked, givenBack]: [string[], string[]] = [[], []];
  const places = new ProjectPlaces();
  places.inFlight = 2;
  const made = new PollQueue({
    placesOf: () => places,
    room,
    ask: ({ id }) => asked.push(id),
    drained: () => undefined,
    giveBack: ({ id }) => givenBack.push(id),
  });
  const shop = () => {
    const polls = made.byService.get('shop');
    return polls && { room: polls.room(NOW, 0), wantsMore: polls.wantsMore };
  };
  return { made, asked, givenBack, shop };
}

it('as many polls are in flight as the project allows, and the next begins as soon as one has ended', () => {
  const { made, asked } = queue(4);
  const [first, ...others] = ['a', 'b', 'c', 'd'].map(poll);
  made.add([first ?? poll('a'), ...others]);
  expect(asked).toEqual(['a', 'b']);
  expect(made.unasked).toBe(4);
  made.asked(first ?? poll('a'));
  expect(asked).toEqual(['a', 'b', 'c']);
  expect(made.unasked).toBe(3);
});

it('more polls are read while at most half of the places to wait are taken, and never more than there is room for', () => {
  const { made, shop } = queue(6);
  const five = ['a', 'b', 'c', 'd', 'e'].map(poll);
  made.add(five);
  // Two are in flight: of the four places to wait, one is left.
  expect(shop()).toEqual({ room: 1, wantsMore: false });
  for (const one of five.slice(0, 1)) made.asked(one);
  expect(shop()).toEqual({ room: 2, wantsMore: true });
  const polls = made.byService.get('shop');
  if (polls !== undefined) polls.most = 3;
  expect(shop()).toEqual({ room: 0, wantsMore: false });
});

it('a poll without a turn is given back with all that wait, and fewer are read until they are made as fast as they are read', () => {
  const { made, givenBack, shop } = queue(4);
  const [one, two] = [poll('a'), poll('b')];
  made.add([one, two, poll('c'), poll('d')]);
  made.gotNoTurn(one);
  expect(givenBack).toEqual(['a', 'c', 'd']);
  // b is still in flight.
  expect(made.unasked).toBe(1);
  expect(shop()).toEqual({ room: 1, wantsMore: true });
  made.asked(two);
  expect(shop()).toEqual({ room: 4, wantsMore: true });
});
