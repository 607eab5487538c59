// How long results of each project took lately, so that the first look finds most of them final. Kept in memory: it is
// learned again within minutes, and a wrong guess costs a GET.
import { learnedGap } from '../decide/next-look.js';

const REMEMBERED = 64;
const PROJECTS = 10_000;

export class LearnedGaps {
  readonly #latest = new Map<string, number[]>();

  observe(serviceId: string, tookMs: number): void {
    const latest = this.#latest.get(serviceId) ?? [];
    latest.push(Math.max(0, tookMs));
    if (latest.length > REMEMBERED) latest.shift();
    this.#latest.set(serviceId, latest);
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > PROJECTS && oldest !== undefined) this.#latest.delete(oldest);
  }

  /** Milliseconds from the start of sending to the first look. */
  of(serviceId: string): number {
    return learnedGap(this.#latest.get(serviceId) ?? []);
  }
}
