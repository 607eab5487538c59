// The turns of one credential in this process, by its window, rate and pauses together. A turn is for one request, and is
// ended with it; turns are given in the order they were asked for.
import type { Clock } from '../../../platform/clock.js';
import type { RateRamp } from './rate-ramp.js';
import type { PaceSign } from './judged-answer.js';
import { Window } from './request-window.js';

/** paused: the pause lasts longer than LONGEST_WAIT_MS. */
export type Turn = 'go' | 'paused' | 'aborted';

export interface TrafficOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** The most streams there may be, by what the provider said last. */
  readonly most: () => number;
  /** Until the provider can be reached again, milliseconds. */
  readonly unreachableMs: () => number;
  readonly ramp?: RateRamp;
}

/** A longer pause is not waited for: a claimed chunk would lie here until its lease ends. */
const LONGEST_WAIT_MS = 5_000;
/** Up to this share of a pause is added to it, so that replicas do not come back at the same moment. */
const PAUSE_SPREAD = 0.1;
/** How often a provider that allows no stream at all is tried. */
const NO_STREAMS_MS = 100;
/** After this many requests in a row without an answer the provider is stuck, and would hold workers that others wait for. */
const SILENT = 4;
const SILENT_PAUSE_MS = 2_000;
const LONGEST_SILENT_PAUSE_MS = 30_000;
const FAULT_PAUSE_MS = 60_000;
const LONGEST_FAULT_PAUSE_MS = 600_000;

interface Waiting {
  readonly wants: 'turn' | 'room';
  readonly signal: AbortSignal;
  readonly give: (turn: Turn) => void;
}

export class Traffic {
  readonly #window = new Window();
  readonly #waiting = new Set<Waiting>();
  #open = 0;
  #pausedUntil = -Infinity;
  #faults = 0;
  #silent = 0;
  #fault: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: TrafficOptions) {}

  /** Why the credential was refused last; undefined once a push was accepted. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** How long pauses still last, milliseconds. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.options.clock.elapsed(), this.options.unreachableMs());
  }

  /** Requests that may be open at once, and those that are. */
  get load(): { readonly window: number; readonly open: number } {
    return { window: Math.min(this.#window.size, this.options.most()), open: this.#open };
  }

  get room(): number {
    const { clock, most, ramp } = this.options;
    if (this.pauseMs > 0) return 0;
    const free = Math.min(this.#window.size, most()) - this.#open;
    return Math.max(0, ramp === undefined ? free : Math.min(free, ramp.available(clock.elapsed())));
  }

  /** Takes a turn if there is one now. */
  takeTurn(): boolean {
    if (this.#waiting.size > 0 || this.room === 0) return false;
    this.#take();
    return true;
  }

  turn(signal: AbortSignal): Promise<Turn> {
    return this.#wait('turn', signal);
  }

  async waitForRoom(signal: AbortSignal): Promise<void> {
    await this.#wait('room', signal);
  }

  ended(sign: PaceSign): void {
    const { clock, most } = this.options;
    this.#open -= 1;
    this.#window.answered(sign, clock.elapsed(), most());
    if (sign === 'taken') {
      this.#fault = undefined;
      this.#faults = 0;
    }
    if (sign === 'silent') this.#unanswered();
    else if (sign !== 'none') this.#silent = 0;
    this.#pump();
  }

  #unanswered(): void {
    // If many requests were open at once, only those before the pause count.
    if (this.pauseMs > 0) return;
    this.#silent += 1;
    if (this.#silent < SILENT) return;
    this.pause(Math.min(SILENT_PAUSE_MS * 2 ** (this.#silent - SILENT), LONGEST_SILENT_PAUSE_MS));
  }

  /** If there is a pause already, the longer one holds. */
  pause(ms: number): void {
    const until = this.options.clock.elapsed() + ms * (1 + Math.random() * PAUSE_SPREAD);
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#pump();
  }

  /** The credential was refused: the pause is longer each time, and one device is tried after it. */
  refused(reason: string): void {
    this.#fault = reason;
    this.#window.restart();
    // If many requests were open at once, only the first counts.
    if (this.pauseMs > 0) return;
    this.pause(Math.min(FAULT_PAUSE_MS * 2 ** this.#faults, LONGEST_FAULT_PAUSE_MS));
    this.#faults += 1;
  }

  #take(): void {
    this.#open += 1;
    this.options.ramp?.take(this.options.clock.elapsed());
  }

  #wait(wants: Waiting['wants'], signal: AbortSignal): Promise<Turn> {
    if (signal.aborted) return Promise.resolve('aborted');
    return new Promise((resolve) => {
      const waiting: Waiting = {
        wants,
        signal,
        give: (turn) => {
          signal.removeEventListener('abort', giveUp);
          this.#waiting.delete(waiting);
          resolve(turn);
        },
      };
      const giveUp = (): void => waiting.give('aborted');
      signal.addEventListener('abort', giveUp);
      this.#waiting.add(waiting);
      this.#pump();
    });
  }

  #pump(): void {
    for (const waiting of this.#waiting) {
      if (waiting.wants === 'turn' && this.pauseMs > LONGEST_WAIT_MS) waiting.give('paused');
      else if (this.room > 0) {
        if (waiting.wants === 'turn') this.#take();
        waiting.give('go');
      }
    }
    this.#comeBack();
  }

  /** Wakes those who wait for a pause or the rate to end; those whom the window holds up are woken by an answer. */
  #comeBack(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size === 0) return;
    const { clock, ramp } = this.options;
    const ms = Math.max(this.pauseMs, ramp?.waitMs(clock.elapsed()) ?? 0);
    if (ms > 0 || this.#open === 0)
      this.#timer = setTimeout(() => this.#pump(), ms > 0 ? Math.ceil(ms) : NO_STREAMS_MS);
  }
}
