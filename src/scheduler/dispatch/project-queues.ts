// The queues of this process, one for each project. Takes the sends that may leave next from all of them, sets the clock for the
// next, and asks for tokens ahead. Reads no sends and calls no gateway.
import type { AheadSend } from '../store/send/read-work.store.js';
import type { DispatchDeps } from './dispatch-deps.js';
import { FIRE_AHEAD_MS } from './leave-on-time.js';
import { ProjectQueue, type QueuedSend } from './project-queue.js';

export class ProjectQueues {
  readonly byService = new Map<string, ProjectQueue>();

  constructor(
    private readonly deps: Pick<DispatchDeps, 'calls' | 'clock' | 'log'>,
    /** `gone`: the process holds the send no more; `freed`: a send has left the queue or came back, or a place in flight is free. */
    private readonly on: {
      readonly gone: (id: string) => void;
      readonly freed: (serviceId: string) => void;
    },
  ) {}

  get all(): readonly ProjectQueue[] {
    return [...this.byService.values()];
  }

  of(serviceId: string): ProjectQueue | undefined {
    return this.byService.get(serviceId);
  }

  /** Reads the projects' settings as the project store has them now. */
  async refresh(): Promise<void> {
    const known = await this.deps.calls.see([...this.byService.keys()]);
    for (const [serviceId, queue] of this.byService) {
      const project = known.get(serviceId);
      if (project !== undefined) queue.settings = project;
      else if (!queue.needsCare) this.byService.delete(serviceId);
    }
  }

  /** Opens queues for these sends. If a project cannot be read now, its queue has one send in flight until the next round. */
  async open(sends: readonly AheadSend[]): Promise<void> {
    const { calls, log } = this.deps;
    const missing = [...new Set(sends.map((send) => send.serviceId))].filter((id) => !this.byService.has(id));
    if (missing.length === 0) return;
    const known = await calls.see(missing).catch((error: unknown) => {
      log.warn({ err: error, sends: sends.length }, 'the settings of projects could not be read');
    });
    for (const serviceId of missing) {
      const settings = known?.get(serviceId) ?? { serviceId, inFlight: 1, ratePerSecond: 1, weight: 1 };
      const gate = calls.blocks.gate(serviceId);
      gate.places.freed.sends.push(() => this.on.freed(serviceId));
      this.byService.set(serviceId, new ProjectQueue(settings, gate));
    }
  }

  /** Puts sends into their queues, which are open. */
  add(sends: readonly AheadSend[]): void {
    for (const send of sends) this.of(send.serviceId)?.due.push({ ...send, at: send.nextAt });
  }

  /** Takes the sends that leave next, at most `most`. */
  take(most: number): QueuedSend[] {
    const { clock } = this.deps;
    return takeInTurns(this.all, most, clock.now(), clock.elapsed());
  }

  /** Whether another send waits for this one's place in flight. */
  isAwaited({ serviceId }: QueuedSend): boolean {
    return this.of(serviceId)?.isFull(this.deps.clock.now()) === true;
  }

  /** The send's answer is written down; `wasCalled` false: this process does not call for it. */
  forget(entry: QueuedSend, wasCalled: boolean): void {
    this.on.gone(entry.id);
    this.#free(entry, wasCalled);
  }

  /** The send does not leave now; it stays in its queue and is fired at `at`, which is soon. */
  later(entry: QueuedSend, at = entry.at): void {
    this.of(entry.serviceId)?.due.push({ ...entry, at });
    this.#free(entry, false);
  }

  /** Asks for tokens for every queue that has sends and will soon run out of tokens; calls `then` once they are here. */
  askForTokens(then: () => void): void {
    const { calls, clock } = this.deps;
    calls.rates.due.askAhead(() => {
      const [now, elapsed] = [clock.now(), clock.elapsed()];
      return this.all.map((queue) => [queue.gate.tokens.due, queue.tokensWanted(now, elapsed)]);
    }, then);
  }

  /** Calls `wake` when the next send is to be fired, or when one that is due may leave. Returns a function that cancels it. */
  alarm(wake: () => void): () => void {
    const { clock } = this.deps;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    const fireAt = this.all.map(({ due }) => (due.peek()?.at ?? Infinity) - FIRE_AHEAD_MS);
    const next = Math.min(...fireAt.filter((at) => at > now));
    const wait = Math.min(...this.all.map((queue) => queue.waitMs(now, elapsed) ?? Infinity));
    const disarm = Number.isFinite(next) ? clock.at(next, wake) : undefined;
    const timer = Number.isFinite(wait) ? setTimeout(wake, Math.max(1, wait)) : undefined;
    return () => {
      disarm?.();
      clearTimeout(timer);
    };
  }

  #free(entry: QueuedSend, wasCalled: boolean): void {
    const queue = this.of(entry.serviceId);
    if (queue === undefined) return;
    queue.gate.sendEnded(entry.id, wasCalled);
    this.on.freed(entry.serviceId);
  }
}

/**
 * Takes sends of all projects in turns, at each turn as many of a project as its weight, until no project has a send that may
 * leave (life-of-a-send.md, "Order and fairness"). A project's queue decides which of its sends goes first. `now` is the clock's
 * time, `elapsed` real time.
 */
export function takeInTurns(
  queues: readonly ProjectQueue[],
  most: number,
  now: number,
  elapsed: number,
): QueuedSend[] {
  const leaving: QueuedSend[] = [];
  let open = [...queues];
  while (open.length > 0 && leaving.length < most) {
    open = open.filter((queue) => {
      for (let turn = 0; turn < queue.settings.weight; turn += 1) {
        const next = leaving.length < most ? queue.take(now, elapsed) : undefined;
        if (next === undefined) return false;
        leaving.push(next);
      }
      return true;
    });
  }
  return leaving;
}
