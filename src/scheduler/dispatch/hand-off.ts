// The moment a send leaves: the second look, `fire` in the database, and its call. What does not leave after all is
// settled; what another replica fired is forgotten.
import type { BatchWriter } from '../../platform/database/batch-writer.js';
import { isRefused, isUndone } from '../../platform/database/database-away.js';
import { inHalves } from '../../platform/database/in-halves.js';
import { asError } from '../../platform/error-code.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { fireSends, type FiredSend, type FireOrder } from '../store/send/fire.store.js';
import { plannedWithCodeSince, settlePlanned, type Settlement } from '../store/send/settle.store.js';
import { traceOfSend } from '../store/trace.store.js';
import { answerWriter } from './answer-writer.js';
import { CallFired } from './call-fired.js';
import { checkQueued, settlementOf, type Ready } from './check-before-send.js';
import type { DispatchParts } from './dispatch-parts.js';
import { firedFor } from './leave-on-time.js';
import type { QueuedSend } from './project-queue.js';
import type { ProjectQueues } from './project-queues.js';
import { RevisionCache } from './revision-cache.js';
import { NOT_CONFIRMED, UnheardFires } from './unheard-fires.js';

const FIRE_REFUSED = 'FIRE_REFUSED';
/** What the database refused to fire, before it is tried again. */
const REFUSED_WAIT_MS = 60_000;
/** For so long; then it ends, for operators to see and to retry. */
const REFUSED_AT_MOST_MS = 30 * 60_000;
/** What could not be settled, before its next look. */
const UNSETTLED_WAIT_MS = 1_000;

/** What the database said to one statement. */
interface Fired {
  readonly fired: readonly FiredSend[];
  /** Those it was asked for, where it answered. */
  readonly asked: readonly Ready[];
  /** elapsed() */
  readonly firedAt: number;
  readonly failure?: Error;
}

export class HandOff {
  readonly revisions: RevisionCache;
  readonly unheard: UnheardFires;
  readonly #answers: BatchWriter<RecordedAnswer>;
  readonly #calls: CallFired;

  constructor(
    private readonly parts: DispatchParts,
    private readonly queues: ProjectQueues,
  ) {
    this.revisions = new RevisionCache(parts.sql);
    this.#answers = answerWriter(parts);
    this.#calls = new CallFired(parts, queues, this.#answers);
    this.unheard = new UnheardFires(parts, this.#answers, (one, fate) => {
      switch (fate.kind) {
        case 'won':
          return this.#calls.whenDue(one, fate.fired, fate.askedAt);
        case 'lost':
          return this.#calls.notCalled(one, NOT_CONFIRMED);
        case 'again':
          return queues.later(one.entry);
        case 'gone':
          return queues.forget(one.entry, false);
      }
    });
  }

  /** Ends when every answer is written down, and what was fired unheard goes back. */
  async idle(): Promise<void> {
    await this.#answers.idle();
    await this.unheard.putBack(() => false, true).catch(() => undefined);
  }

  /** Ends once every one of them is on the wire, put down or kept for later; rejects, after that, when the database does. */
  async fire(entries: readonly QueuedSend[]): Promise<void> {
    let ready: Ready[];
    try {
      ready = await this.#check(entries);
    } catch (error) {
      for (const entry of entries) this.queues.later(entry);
      throw error;
    }
    if (ready.length === 0) return;
    const parts = await inHalves(
      ready,
      (some) => this.#fireReady(some),
      async ({ entry }, error) => {
        await this.#refused(entry, error);
        return { fired: [], asked: [], firedAt: 0 };
      },
    );
    for (const part of parts) this.#call(part);
    for (const { failure } of parts) if (failure !== undefined) throw failure;
  }

  /** Of what fails all are put down. Rejects only with what the database refuses, nothing being done. */
  async #fireReady(ready: readonly Ready[]): Promise<Fired> {
    const { sql, clock, by, replica } = this.parts;
    const now = clock.now();
    const orders = ready.map(({ entry, look }): FireOrder => ({
      id: entry.id,
      revision: entry.revision,
      attempts: entry.attempts,
      mode: look.mode,
      modeRule: look.rule,
      dueAt: look.dueAt,
      at: firedFor(entry.at, now),
    }));
    const firedAt = clock.elapsed();
    let fired: FiredSend[];
    try {
      fired = await fireSends(sql, orders, { now, by, replica });
    } catch (error) {
      if (isRefused(error)) throw error;
      for (const one of ready) {
        if (isUndone(error)) this.queues.later(one.entry);
        else this.unheard.add(one);
      }
      return { fired: [], asked: [], firedAt, failure: asError(error) };
    }
    return { fired, asked: ready, firedAt };
  }

  #call({ fired, asked, firedAt }: Fired): void {
    const byId = new Map(fired.map((send) => [send.id, send]));
    for (const one of asked) {
      const send = byId.get(one.entry.id);
      if (send === undefined) this.queues.forget(one.entry, false);
      else {
        this.unheard.heard(send.id);
        this.#calls.whenDue(one, send, firedAt);
      }
    }
  }

  /** It waits for a while, should it be mended, then ends: with the reason, in the operators' list. */
  async #refused(entry: QueuedSend, error: Error): Promise<void> {
    const { sql, clock, log } = this.parts;
    log.error(
      { err: error, send: entry.id, serviceId: entry.serviceId, trace: await traceOfSend(sql, entry.id) },
      'the database refuses to let a send go',
    );
    const now = clock.now();
    const since = await plannedWithCodeSince(sql, entry.id, FIRE_REFUSED).catch(() => now);
    const isOver = now - (since ?? now) >= REFUSED_AT_MOST_MS;
    const differs = isOver ? ({ state: 'expired' } as const) : { handOffAt: now + REFUSED_WAIT_MS };
    const settlement = settlementOf(entry, { code: FIRE_REFUSED, detail: error.message, ...differs });
    await this.#settle([{ entry, settlement }]);
  }

  async #check(entries: readonly QueuedSend[]): Promise<Ready[]> {
    const { calls, clock, rules, aheadMs } = this.parts;
    const projects = await this.parts.projects.getMany(entries.map((entry) => entry.serviceId));
    const factsOf = await this.revisions.getMany(entries);
    const parts = { projects, factsOf, rules, aheadMs, now: clock.now() };
    const ready: Ready[] = [];
    const settled: { entry: QueuedSend; settlement: Settlement }[] = [];
    for (const entry of entries) {
      const judged = checkQueued(entry, parts);
      if (judged.kind === 'ready') ready.push(judged);
      else if (judged.kind === 'soon') this.queues.later(entry, judged.at);
      else {
        const { settlement, fault } = judged;
        if (fault !== undefined) void calls.blocks.cannotCall(entry.serviceId, fault);
        settled.push({ entry, settlement });
      }
    }
    await this.#settle(settled);
    return ready;
  }

  /** Never rejects. What was not settled, or not heard to be, is looked at again in a moment. */
  async #settle(
    settled: readonly { readonly entry: QueuedSend; readonly settlement: Settlement }[],
  ): Promise<void> {
    const { sql, clock, by, log } = this.parts;
    const settlements = settled.map(({ settlement }) => settlement);
    try {
      await settlePlanned(sql, settlements, clock.now(), by);
      for (const { entry } of settled) this.queues.forget(entry, false);
    } catch (error) {
      log.warn({ err: error, sends: settled.length }, 'sends could not be settled; they are looked at again');
      for (const { entry } of settled) this.queues.later(entry, clock.now() + UNSETTLED_WAIT_MS);
    }
  }
}
