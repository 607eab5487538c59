// Learns how long the results of each project take, so that the first poll finds most of them final. Kept in memory: a new process
// learns it within minutes, and a wrong guess costs one GET.
import { learnedGap, plannedWait, UNLEARNED_GAP_MS } from '../decide/lifecycle/next-poll.js';

const REMEMBERED = 64;
const PROJECTS = 10_000;

interface Learned {
  readonly latestMs: number[];
  gapMs: number;
}

export class LearnedGaps {
  readonly #learned = new Map<string, Learned>();

  /**
   * `polls`: how many found the result not final. `tookMs` is bounded by the wait that was planned for the poll that found it
   * final. Otherwise a clock that was set, or an hour in which nobody polled, would make later results wait for minutes.
   */
  observe(serviceId: string, tookMs: number, polls: number): void {
    const learned = this.#learned.get(serviceId) ?? { latestMs: [], gapMs: UNLEARNED_GAP_MS };
    learned.latestMs.push(Math.max(0, Math.min(tookMs, plannedWait(polls, learned.gapMs))));
    if (learned.latestMs.length > REMEMBERED) learned.latestMs.shift();
    learned.gapMs = learnedGap(learned.latestMs);
    this.#learned.set(serviceId, learned);
    const [oldest] = this.#learned.keys();
    if (this.#learned.size > PROJECTS && oldest !== undefined) this.#learned.delete(oldest);
  }

  /** The time from `accepted` to the first poll, milliseconds. */
  of(serviceId: string): number {
    return this.#learned.get(serviceId)?.gapMs ?? UNLEARNED_GAP_MS;
  }
}
