// The moment a send leaves: the second look, `fire` in the database, the signed call, and what its answer asks of the
// whole project. Sends that do not leave after all are put down again. Never repeats a call.
import { BatchWriter } from '../../platform/batch-writer.js';
import type { Clock } from '../../platform/clock.js';
import { isRefused, isUndone } from '../../platform/database-away.js';
import type { Sql } from '../../platform/database.js';
import { faultFields, type Log } from '../../platform/log.js';
import { policyDefaults } from '../decide/policy.js';
import type { ZoneRules } from '../decide/ports.js';
import type { PreparedCall, PushAnswer, PushApi } from '../decide/push-api.js';
import { fixedTable } from '../decide/transition-table.js';
import { zoneTable } from '../decide/zones.js';
import { recordAnswers, type RecordedAnswer } from '../store/answer.store.js';
import { settleClaimed, type Settlement } from '../store/claim.store.js';
import { fireSends, type FiredSend, type FireOrder, type RevisionFacts } from '../store/fire.store.js';
import type { Project } from '../store/project.store.js';
import { countInHistory } from '../store/send-history.store.js';
import { answerRow, type CallFacts } from './answer-row.js';
import { buildRequest } from './build-request.js';
import type { QueuedSend } from './lane.js';
import { firedFor, leaveOnTime } from './leave-on-time.js';
import { ownFaultOf, type OwnFault } from '../push-client/own-fault.js';
import { readPushAnswer, type PushOutcome } from './push-outcome.js';
import type { RevisionCache } from './revision-cache.js';
import { secondLook, type SecondLook } from './second-look.js';
import { asItIs, settlementOf } from './settlement-of.js';

export interface HandOffParts {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly projects: { getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, Project>> };
  readonly revisions: RevisionCache;
  readonly recorder: BatchWriter<RecordedAnswer>;
  readonly rules: ZoneRules;
  readonly clock: Clock;
  readonly log: Log;
  readonly by: string;
  /** Of a send on the wire, real milliseconds. */
  readonly leaseMs: number;
  /** Sends of which the second look says "later" wait in memory up to here. */
  readonly aheadMs: number;
}

/** How a send that was taken from its lane went on; each is reported once, and its slot is free with it. */
export interface HandOffEvents {
  /** Its call ended and is written down. */
  called(entry: QueuedSend): void;
  /** Its answer came, before it is written down. */
  answered(entry: QueuedSend, outcome: PushOutcome, answer: PushAnswer): void;
  /** Whether another one waits for the slot of this one. */
  awaited(entry: QueuedSend): boolean;
  /** It was not called. */
  putDown(entry: QueuedSend): void;
  /** Its project cannot be called by a fault of ours; it is put down next. */
  unusable(entry: QueuedSend, fault: OwnFault): void;
  /** It leaves at `at`, soon, and stays claimed. */
  later(entry: QueuedSend, at: number): void;
}

interface Ready {
  readonly entry: QueuedSend;
  readonly facts: RevisionFacts;
  readonly look: Extract<SecondLook, { kind: 'fire' }>;
}

interface NeverCalled {
  readonly code: string;
  readonly detail: string;
}

const NOT_CONFIRMED: NeverCalled = {
  code: 'FIRE_NOT_CONFIRMED',
  detail: 'the database did not say whether it may leave',
};
const CLOCK_SET_BACK: NeverCalled = {
  code: 'CLOCK_SET_BACK',
  detail: 'the clock was set back a moment before its instant',
};
const LEASE_NEARLY_OVER: NeverCalled = {
  code: 'LEASE_NEARLY_OVER',
  detail: 'its request was not ready while its lease was still long enough for a call',
};
/**
 * Answers of sends that left on their instant wait so long for each other, real milliseconds: until then the machine is
 * theirs that are due together and still on their way. The latest of a hundred was at 11 ms for 17. Not where others wait
 * for their slots.
 */
const GATHER_MS = 15;
const FIRE_REFUSED = 'FIRE_REFUSED';
/** Taken back by one statement. */
const MOST_UNHEARD = 500;
/** A row that the caches do not know yet, or that somebody deleted. */
const UNREADABLE_WAIT_MS = 5_000;
/** What the database refused to fire, before it is tried again. */
const REFUSED_WAIT_MS = 60_000;
/** So often, half an hour; then it ends, for operators to see and to retry. */
const MOST_REFUSALS = 30;

export class HandOff {
  /** Sends of which the database did not say whether they were fired. */
  readonly #unheard: BatchWriter<Ready>;

