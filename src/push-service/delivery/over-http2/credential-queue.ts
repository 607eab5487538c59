// The queue of one credential in this process. Deliveries wait here and nowhere else, in the order in which they came. Targets
// that get a turn within some milliseconds leave together; before that DeliveryCallbacks.leaves records it. Nobody waits for
// long: a target that has no turn goes back to its chunk.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../../platform/clock.js';
import type { Job, Outcome, Target, DeliveryCallbacks } from '../provider-port.js';
import type { JudgedAnswer, PaceSign } from './judged-answer.js';
import type { Traffic } from './traffic.js';

/** One call of the port's deliver(). */
interface Delivery {
  readonly job: Job;
  readonly to: DeliveryCallbacks;
  /** The targets that have had no turn. */
  left: readonly Target[];
  /** It has its turn, and waits for DeliveryCallbacks.leaves. */
  isLeaving: boolean;
  /** The places whose requests are open. */
  readonly open: Set<number>;
  /** What broke. It is thrown once all requests have ended. */
  readonly bugs: unknown[];
  readonly end: () => void;
}

export interface CredentialQueueDeps {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly traffic: Traffic;
  /** How long an aborted delivery waits for answers, real milliseconds. */
  readonly abortMs: number;
  /** The outcome of a target that need not be sent; undefined where it must be sent. */
  readonly known: (job: Job, target: Target) => Outcome | undefined;
  readonly send: (job: Job, target: Target, signal: AbortSignal) => Promise<JudgedAnswer>;
}

/** Deliveries do not wait for a longer pause, nor once nobody has had a turn for so long. */
const LONGEST_WAIT_MS = 5_000;
/** The time between two slices. While the window is full, it makes a slice of several devices instead of one. */
const GATHER_MS = 5;
/** How often a provider that allows no stream at all is tried. */
const NO_STREAMS_MS = 100;

const STOPPED: Outcome = { kind: 'retry', reason: 'STOPPED', afterMs: 0 };

export class CredentialQueue {
  /** In the order in which they came. */
  readonly #waiting = new Set<Delivery>();
  /** Targets that have a turn and no request yet. */
  #leaving = 0;
  /** Clock.elapsed() of the last turn, or of the first delivery that came while nothing waited. */
  #movedAt = 0;
  #soon: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;

  constructor(private readonly deps: CredentialQueueDeps) {}

  /** As the port's deliver(). */
  async deliver(job: Job, targets: readonly Target[], to: DeliveryCallbacks): Promise<void> {
    const { signal } = to;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const delivery: Delivery = { job, to, left: targets, isLeaving: false, open: new Set(), bugs: [], end };
    let late: NodeJS.Timeout | undefined;
    const stop = (): void => {
      this.#turnAway(delivery);
      late = setTimeout(() => giveUp(delivery), this.deps.abortMs);
    };
    // Each request that waits for a stream listens to the signal, too.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    this.#enter(delivery);
    this.#pump();
    await ended;
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    if (delivery.bugs.length > 0) throw delivery.bugs[0];
  }

  /** A delivery waits as long as it has targets left. It ends once no request of it is open either. */
  #enter(delivery: Delivery): void {
    if (delivery.isLeaving) return;
    if (delivery.left.length > 0) {
      if (this.#waiting.size === 0) this.#movedAt = this.deps.clock.elapsed();
      this.#waiting.add(delivery);
      return;
    }
    this.#waiting.delete(delivery);
    if (delivery.open.size === 0) delivery.end();
  }

