// The turns of one credential in this process, by its window, rate and pauses together. A turn is for one request, and is
// ended with it; turns are given in the order they were asked for.
import type { Clock } from '../../../platform/clock.js';
import type { RateRamp } from './rate-ramp.js';
import type { PaceSign } from './judged-answer.js';
import type { Responsiveness } from '../provider-port.js';
import { Window } from './request-window.js';
import { TokenBucket, waitForOne } from './token-bucket.js';

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
/** At least so long for the rate, so that several go at once. */
const GATHER_MS = 5;
/** How often a provider that allows no stream at all is tried. */
const NO_STREAMS_MS = 100;
/** When requests are open and none is answered for so long, the provider counts as silent. */
export const SILENT_MS = 5_000;
/** After this many requests in a row whose answers were lost it rests: each of them costs a device its message. */
const SILENT = 4;
const SILENT_PAUSE_MS = 2_000;
const LONGEST_SILENT_PAUSE_MS = 30_000;
const FAULT_PAUSE_MS = 60_000;
const LONGEST_BACK_OFF_MS = 600_000;

interface Waiting {
  readonly wants: 'turn' | 'room';
  readonly signal: AbortSignal;
  readonly give: (turn: Turn) => void;
}

export class Traffic {
  readonly #window = new Window();
  readonly #bucket = new TokenBucket();
  readonly #waiting = new Set<Waiting>();
  #open = 0;
  #pausedUntil = -Infinity;
  /** Pauses in a row that nobody named the length of. */
  #backOffs = 0;
  #silent = 0;
  #responsiveness: Responsiveness = 'untried';
  /** When the last answer came, or when the first of the open requests began. */
  #heardAt = 0;
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

  /** silent: requests are open, and none was answered for SILENT_MS; until the next answer. */
  get responsiveness(): Responsiveness {
    this.#listen();
    return this.#responsiveness;
  }

  get room(): number {
    const { clock, most, ramp } = this.options;
    if (this.pauseMs > 0) return 0;
    this.#listen();
    const now = clock.elapsed();
    const free = Math.min(this.#window.size, most()) - this.#open;
    const rated = Math.min(free, Math.floor(this.#fill(now)));
    return Math.max(0, ramp === undefined ? rated : Math.min(rated, ramp.available(now)));
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
      // Answers to what was open before a pause say nothing of how it goes after it.
      if (this.pauseMs === 0) this.#backOffs = 0;
    }
    if (sign === 'silent') this.#unanswered();
    else if (sign !== 'unasked') this.#heard();
    this.#pump();
  }

  /** A silent provider gets one request at a time. */
  #listen(): void {
    const isSilent = this.#open > 0 && this.options.clock.elapsed() - this.#heardAt >= SILENT_MS;
    if (!isSilent || this.#responsiveness === 'silent') return;
    this.#responsiveness = 'silent';
    this.#window.restart();
  }

  #heard(): void {
    this.#silent = 0;
    this.#heardAt = this.options.clock.elapsed();
    this.#responsiveness = 'answering';
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
    this.backOff(FAULT_PAUSE_MS);
  }

  /** A pause that is twice as long each time, until a push is accepted. */
  backOff(ms: number): void {
    // If many requests were open at once, only the first counts.
    if (this.pauseMs > 0) return;
    this.pause(Math.min(ms * 2 ** this.#backOffs, LONGEST_BACK_OFF_MS));
    this.#backOffs += 1;
  }

  #take(): void {
    const now = this.options.clock.elapsed();
    if (this.#open === 0) this.#heardAt = now;
    this.#open += 1;
    this.#bucket.take();
    this.options.ramp?.take(now);
  }

  #fill(now: number): number {
    return this.#bucket.fill(now, this.#window.perSecond, this.#window.size);
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
    const isLong = this.pauseMs > LONGEST_WAIT_MS;
    for (const waiting of this.#waiting) {
      if (isLong) {
        if (waiting.wants === 'turn') waiting.give('paused');
        continue;
      }
      if (this.room === 0) break;
      if (waiting.wants === 'turn') this.#take();
      waiting.give('go');
    }
    this.#comeBack();
  }

  /** Wakes those who wait for a pause or the rate to end; those whom the window holds up are woken by an answer. */
  #comeBack(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size === 0) return;
    const { clock, ramp } = this.options;
    const now = clock.elapsed();
    const rateMs = waitForOne(this.#fill(now), this.#window.perSecond);
    const ms = Math.max(this.pauseMs, rateMs, ramp?.waitMs(now) ?? 0);
    if (ms > 0 || this.#open === 0)
      this.#timer = setTimeout(
        () => this.#pump(),
        ms > 0 ? Math.max(GATHER_MS, Math.ceil(ms)) : NO_STREAMS_MS,
      );
  }
}