  constructor(
    private readonly parts: HandOffParts,
    private readonly events: HandOffEvents,
  ) {
    this.#unheard = new BatchWriter({
      name: 'fires unheard of',
      write: (unheard: readonly Ready[]) => this.#takeBack(unheard),
      refused: async ({ entry }, error) =>
        parts.log.error(
          { fault: faultFields(error), send: entry.id, serviceId: entry.serviceId },
          'the database refuses to take back a send; its lease ends by itself',
        ),
      batch: MOST_UNHEARD,
      log: parts.log,
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
    const { sql, clock, by, leaseMs } = this.parts;
    const now = clock.now();
    const orders = ready.map(({ entry, look }): FireOrder => ({
      id: entry.id,
      revision: entry.revision,
      token: entry.token,
      mode: look.mode,
      modeRule: look.rule,
      dueAt: look.dueAt,
      at: firedFor(entry.at, now),
    }));
    // A call may take the other half. A sleeping machine or a slow look at the project is what uses up the first.
    const leavesBefore = clock.elapsed() + leaseMs / 2;
    let fired: FiredSend[];
    try {
      fired = await fireSends(sql, orders, { now, by, leaseMs });
    } catch (error) {
      if (isRefused(error)) return this.#fireHalves(ready, error);
      for (const one of ready) {
        if (isUndone(error)) this.events.later(one.entry, one.entry.at);
        else this.#unheard.add(one, () => this.events.putDown(one.entry));
      }
      throw error;
    }
    const byId = new Map(fired.map((send) => [send.id, send]));
    const left: QueuedSend[] = [];
    for (const one of ready) {
      const send = byId.get(one.entry.id);
      // A row is that of the entry whose claim it was fired for, and of no other entry of this send.
      if (send?.token === one.entry.token) this.#whenDue(one, send, leavesBefore);
      else left.push(one.entry);
    }
    if (left.length === 0) return;
    await this.giveBack(left);
    for (const entry of left) this.events.putDown(entry);
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
    const refused = { ...asItIs(entry), code: FIRE_REFUSED, detail: error.message };
    const before = await countInHistory(sql, entry.id, FIRE_REFUSED).catch(() => 0);
    await this.#settle([
      before + 1 < MOST_REFUSALS
        ? { ...refused, handOffAt: clock.now() + REFUSED_WAIT_MS }
        : { ...refused, state: 'expired' },
    ]);
    this.events.putDown(entry);
  }

  /** Gives claimed sends back as they are: another claim takes them. Never rejects. */
  async giveBack(entries: readonly QueuedSend[]): Promise<void> {
    await this.#settle(entries.map(asItIs));
  }

  async #lookAgain(entries: readonly QueuedSend[]): Promise<Ready[]> {
    const { projects, revisions, clock, rules, aheadMs } = this.parts;
    const known = await projects.getMany(entries.map((entry) => entry.serviceId));
    const factsOf = await revisions.getMany(entries);
    const now = clock.now();
    const ready: Ready[] = [];
    const down: { entry: QueuedSend; settlement: Settlement }[] = [];
    for (const entry of entries) {
      const project = known.get(entry.serviceId);
      const facts = factsOf(entry);
      if (project === undefined || facts === undefined) {
        const handOffAt = now + UNREADABLE_WAIT_MS;
        down.push({ entry, settlement: { ...asItIs(entry), code: 'PROJECT_UNREADABLE', handOffAt } });
        continue;
      }
      const look = secondLook({
        now: firedFor(entry.at, now),
        scheduled: entry.mode === 'scheduled',
        intendedAt: entry.intendedAt,
        dueAt: entry.dueAt,
        until: facts.until,
        attempts: entry.attempts,
        byHand: entry.byHand,
        messageType: facts.messageType,
        policy: { ...policyDefaults, ...facts.policy },
        project,
        table: zoneTable(entry.zone, rules) ?? fixedTable(0),
      });
      const fault = look.kind === 'fire' ? ownFaultOf(project) : undefined;
      if (fault !== undefined) {
        this.events.unusable(entry, fault);
        down.push({ entry, settlement: { ...asItIs(entry), code: fault.code, detail: fault.text } });
      } else if (look.kind === 'fire') ready.push({ entry, facts, look });
      else if (look.kind === 'later' && look.dueAt === entry.dueAt && look.at <= now + aheadMs) {
        this.events.later(entry, look.at);
      } else down.push({ entry, settlement: settlementOf(entry, look) });
    }
    if (down.length > 0) await this.#settle(down.map(({ settlement }) => settlement));
    for (const { entry } of down) this.events.putDown(entry);
    return ready;
  }

  async #settle(settlements: readonly Settlement[]): Promise<void> {
    const { sql, clock, by, log } = this.parts;
    try {
      await settleClaimed(sql, settlements, clock.now(), by);
    } catch (error) {
      const sends = settlements.length;
      log.warn({ err: error, sends }, 'claimed sends could not be put down; their leases end by themselves');
    }
  }

  /** Its request is made at once, and written when it is due: a hundred due together take 3 ms less for it, of 13. */
  #whenDue(one: Ready, fired: FiredSend, leavesBefore: number): void {
    const { clock } = this.parts;
    const { at } = one.entry;
    const onTime = at > clock.now();
    const prepared = this.#prepare(one, fired);
    // Whoever awaits it is told, which may be a while from now.
    prepared.catch(() => undefined);
    const leave = async (): Promise<void> => {
      await prepared.catch(() => undefined);
      if (clock.elapsed() < leavesBefore) await this.#call(one, fired, prepared, onTime);
      else this.#putBack(one, LEASE_NEARLY_OVER);
    };
    leaveOnTime(
      clock,
      at,
      () => void leave(),
      () => this.#putBack(one, CLOCK_SET_BACK),
    );
  }

  /** It was fired and does not leave. */
  #putBack(one: Ready, why: NeverCalled): void {
    this.parts.recorder.add(this.#notSent(one, why), () => this.events.putDown(one.entry));
  }

  async #prepare({ entry, facts, look }: Ready, fired: FiredSend): Promise<PreparedCall> {
    const { pushApi, clock } = this.parts;
    const body = buildRequest({
      sendId: entry.id,
      mode: look.mode,
      dueAt: look.dueAt,
      scheduleCode: entry.scheduleCode,
      request: facts.request,
      target: fired.target,
      recipients: fired.recipients,
    });
    const at = Math.max(entry.at, clock.now());
    return pushApi.prepareSend({ serviceId: entry.serviceId, sendId: entry.id, body, at });
  }

  async #call(
    { entry, facts, look }: Ready,
    fired: FiredSend,
    prepared: Promise<PreparedCall>,
    onTime: boolean,
  ): Promise<void> {
    const { clock, recorder, log } = this.parts;
    let answer: PushAnswer;
    let outcome: PushOutcome;
    try {
      const write = await prepared;
      answer = await write();
      outcome = readPushAnswer(answer, look.mode);
    } catch (error) {
      // The adapter never throws once a request may have begun: what throws is what comes before it.
      log.error({ err: error, send: entry.id }, 'a request could not be made');
      answer = { kind: 'unanswered', started: false, error: 'REQUEST_NOT_MADE', timedOut: false };
      outcome = readPushAnswer(answer, look.mode);
    }
    const call: CallFacts = {
      id: entry.id,
      token: entry.token,
      attempt: fired.attempt,
      mode: look.mode,
      dueAt: look.dueAt,
      until: facts.until,
      answeredAt: clock.now(),
      random: Math.random(),
    };
    this.events.answered(entry, outcome, answer);
    const gatherMs = onTime && !this.events.awaited(entry) ? GATHER_MS : 0;
    recorder.add(answerRow(call, answer, outcome), () => this.events.called(entry), gatherMs);
  }

  /**
   * The database did not say whether it fired these, and nothing of them has left. What is still claimed goes back first:
   * that waits for a fire under way, and none that comes later finds its claim. What was fired is then written down as not
   * sent. Either is harmless where it was done before, so both are repeated until the database has answered.
   */
  async #takeBack(unheard: readonly Ready[]): Promise<void> {
    const { sql, clock, by } = this.parts;
    const now = clock.now();
    const claimed = unheard.map(({ entry }) => asItIs(entry));
    await settleClaimed(sql, claimed, now, by);
    const fired = unheard.map((one) => this.#notSent(one, NOT_CONFIRMED));
    await recordAnswers(sql, fired, by, now);
  }

  /** Nothing was called, and that is known. */
  #notSent({ entry, facts, look }: Ready, why: NeverCalled): RecordedAnswer {
    const { id, token, attempts } = entry;
    const call: CallFacts = {
      id,
      token,
      attempt: attempts + 1,
      mode: look.mode,
      dueAt: look.dueAt,
      until: facts.until,
      answeredAt: this.parts.clock.now(),
      random: 0,
    };
    const answer: PushAnswer = { kind: 'unanswered', started: false, error: why.code, timedOut: false };
    return answerRow(call, answer, { kind: 'not-sent', cause: 'key-again', ...why });
  }
}
