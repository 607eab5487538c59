// How many requests of one credential may begin now, by its request window, its rate and its pauses. Only credential-queue.ts
// asks, and it decides whose requests they are. Sets no timer.
import type { Clock } from '../../../platform/clock.js';
import type { Http2Pool } from '../../../platform/http2/http2-pool.js';
import { RateRamp } from './rate-ramp.js';
import type { PaceSign } from './judged-answer.js';
import type { Responsiveness, Readiness } from '../provider-port.js';
import { RequestWindow } from './request-window.js';
import { TokenBucket } from './token-bucket.js';

export interface TrafficOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** `most`: how many streams its connections allow. `restMs`: for how long it does not try to connect. */
  readonly pool: Pick<Http2Pool, 'most' | 'restMs'>;
  /** Messages a second at most, for a provider that has such a limit. */
  readonly perSecond?: number | undefined;
}

/** A pause becomes longer by up to this share, so that replicas do not come back at the same moment. */
const PAUSE_SPREAD = 0.1;
/** When requests are open and no answer comes for so long, the provider counts as silent; real milliseconds. */
export const SILENT_MS = 5_000;
/** After so many lost answers in a row the credential pauses: each of them may cost a device its message. */
const SILENT = 4;
const SILENT_PAUSE_MS = 2_000;
const LONGEST_SILENT_PAUSE_MS = 30_000;
const FAULT_PAUSE_MS = 60_000;
const LONGEST_BACK_OFF_MS = 600_000;

export class Traffic {
  readonly #window = new RequestWindow();
  readonly #bucket = new TokenBucket();
  #open = 0;
  #pausedUntil = -Infinity;
  /** How many pauses in a row for which the provider named no time. */
  #backOffs = 0;
  #silent = 0;
  #responsiveness: Responsiveness = 'untried';
  /** Clock.elapsed() of the last answer, or of the beginning of the first open request. */
  #answeredAt = 0;
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

  /** How long the pause still lasts, real milliseconds. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.options.clock.elapsed(), this.options.pool.restMs);
  }

  /** How many requests may be open at once, and how many are. */
  get load(): { readonly window: number; readonly open: number } {
    return { window: Math.min(this.#window.size, this.options.pool.most), open: this.#open };
  }

  /** As the port's readiness(). */
  get readiness(): Readiness {
    if (this.pauseMs === 0) return this.responsiveness;
    return this.#fault === undefined ? 'paused' : 'refused';
  }

  /** silent: requests are open, and no answer came for SILENT_MS. It ends with the next answer. */
  get responsiveness(): Responsiveness {
    this.#noteSilence();
    return this.#responsiveness;
  }

  get room(): number {
    if (this.pauseMs > 0) return 0;
    this.#noteSilence();
    const free = Math.min(this.#window.size, this.options.pool.most) - this.#open;
    return Math.max(0, Math.min(free, Math.floor(this.#rated().tokens)));
  }

  /** How long until time alone may give room, real milliseconds; 0: there is room, or only an answer gives it. */
  get waitMs(): number {
    const { tokens, perSecond } = this.#rated();
    return Math.max(this.pauseMs, ((1 - tokens) * 1_000) / perSecond);
  }

  /** Takes a place for a request. Call it only while there is room; ended() gives the place back. */
  take(): void {
    const now = this.options.clock.elapsed();
    if (this.#open === 0) this.#answeredAt = now;
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
      // An answer to a request from before a pause does not show how the provider answers after it.
      if (this.pauseMs === 0) this.#backOffs = 0;
    }
    if (sign === 'silent') this.#unanswered();
    else if (sign !== 'unasked') this.#answered();
  }

  /** A silent provider gets one request at a time. */
  #noteSilence(): void {
    const isSilent = this.#open > 0 && this.options.clock.elapsed() - this.#answeredAt >= SILENT_MS;
    if (!isSilent || this.#responsiveness === 'silent') return;
    this.#responsiveness = 'silent';
    this.#window.restart();
  }

  #answered(): void {
    this.#silent = 0;
    this.#answeredAt = this.options.clock.elapsed();
    this.#responsiveness = 'answering';
  }

  #unanswered(): void {
    // If many requests were open at once, only those before the pause count.
    if (this.pauseMs > 0) return;
    this.#silent += 1;
    if (this.#silent < SILENT) return;
    this.pause(Math.min(SILENT_PAUSE_MS * 2 ** (this.#silent - SILENT), LONGEST_SILENT_PAUSE_MS));
  }

  /** Pauses for `ms`, real milliseconds. If there is a pause already, the longer one holds. */
  pause(ms: number): void {
    const until = this.options.clock.elapsed() + ms * (1 + Math.random() * PAUSE_SPREAD);
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** The credential was refused. The pause is longer each time, and one device is tried after it. */
  refused(reason: string): void {
    this.#fault = reason;
    this.#window.restart();
    this.backOff(FAULT_PAUSE_MS);
  }

  /** Pauses, twice as long each time, until a push is accepted. */
  backOff(ms: number): void {
    // If many requests were open at once, only the first counts.
    if (this.pauseMs > 0) return;
    this.pause(Math.min(ms * 2 ** this.#backOffs, LONGEST_BACK_OFF_MS));
    this.#backOffs += 1;
  }

  /** How many requests the rate allows now, with fractions, and how many in a second. */
  #rated(): { readonly tokens: number; readonly perSecond: number } {
    const now = this.options.clock.elapsed();
    const perSecond = Math.min(this.#window.perSecond, this.#ramp?.perSecond(now) ?? Infinity);
    const most = Math.min(this.#window.size, this.#ramp?.burst(now) ?? Infinity);
    return { tokens: this.#bucket.fill(now, perSecond, most), perSecond };
  }
}
