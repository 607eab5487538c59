// How many requests of one credential may begin now, by its window, rate and pauses together. Only credential-queue.ts asks: it
// says whose they are. Sets no timer.
import type { Clock } from '../../../platform/clock.js';
import type { Http2Pool } from '../../../platform/http2/http2-pool.js';
import { RateRamp } from './rate-ramp.js';
import type { PaceSign } from './judged-answer.js';
import type { Responsiveness, Standing } from '../provider-port.js';
import { Window } from './request-window.js';
import { TokenBucket } from './token-bucket.js';

export interface TrafficOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Says how many streams there may be, and how long the provider cannot be reached. */
  readonly pool: Pick<Http2Pool, 'most' | 'restMs'>;
  /** Messages a second at most, for a provider that has such a limit. */
  readonly perSecond?: number | undefined;
}

/** Up to this share of a pause is added to it, so that replicas do not come back at the same moment. */
const PAUSE_SPREAD = 0.1;
/** When requests are open and none is answered for so long, the provider counts as silent. */
export const SILENT_MS = 5_000;
/** After this many requests in a row whose answers were lost it rests: each of them costs a device its message. */
const SILENT = 4;
const SILENT_PAUSE_MS = 2_000;
const LONGEST_SILENT_PAUSE_MS = 30_000;
const FAULT_PAUSE_MS = 60_000;
const LONGEST_BACK_OFF_MS = 600_000;

export class Traffic {
  readonly #window = new Window();
  readonly #bucket = new TokenBucket();
  #open = 0;
  #pausedUntil = -Infinity;
  /** Pauses in a row that nobody named the length of. */
  #backOffs = 0;
  #silent = 0;
  #responsiveness: Responsiveness = 'untried';
  /** When the last answer came, or when the first of the open requests began. */
  #heardAt = 0;
  #fault: string | undefined;

  readonly #ramp: RateRamp | undefined;

  constructor(private readonly options: TrafficOptions) {
    const { perSecond } = options;
    this.#ramp = perSecond === undefined ? undefined : new RateRamp(perSecond);
  }

  /** Why the credential was refused last; undefined once a push was accepted. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** How long pauses still last, milliseconds. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.options.clock.elapsed(), this.options.pool.restMs);
  }

  /** Requests that may be open at once, and those that are. */
  get load(): { readonly window: number; readonly open: number } {
    return { window: Math.min(this.#window.size, this.options.pool.most), open: this.#open };
  }

  /** As the port's standing(). */
  get standing(): Standing {
    if (this.pauseMs === 0) return this.responsiveness;
    return this.#fault === undefined ? 'paused' : 'refused';
  }

  /** silent: requests are open, and none was answered for SILENT_MS; until the next answer. */
  get responsiveness(): Responsiveness {
    this.#listen();
    return this.#responsiveness;
  }

  get room(): number {
    if (this.pauseMs > 0) return 0;
    this.#listen();
    const free = Math.min(this.#window.size, this.options.pool.most) - this.#open;
    return Math.max(0, Math.min(free, Math.floor(this.#rated().tokens)));
  }

  /** Until there may be room by time alone, milliseconds; 0: there is some, or only an answer makes it. */
  get waitMs(): number {
    const { tokens, perSecond } = this.#rated();
    return Math.max(this.pauseMs, ((1 - tokens) * 1_000) / perSecond);
  }

  /** A request takes a place. Only while there is room; ended() gives it back. */
  take(): void {
    const now = this.options.clock.elapsed();
    if (this.#open === 0) this.#heardAt = now;
    this.#open += 1;
    this.#bucket.take();
    this.#ramp?.used(now);
  }

  ended(sign: PaceSign): void {
    const { clock, pool } = this.options;
    this.#open -= 1;
    this.#window.answered(sign, clock.elapsed(), pool.most);
    if (sign === 'taken') {
      this.#fault = undefined;
      // Answers to what was open before a pause say nothing of how it goes after it.
      if (this.pauseMs === 0) this.#backOffs = 0;
    }
    if (sign === 'silent') this.#unanswered();
    else if (sign !== 'unasked') this.#heard();
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

  /** The requests that the rate lets go now, with fractions, and in a second. */
  #rated(): { readonly tokens: number; readonly perSecond: number } {
    const now = this.options.clock.elapsed();
    const perSecond = Math.min(this.#window.perSecond, this.#ramp?.perSecond(now) ?? Infinity);
    const most = Math.min(this.#window.size, this.#ramp?.burst(now) ?? Infinity);
    return { tokens: this.#bucket.fill(now, perSecond, most), perSecond };
  }
}
