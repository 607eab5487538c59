// Hands sends off: the check before send, `fire` in the database, and the call. A send that does not leave after all is put back; one
// that another replica fired is dropped here.
import type { BatchWriter } from '../../platform/database/batch-writer.js';
import { isRefused, isUndone } from '../../platform/database/database-away.js';
import { inHalves } from '../../platform/database/isolate-refused.js';
import { asError } from '../../platform/logging/error-code.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { fireSends, isOtherServer, type FiredSend, type FireOrder } from '../store/send/fire.store.js';
import { plannedWithCodeSince, putBackPlanned } from '../store/send/put-back.store.js';
import { traceOfSend } from '../store/trace.store.js';
import { answerWriter } from './answer-writer.js';
import { CallFired } from './call-fired.js';
import { checkQueued, putBack, type PutBack, type Ready } from './check-before-send.js';
import type { DispatchDeps } from './dispatch-deps.js';
import { KeptFires } from './kept-fires.js';
import { firedFor } from './leave-on-time.js';
import type { QueuedSend } from './project-queue.js';
import type { ProjectQueues } from './project-queues.js';
import { RevisionCache } from './revision-cache.js';
import { NOT_CONFIRMED, UnconfirmedFires } from './unconfirmed-fires.js';

const FIRE_REFUSED = 'FIRE_REFUSED';
/** A send that the database refuses to fire is tried again after this, milliseconds, */
const REFUSED_WAIT_MS = 60_000;
/** and for at most this long, milliseconds: then it ends as expired, and operators see it and may retry it. */
const REFUSED_AT_MOST_MS = 30 * 60_000;
/** A send that could not be put back is checked again after this, milliseconds. */
const NOT_PUT_BACK_WAIT_MS = 1_000;
const REPLAY_MS = 60_000;

/** The answer of the database to one statement. */
interface Fired {
  readonly fired: readonly FiredSend[];
  /** The sends that it was asked to fire; none where it did not answer. */
  readonly asked: readonly Ready[];
  /** elapsed() */
  readonly firedAt: number;
  readonly failure?: Error;
}

export class HandOff {
  readonly revisions: RevisionCache;
  readonly unconfirmed: UnconfirmedFires;
  readonly #answers: BatchWriter<RecordedAnswer>;
  readonly #calls: CallFired;
  readonly #kept: KeptFires;

