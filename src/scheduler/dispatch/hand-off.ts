// The moment a send leaves: the second look, `fire` in the database, and its call. What does not leave after all is
// settled; what another replica fired is forgotten.
import { isRefused, isUndone } from '../../platform/database/database-away.js';
import type { Sql } from '../../platform/database/database.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { fireSends, type FiredSend, type FireOrder } from '../store/send/fire.store.js';
import type { Project } from '../store/project.store.js';
import { plannedWithCodeSince, settlePlanned, type Settlement } from '../store/send/settle.store.js';
import { CallFired, type CallEvents, type CallParts } from './call-fired.js';
import type { QueuedSend } from './project-queue.js';
import { firedFor } from './leave-on-time.js';
import { lookAgain, type Ready } from './look-again.js';
import type { LocalFault } from '../push-client/local-fault.js';
import type { RevisionCache } from './revision-cache.js';
import { asItIs } from './put-back.js';
import { UnheardFires } from './unheard-fires.js';

export interface HandOffParts extends CallParts {
  readonly sql: Sql;
  readonly projects: { getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, Project>> };
  readonly revisions: RevisionCache;
  readonly rules: ZoneRules;
  readonly by: string;
  /** This process, by an id that no other has or had. */
  readonly replica: string;
  /** Sends of which the second look says "later" wait in memory up to here. */
  readonly aheadMs: number;
}

/** How a send that was taken from its queue went on; each is reported once, and its slot is free with it. */
export interface HandOffEvents extends CallEvents {
  /** Its project cannot be called by a fault of ours; it is put down next. */
  unusable(entry: QueuedSend, fault: LocalFault): void;
  /** It is to be fired at `at`, soon, and stays here. */
  later(entry: QueuedSend, at: number): void;
}

const FIRE_REFUSED = 'FIRE_REFUSED';
/** What the database refused to fire, before it is tried again. */
const REFUSED_WAIT_MS = 60_000;
/** For so long; then it ends, for operators to see and to retry. */
const REFUSED_AT_MOST_MS = 30 * 60_000;
/** What could not be settled, before its next look. */
const UNSETTLED_WAIT_MS = 1_000;

export class HandOff {
  readonly unheard: UnheardFires;
  readonly #calls: CallFired;

  constructor(
    private readonly parts: HandOffParts,
    private readonly events: HandOffEvents,
  ) {
    this.#calls = new CallFired(parts, events);
    this.unheard = new UnheardFires(parts, {
      won: (one, fired, firedAt) => this.#calls.whenDue(one, fired, firedAt),
      lost: (one, why) => this.#calls.notCalled(one, why),
      again: ({ entry }) => events.later(entry, entry.at),
      gone: ({ entry }) => events.putDown(entry),
    });
  }

  /** Ends once every one of them is on the wire, put down or kept for later; rejects, after that, when the database does. */
  async fire(entries: readonly QueuedSend[]): Promise<void> {
    let ready: Ready[];
    try {
      ready = await this.#lookAgain(entries);
    } catch (error) {
      for (const entry of entries) this.events.later(entry, entry.at);
      throw error;
    }
    if (ready.length > 0) await this.#fireReady(ready);
  }

  /** Where one makes the statement fail for ever, its halves: the others leave, and only that one stays behind. */
  async #fireReady(ready: readonly Ready[]): Promise<void> {
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
      if (isRefused(error)) return this.#fireHalves(ready, error);
      for (const one of ready) {
        if (isUndone(error)) this.events.later(one.entry, one.entry.at);
        else this.unheard.add(one);
      }
      throw error;
    }
    const byId = new Map(fired.map((send) => [send.id, send]));
    for (const one of ready) {
      const send = byId.get(one.entry.id);
      if (send === undefined) this.events.putDown(one.entry);
      else {
        this.unheard.heard(send.id);
        this.#calls.whenDue(one, send, firedAt);
      }
    }
  }

  async #fireHalves(ready: readonly Ready[], error: Error): Promise<void> {
    const [first] = ready;
    if (first !== undefined && ready.length === 1) return this.#refused(first.entry, error);
    const half = Math.ceil(ready.length / 2);
    try {
      await this.#fireReady(ready.slice(0, half));
    } finally {
      await this.#fireReady(ready.slice(half));
    }
  }

  /** It waits for a while, should it be mended, then ends: with the reason, in the operators' list. */
  async #refused(entry: QueuedSend, error: Error): Promise<void> {
    const { sql, clock, log } = this.parts;
    log.error(
      { err: error, send: entry.id, serviceId: entry.serviceId },
      'the database refuses to let a send go',
    );
    const now = clock.now();
    const since = await plannedWithCodeSince(sql, entry.id, FIRE_REFUSED).catch(() => now);
    const refused = { ...asItIs(entry), code: FIRE_REFUSED, detail: error.message };
    const settlement: Settlement =
      now - (since ?? now) < REFUSED_AT_MOST_MS
        ? { ...refused, handOffAt: now + REFUSED_WAIT_MS }
        : { ...refused, state: 'expired' };
    await this.#settle([{ entry, settlement }]);
  }

  async #lookAgain(entries: readonly QueuedSend[]): Promise<Ready[]> {
    const { revisions, clock, rules, aheadMs } = this.parts;
    const projects = await this.parts.projects.getMany(entries.map((entry) => entry.serviceId));
    const factsOf = await revisions.getMany(entries);
    const parts = { projects, factsOf, rules, aheadMs, now: clock.now() };
    const ready: Ready[] = [];
    const settled: { entry: QueuedSend; settlement: Settlement }[] = [];
    for (const entry of entries) {
      const judged = lookAgain(entry, parts);
      switch (judged.kind) {
        case 'ready':
          ready.push(judged);
          break;
        case 'soon':
          this.events.later(entry, judged.at);
          break;
        case 'settled':
          if (judged.fault !== undefined) this.events.unusable(entry, judged.fault);
          settled.push(judged);
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
      for (const { entry } of settled) this.events.putDown(entry);
    } catch (error) {
      log.warn({ err: error, sends: settled.length }, 'sends could not be settled; they are looked at again');
      for (const { entry } of settled) this.events.later(entry, clock.now() + UNSETTLED_WAIT_MS);
    }
  }
}
