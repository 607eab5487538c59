// What one answer says about its whole project: that it cannot be reached, is to be called more slowly, or is to be left
// alone. Written where every replica sees it; never about the send itself.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import { instantText } from '../../platform/instant.js';
import type { Log } from '../../platform/log.js';
import { throttledRestMs } from '../decide/throttled-rest.js';
import { slowDown } from '../store/pace.store.js';
import { restProject } from '../store/project-rest.store.js';
import { endTrouble, noteTrouble } from '../store/project-trouble.store.js';
import type { Project } from '../store/project.store.js';
import type { Lane } from '../dispatch/lane.js';
import { isOfThisProcess, ownFaultNamed, ownFaultOf, type OwnFault } from './own-fault.js';
import type { PushOutcome } from '../dispatch/push-outcome.js';

/** A fault of ours: a new key or address ends it at once. One that only this process has keeps no other. */
const OWN_FAULT_REST_MS = 60_000;
/** Longer than the project store believes its cache, real milliseconds. */
const SEEN_WITHIN_MS = 6_000;
const CIRCUIT_OPEN = 'CIRCUIT_OPEN';

/** What this process knows of a project beside its lane. */
interface Known {
  fault?: OwnFault;
  /** Baseurl and keys it was last called with. */
  address?: string;
  /** The rest that was told, whether its row has been seen, and when it was told, on the real clock. */
  rest?: { readonly code: string; readonly toldAt: number; seen: boolean };
}

export class ProjectLesson {
  readonly #known = new Map<string, Known>();
  /** Names this process in the rows of its troubles. */
  readonly #process = v7();
  #hasNoted = false;

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Projects that could not be called by a fault of ours, each with what to do. */
  get unusable(): string[] {
    return [...this.#known].flatMap(([serviceId, { fault }]) =>
      fault === undefined ? [] : [`${serviceId}: ${fault.text}`],
    );
  }

  /** Nothing was called and its circuit learns nothing; told once, however many sends meet it. */
  cannotCall(serviceId: string, lane: Lane | undefined, fault: OwnFault): void {
    const { code, text } = fault;
    const known = this.#of(serviceId);
    if (known.fault?.code !== code) {
      known.fault = fault;
      this.log.error({ serviceId, code }, `the project rests: ${text}`);
    }
    const now = this.clock.now();
    const until = now + OWN_FAULT_REST_MS;
    lane?.restHere(until);
    // Many sends of one batch meet it together: the first is enough.
    if (lane?.rest(until, now) === false) return;
    if (isOfThisProcess(fault)) this.#note(serviceId, code, text);
    else this.#writeRest(serviceId, until, code);
  }

  /** The project as its store has it now, each round: what it waited for may be there. undefined: it is gone. */
  see(serviceId: string, lane: Lane, project: Project | undefined): void {
    const known = this.#of(serviceId);
    if (known.fault !== undefined && (project === undefined || ownFaultOf(project) === undefined)) {
      this.#end(serviceId, known.fault.code);
      delete known.fault;
      lane.goOn();
      this.log.info({ serviceId }, 'the project can be called again');
    }
    if (project === undefined) {
      this.#known.delete(serviceId);
      return;
    }
    const address = addressOf(project);
    if (known.address !== undefined && known.address !== address) lane.goOn();
    known.address = address;
    this.#seeRest(known, project);
  }

