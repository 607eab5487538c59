import { describe, expect, it } from 'vitest';
import {
  FOLLOW_WINDOW_MS,
  learnedGap,
  LONGEST_GAP_MS,
  nextReservationLook,
  nextResultLook,
  nextStandingLook,
  plannedWait,
  UNLEARNED_GAP_MS,
  type NextLook,
} from './next-poll.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const due = Date.parse('2027-03-01T12:00Z');

/** Every look at a reservation until it is final at `finalAt`, relative to due. */
function looksAt(handedOffAt: number, finalAt: number): number[] {
  const looks: number[] = [];
  let now = handedOffAt;
  let looksSinceDue = 0;
  for (;;) {
    const look: NextLook = nextReservationLook({ now, handedOffAt, dueAt: due, looksSinceDue });
    if (look.kind === 'window-over') return looks;
    now = look.at;
    looks.push(now - due);
    if (now >= finalAt) return looks;
    if (now >= due) looksSinceDue += 1;
  }
}

describe('nextReservationLook', () => {
  it('asks a minute after hand-off, 15 min before due, 5 s after due: with the result four requests where it ends at once', () => {
    expect(looksAt(due - 24 * HOUR, due)).toEqual([-24 * HOUR + MINUTE, -15 * MINUTE, 5 * SECOND]);
  });
  it('leaves out the check before due where that is no more than an hour on', () => {
    expect(looksAt(due - HOUR - 16 * MINUTE, due)).toEqual([-HOUR - 15 * MINUTE, 5 * SECOND]);
    expect(looksAt(due - HOUR - 16 * MINUTE - SECOND, due)).toHaveLength(3);
  });
  it('does not ask before due where due is nearer than the first look', () => {
    expect(looksAt(due - 30 * SECOND, due)).toEqual([5 * SECOND]);
  });
  it('goes on with gaps that grow to 5 min, and gives up after 24 h, having asked at the very end', () => {
    const looks = looksAt(due - MINUTE, Infinity).filter((at) => at >= 5 * SECOND);
    const gaps = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(5 * SECOND);
    expect(gaps.slice(0, -1).every((gap, index) => gap >= (gaps[index - 1] ?? 0))).toBe(true);
    expect(Math.max(...gaps)).toBe(LONGEST_GAP_MS);
    expect(looks.at(-1)).toBe(FOLLOW_WINDOW_MS);
    expect(looks.length).toBeLessThan(310);
  });
});

describe('nextResultLook', () => {
  const first = (overrides: object): NextLook =>
    nextResultLook({ now: due, acceptedAt: due, looks: 0, learnedGapMs: 10 * SECOND, ...overrides });
  it('waits for as long as results took lately, then grows', () => {
    expect(first({})).toEqual({ kind: 'at', at: due + 10 * SECOND });
    expect(first({ now: due + 10 * SECOND, looks: 1 })).toEqual({ kind: 'at', at: due + 15 * SECOND });
    expect(first({ now: due + 15 * SECOND, looks: 2 })).toEqual({ kind: 'at', at: due + 22_500 });
  });
  it('asks at once where that time has passed already', () => {
    expect(first({ now: due + MINUTE })).toEqual({ kind: 'at', at: due + MINUTE });
  });
  it('gives up after 24 h', () => {
    expect(first({ now: due + FOLLOW_WINDOW_MS, looks: 200 })).toEqual({ kind: 'window-over' });
    expect(first({ now: due + FOLLOW_WINDOW_MS - 1, looks: 200 })).toEqual({
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
        for (let looks = 0; ; looks += 1) {
          const look = nextResultLook({ now, acceptedAt: due, looks, learnedGapMs });
          if (look.kind === 'window-over') return Infinity;
          now = look.at;
          if (now >= due + duration) return looks + 1;
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
  it('is where the looks of a result fall, one after the other, and grows no further than the longest gap', () => {
    let now = due;
    for (const looks of [0, 1, 2, 3, 4]) {
      const look = nextResultLook({ now, acceptedAt: due, looks, learnedGapMs: 4 * SECOND });
      if (look.kind === 'at') now = look.at;
      expect(plannedWait(looks, 4 * SECOND)).toBe(now - due);
    }
    expect(plannedWait(200, SECOND)).toBeLessThan(2 * LONGEST_GAP_MS);
  });
});

describe('nextStandingLook', () => {
  it('asks hourly, and at the end', () => {
    expect([
      nextStandingLook(due, null),
      nextStandingLook(due, due + 10),
      nextStandingLook(due, due - 10),
    ]).toEqual([due + HOUR, due + 10, due + HOUR]);
  });
});
