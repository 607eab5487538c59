import { describe, expect, it } from 'vitest';
import {
  FOLLOW_WINDOW_MS,
  learnedGap,
  LONGEST_GAP_MS,
  nextReservationPoll,
  nextResultPoll,
  nextStandingPoll,
  plannedWait,
  UNLEARNED_GAP_MS,
  type NextPoll,
} from './next-poll.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const due = Date.parse('2027-03-01T12:00Z');

/** Every poll of a reservation until it is final at `finalAt`, relative to due. */
function pollsAt(handedOffAt: number, finalAt: number): number[] {
  const polls: number[] = [];
  let now = handedOffAt;
  let pollsSinceDue = 0;
  for (;;) {
    const poll: NextPoll = nextReservationPoll({ now, handedOffAt, dueAt: due, pollsSinceDue });
    if (poll.kind === 'window-over') return polls;
    now = poll.at;
    polls.push(now - due);
    if (now >= finalAt) return polls;
    if (now >= due) pollsSinceDue += 1;
  }
}

describe('nextReservationPoll', () => {
  it('asks a minute after hand-off, 15 min before due, 5 s after due: with the result four requests where it ends at once', () => {
    expect(pollsAt(due - 24 * HOUR, due)).toEqual([-24 * HOUR + MINUTE, -15 * MINUTE, 5 * SECOND]);
  });
  it('leaves out the check before due where that is no more than an hour on', () => {
    expect(pollsAt(due - HOUR - 16 * MINUTE, due)).toEqual([-HOUR - 15 * MINUTE, 5 * SECOND]);
    expect(pollsAt(due - HOUR - 16 * MINUTE - SECOND, due)).toHaveLength(3);
  });
  it('does not ask before due where due is nearer than the first poll', () => {
    expect(pollsAt(due - 30 * SECOND, due)).toEqual([5 * SECOND]);
  });
  it('goes on with gaps that grow to 5 min, and gives up after 24 h, having asked at the very end', () => {
    const polls = pollsAt(due - MINUTE, Infinity).filter((at) => at >= 5 * SECOND);
    const gaps = polls.slice(1).map((at, index) => at - (polls[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(5 * SECOND);
    expect(gaps.slice(0, -1).every((gap, index) => gap >= (gaps[index - 1] ?? 0))).toBe(true);
    expect(Math.max(...gaps)).toBe(LONGEST_GAP_MS);
    expect(polls.at(-1)).toBe(FOLLOW_WINDOW_MS);
    expect(polls.length).toBeLessThan(310);
  });
});

describe('nextResultPoll', () => {
  const first = (overrides: object): NextPoll =>
    nextResultPoll({ now: due, acceptedAt: due, polls: 0, learnedGapMs: 10 * SECOND, ...overrides });
  it('waits for as long as results took lately, then grows', () => {
    expect(first({})).toEqual({ kind: 'at', at: due + 10 * SECOND });
    expect(first({ now: due + 10 * SECOND, polls: 1 })).toEqual({ kind: 'at', at: due + 15 * SECOND });
    expect(first({ now: due + 15 * SECOND, polls: 2 })).toEqual({ kind: 'at', at: due + 22_500 });
  });
  it('asks at once where that time has passed already', () => {
    expect(first({ now: due + MINUTE })).toEqual({ kind: 'at', at: due + MINUTE });
  });
  it('gives up after 24 h', () => {
    expect(first({ now: due + FOLLOW_WINDOW_MS, polls: 200 })).toEqual({ kind: 'window-over' });
    expect(first({ now: due + FOLLOW_WINDOW_MS - 1, polls: 200 })).toEqual({
      kind: 'at',
      at: due + FOLLOW_WINDOW_MS,
    });
  });
  it('needs at most 3 requests at the median, however long results take', () => {
    for (const typical of [0, 3 * SECOND, 40 * SECOND, 4 * MINUTE]) {
      const durations = Array.from({ length: 99 }, (_, index) => typical * (0.5 + index / 98));
      const learnedGapMs = learnedGap(durations);
      const requests = durations.map((duration) => {
        let now = due;
        for (let polls = 0; ; polls += 1) {
          const poll = nextResultPoll({ now, acceptedAt: due, polls, learnedGapMs });
          if (poll.kind === 'window-over') return Infinity;
          now = poll.at;
          if (now >= due + duration) return polls + 1;
        }
      });
      expect(requests.sort((a, b) => a - b)[49]).toBeLessThanOrEqual(3);
    }
  });
});

describe('learnedGap', () => {
  it('stays within 1 s and 5 min, and has a start', () => {
    expect([learnedGap([]), learnedGap([0, 0]), learnedGap([9 * HOUR])]).toEqual([
      UNLEARNED_GAP_MS,
      SECOND,
      LONGEST_GAP_MS,
    ]);
  });
});

describe('plannedWait', () => {
  it('is where the polls of a result fall, one after the other, and grows no further than the longest gap', () => {
    let now = due;
    for (const polls of [0, 1, 2, 3, 4]) {
      const poll = nextResultPoll({ now, acceptedAt: due, polls, learnedGapMs: 4 * SECOND });
      if (poll.kind === 'at') now = poll.at;
      expect(plannedWait(polls, 4 * SECOND)).toBe(now - due);
    }
    expect(plannedWait(200, SECOND)).toBeLessThan(2 * LONGEST_GAP_MS);
  });
});

describe('nextStandingPoll', () => {
  it('asks hourly, and at the end', () => {
    expect([
      nextStandingPoll(due, null),
      nextStandingPoll(due, due + 10),
      nextStandingPoll(due, due - 10),
    ]).toEqual([due + HOUR, due + 10, due + HOUR]);
  });
});