  /** The process ends: its troubles are nobody's. */
  async stop(): Promise<void> {
    if (!this.#hasNoted) return;
    await endTrouble(this.sql, { process: this.#process }).catch((error: unknown) => {
      this.log.warn(
        { err: error },
        'troubles of this process could not be taken back; they end by themselves',
      );
    });
  }

  learn(serviceId: string, lane: Lane | undefined, outcome: PushOutcome): void {
    const fault =
      outcome.kind === 'not-sent' && outcome.cause === 'own-fault' ? ownFaultNamed(outcome.code) : undefined;
    if (fault !== undefined) {
      lane?.circuit.released();
      this.cannotCall(serviceId, lane, fault);
      return;
    }
    if (outcome.kind !== 'not-sent' || outcome.cause !== 'not-started') {
      if (lane?.circuit.reached() === true) {
        this.#end(serviceId, CIRCUIT_OPEN);
        this.log.info({ serviceId }, 'the push service can be reached again');
      }
    } else this.#notReached(serviceId, lane, outcome.detail);
    if (outcome.kind !== 'not-sent') return;
    const now = this.clock.now();
    switch (outcome.cause) {
      case 'throttled':
      case 'quota': {
        if (outcome.cause === 'throttled') this.#slowDown(serviceId);
        const restMs = throttledRestMs(outcome.cause, outcome.retryAfterMs);
        this.#rest(serviceId, lane, now + restMs, outcome.code);
        break;
      }
      case 'bad-key':
      case 'bad-address':
        this.#rest(serviceId, lane, Infinity, outcome.code);
        break;
      case 'not-started':
      case 'own-fault':
      case 'endpoint':
      case 'key-again':
        break;
    }
  }

  #notReached(serviceId: string, lane: Lane | undefined, error: string): void {
    if (lane === undefined) return;
    const elapsed = this.clock.elapsed();
    if (lane.circuit.notReached(elapsed)) {
      this.log.warn({ serviceId, error }, 'the push service cannot be reached; the circuit is open');
    }
    if (lane.circuit.stateAt(elapsed) === 'open') this.#note(serviceId, CIRCUIT_OPEN, error);
  }

  /** Told when it begins, whoever began it, and when it is over. */
  #seeRest(known: Known, { serviceId, restingUntil = -Infinity, restingCode: code = '' }: Project): void {
    const { rest } = known;
    if (restingUntil > this.clock.now()) {
      if (rest?.code === code) rest.seen = true;
      else {
        known.rest = { code, toldAt: this.clock.elapsed(), seen: true };
        this.log.warn({ serviceId, code, until: untilText(restingUntil) }, 'the project rests');
      }
      return;
    }
    // What was told of an answer reaches the store's cache only later.
    if (rest === undefined || (!rest.seen && this.clock.elapsed() < rest.toldAt + SEEN_WITHIN_MS)) return;
    delete known.rest;
    this.log.info({ serviceId, code: rest.code }, 'the project rests no more');
  }

  #of(serviceId: string): Known {
    const known = this.#known.get(serviceId) ?? {};
    this.#known.set(serviceId, known);
    return known;
  }

  #slowDown(serviceId: string): void {
    slowDown(this.sql, serviceId)
      .then((rate) => {
        if (rate !== undefined)
          this.log.warn({ serviceId, rate }, 'it throttles; calls a second were halved');
      })
      .catch((error: unknown) => this.log.error({ err: error, serviceId }, 'the rate could not be lowered'));
  }

  /** Here at once, in every replica with the database's row. */
  #rest(serviceId: string, lane: Lane | undefined, until: number, code: string): void {
    if (lane?.rest(until, this.clock.now()) !== true) return;
    const known = this.#of(serviceId);
    if (known.rest?.code !== code) {
      this.log.warn({ serviceId, code, until: untilText(until) }, 'the project rests');
      known.rest = { code, toldAt: this.clock.elapsed(), seen: false };
    }
    this.#writeRest(serviceId, until, code);
  }

  #note(serviceId: string, code: string, detail: string): void {
    this.#hasNoted = true;
    noteTrouble(this.sql, { serviceId, process: this.#process, code, detail }).catch((error: unknown) => {
      this.log.error({ err: error, serviceId, code }, 'its trouble could not be written; the next one is');
    });
  }

  #end(serviceId: string, code: string): void {
    endTrouble(this.sql, { process: this.#process, serviceId, code }).catch((error: unknown) => {
      this.log.error(
        { err: error, serviceId, code },
        'its trouble could not be taken back; it ends by itself',
      );
    });
  }

  #writeRest(serviceId: string, until: number, code: string): void {
    restProject(this.sql, serviceId, until, code).catch((error: unknown) => {
      this.log.error(
        { err: error, serviceId, code },
        'its rest could not be written; the next answer tries again',
      );
    });
  }
}

function untilText(until: number): string {
  return Number.isFinite(until) ? instantText(until) : 'started by hand';
}

/** Kept in memory alone, to notice that either changed. */
function addressOf({ baseUrl, keys }: Project): string {
  return [baseUrl, ...keys.flatMap((key) => [key.accessKey, key.secretKey.reveal()])].join('\n');
}