  /** Gives turns to those who wait, as far as there is room, and runs again when there may be more room. */
  #pump(): void {
    clearTimeout(this.#soon);
    clearTimeout(this.#later);
    this.#soon = undefined;
    const { traffic, clock } = this.deps;
    const waiting = [...this.#waiting].filter(({ isLeaving }) => !isLeaving);
    for (const [index, delivery] of waiting.entries()) {
      const room = traffic.room - this.#leaving;
      if (room <= 0) break;
      this.#movedAt = clock.elapsed();
      // Each but the last gets half: no small message waits for the whole of a big one, and no big one waits for all small ones.
      const share = index === waiting.length - 1 ? room : Math.ceil(room / 2);
      void this.#leave(delivery, this.#cut(delivery, share));
    }
    if (this.#waiting.size === 0) return;
    const { waitMs, pauseMs, load } = traffic;
    const patienceMs = this.#movedAt + LONGEST_WAIT_MS - clock.elapsed();
    if (patienceMs <= 0 || pauseMs > LONGEST_WAIT_MS) for (const one of this.#waiting) this.#turnAway(one);
    else {
      const freeMs = load.open === 0 ? NO_STREAMS_MS : patienceMs;
      const ms = waitMs > 0 ? Math.max(GATHER_MS, waitMs) : freeMs;
      this.#later = setTimeout(() => this.#pump(), Math.ceil(Math.min(ms, patienceMs)));
    }
  }

  #pumpSoon(): void {
    if (this.#waiting.size > 0) this.#soon ??= setTimeout(() => this.#pump(), GATHER_MS);
  }

  /** Takes at most so many of its targets. Reports the outcome of those on the way that need not be sent. */
  #cut(delivery: Delivery, most: number): readonly Target[] {
    const { job, left, to } = delivery;
    const slice: Target[] = [];
    const known: (readonly [place: number, outcome: Outcome])[] = [];
    for (const target of left) {
      if (slice.length === most) break;
      const outcome = this.deps.known(job, target);
      if (outcome === undefined) slice.push(target);
      else known.push([target.place, outcome]);
    }
    delivery.left = left.slice(slice.length + known.length);
    for (const [place, outcome] of known) to.report(place, outcome);
    return slice;
  }

  async #leave(delivery: Delivery, slice: readonly Target[]): Promise<void> {
    const { to, open, bugs } = delivery;
    const { traffic } = this.deps;
    const last = slice.at(-1);
    let mayLeave = true;
    delivery.isLeaving = true;
    this.#leaving += slice.length;
    try {
      if (last !== undefined && to.leaves !== undefined) mayLeave = await to.leaves(last.place + 1);
    } catch (error) {
      mayLeave = false;
      bugs.push(error);
    }
    this.#leaving -= slice.length;
    delivery.isLeaving = false;
    if (!mayLeave) delivery.left = [];
    else if (to.signal.aborted) for (const { place } of slice) to.report(place, STOPPED);
    // A pause that an answer asked for meanwhile holds for them as well.
    else if (traffic.pauseMs > 0) delivery.left = [...slice, ...delivery.left];
    else
      for (const target of slice) {
        traffic.take();
        open.add(target.place);
        void this.#send(delivery, target);
      }
    this.#enter(delivery);
    this.#pumpSoon();
  }

  async #send(delivery: Delivery, target: Target): Promise<void> {
    const { job, to, open, bugs } = delivery;
    let sign: PaceSign = 'unasked';
    try {
      const { outcome, pace } = await this.deps.send(job, target, to.signal);
      sign = pace;
      // The answer changes nothing once the target was given up.
      if (open.has(target.place)) to.report(target.place, outcome);
    } catch (bug) {
      bugs.push(bug);
    }
    open.delete(target.place);
    this.deps.traffic.ended(sign);
    this.#enter(delivery);
    this.#pumpSoon();
  }

  /** Its other targets have no turn, and may go again. */
  #turnAway(delivery: Delivery): void {
    const { left, to } = delivery;
    const { fault, pauseMs } = this.deps.traffic;
    let outcome: Outcome = { kind: 'retry', reason: 'NO_TURN', afterMs: Math.ceil(pauseMs) };
    if (to.signal.aborted) outcome = STOPPED;
    else if (fault !== undefined) outcome = { kind: 'credential', reason: fault };
    delivery.left = [];
    for (const { place } of left) to.report(place, outcome);
    this.#enter(delivery);
  }
}

/** The provider may have taken what it has not answered by now. */
function giveUp({ open, to, end }: Delivery): void {
  for (const place of open) to.report(place, { kind: 'unknown', reason: 'NO_ANSWER' });
  open.clear();
  end();
}