  constructor(
    private readonly deps: DispatchDeps,
    private readonly queues: ProjectQueues,
  ) {
    this.revisions = new RevisionCache(deps.sql);
    this.#kept = new KeptFires(deps, deps.replayMs ?? REPLAY_MS);
    this.#answers = answerWriter({ ...deps, written: (answers) => this.#kept.written(answers) });
    this.#calls = new CallFired(deps, { queues, answers: this.#answers, kept: this.#kept });
    this.unconfirmed = new UnconfirmedFires(deps, this.#answers, (ready, fate) => {
      switch (fate.kind) {
        case 'won':
          return this.#calls.whenDue(ready, fate.fired, fate.askedAt);
        case 'lost':
          return this.#calls.notCalled(ready, NOT_CONFIRMED);
        case 'again':
          return queues.later(ready.entry);
        case 'gone':
          return queues.forget(ready.entry, false);
      }
    });
  }

  /** Resolves when every answer is written down and sends that were fired without a confirmation are put back. */
  async idle(): Promise<void> {
    await this.#answers.idle();
    await this.unconfirmed.putBack(() => false, true).catch(() => undefined);
  }

  /** Writes what was fired and answered lately to a database that may have lost commits; see KeptFires. */
  reconcile(): Promise<void> {
    return this.#kept.reconcile(this.#answers);
  }

  /** Call it while the same server answers as before; see KeptFires. */
  forgetOld(): void {
    this.#kept.forgetOld();
  }

  /** Resolves once each send is fired, put back or kept for later; rejects after that if the database failed. */
  async fire(entries: readonly QueuedSend[]): Promise<void> {
    let ready: Ready[];
    try {
      ready = await this.#check(entries);
    } catch (error) {
      for (const entry of entries) this.queues.later(entry);
      throw error;
    }
    if (ready.length === 0) return;
    const answers = await inHalves(
      ready,
      (sends) => this.#fireReady(sends),
      async ({ entry }, error) => {
        await this.#refused(entry, error);
        return { fired: [], asked: [], firedAt: 0 };
      },
    );
    for (const answer of answers) this.#call(answer);
    for (const { failure } of answers) if (failure !== undefined) throw failure;
  }

  /** If it fails, every send is kept for later or asked about. Rejects only if the database refused: then nothing was done. */
  async #fireReady(ready: readonly Ready[]): Promise<Fired> {
    const { sql, clock, by, replica, server, mayLeave } = this.deps;
    const firedAt = clock.elapsed();
    // It may have changed since these sends were taken.
    if (!mayLeave()) {
      for (const { entry } of ready) this.queues.later(entry);
      return { fired: [], asked: [], firedAt };
    }
    const now = clock.now();
    const orders = ready.map(({ entry, check }): FireOrder => ({
      id: entry.id,
      revision: entry.revision,
      attempts: entry.attempts,
      mode: check.mode,
      modeRule: check.rule,
      dueAt: check.dueAt,
      at: firedFor(entry.at, now),
    }));
    let fired: FiredSend[];
    try {
      fired = await fireSends(sql, orders, { now, by, replica, server: server?.identity() });
    } catch (error) {
      if (isRefused(error)) throw error;
      if (isOtherServer(error)) server?.other();
      for (const send of ready) {
        if (isUndone(error)) this.queues.later(send.entry);
        else this.unconfirmed.add(send);
      }
      return { fired: [], asked: [], firedAt, failure: asError(error) };
    }
    return { fired, asked: ready, firedAt };
  }

  #call({ fired, asked, firedAt }: Fired): void {
    const byId = new Map(fired.map((send) => [send.id, send]));
    for (const ready of asked) {
      const send = byId.get(ready.entry.id);
      if (send === undefined) this.queues.forget(ready.entry, false);
      else {
        this.unconfirmed.confirmed(send.id);
        this.#calls.whenDue(ready, send, firedAt);
      }
    }
  }

  /** The send is tried again for REFUSED_AT_MOST_MS, in case somebody mends the database; then it expires with the reason. */
  async #refused(entry: QueuedSend, error: Error): Promise<void> {
    const { sql, clock, log } = this.deps;
    log.error(
      { err: error, send: entry.id, serviceId: entry.serviceId, trace: await traceOfSend(sql, entry.id) },
      'the database refuses to fire a send',
    );
    const now = clock.now();
    const since = await plannedWithCodeSince(sql, entry.id, FIRE_REFUSED).catch(() => now);
    const isOver = now - (since ?? now) >= REFUSED_AT_MOST_MS;
    const differs = isOver ? ({ state: 'expired' } as const) : { handOffAt: now + REFUSED_WAIT_MS };
    await this.#putBack([putBack(entry, { code: FIRE_REFUSED, detail: error.message, ...differs })]);
  }

  async #check(entries: readonly QueuedSend[]): Promise<Ready[]> {
    const { calls, clock, rules, aheadMs } = this.deps;
    const projects = await this.deps.projects.getMany(entries.map((entry) => entry.serviceId));
    const factsOf = await this.revisions.getMany(entries);
    const checkWith = { projects, factsOf, rules, aheadMs, now: clock.now() };
    const ready: Ready[] = [];
    const toPutBack: PutBack[] = [];
    for (const entry of entries) {
      const judged = checkQueued(entry, checkWith);
      if (judged.kind === 'ready') ready.push(judged);
      else if (judged.kind === 'soon') this.queues.later(entry, judged.at);
      else {
        if (judged.fault !== undefined) void calls.blocks.cannotCall(entry.serviceId, judged.fault);
        toPutBack.push(judged);
      }
    }
    await this.#putBack(toPutBack);
    return ready;
  }

  /** Never rejects. If the database did not confirm that a send was put back, the send is checked again soon. */
  async #putBack(sends: readonly PutBack[]): Promise<void> {
    const { sql, clock, by, log } = this.deps;
    const rows = sends.map(({ row }) => row);
    try {
      await putBackPlanned(sql, rows, clock.now(), by);
      for (const { entry } of sends) this.queues.forget(entry, false);
    } catch (error) {
      log.warn({ err: error, sends: sends.length }, 'sends could not be put back; they are checked again');
      for (const { entry } of sends) this.queues.later(entry, clock.now() + NOT_PUT_BACK_WAIT_MS);
    }
  }
}
