// What one answer says about its whole project: that it cannot be reached, is to be called more slowly, or is to be left
// alone. Written where every replica sees it; never about the send itself.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { slowDown } from '../store/pace.store.js';
import { restProject } from '../store/project-rest.store.js';
import type { Lane } from './lane.js';
import { ownFaultNamed, type OwnFault } from './own-fault.js';
import type { PushOutcome } from './push-outcome.js';

/** A 429 without Retry-After. */
const THROTTLED_REST_MS = 1_000;
/** A quota without Retry-After: nobody says when its window ends, so it is tried again now and then. */
const QUOTA_REST_MS = 15 * 60_000;
/** A fault of ours: a new key or address ends it at once, a process with the right master key finds it over soon. */
const OWN_FAULT_REST_MS = 60_000;

export class ProjectLesson {
  readonly #ownFaults = new Map<string, OwnFault>();

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Projects that could not be called by a fault of ours, each with what to do. */
  get unusable(): string[] {
    return [...this.#ownFaults].map(([serviceId, { text }]) => `${serviceId}: ${text}`);
  }

  /** Nothing was called and its circuit learns nothing; told once, however many sends meet it. */
  cannotCall(serviceId: string, lane: Lane | undefined, fault: OwnFault): void {
    const { code, text } = fault;
    if (this.#ownFaults.get(serviceId)?.code !== code) {
      this.#ownFaults.set(serviceId, fault);
      this.log.error({ serviceId, code }, `the project rests: ${text}`);
    }
    const now = this.clock.now();
    if (lane?.rest(now + OWN_FAULT_REST_MS, now) === true) {
      this.#writeRest(serviceId, now + OWN_FAULT_REST_MS, code);
    }
  }

  /** It is gone, or as the project store has it now, nothing of ours is in the way. */
  canCall(serviceId: string): void {
    if (this.#ownFaults.delete(serviceId)) this.log.info({ serviceId }, 'the project can be called again');
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
      if (lane?.circuit.reached() === true)
        this.log.info({ serviceId }, 'the push service can be reached again');
    } else if (lane?.circuit.notReached(this.clock.elapsed()) === true) {
      this.log.warn(
        { serviceId, error: outcome.detail },
        'the push service cannot be reached; the circuit is open',
      );
    }
    if (outcome.kind !== 'not-sent') return;
    const now = this.clock.now();
    switch (outcome.cause) {
      case 'throttled':
        this.#slowDown(serviceId);
        this.#rest(serviceId, lane, now + (outcome.retryAfterMs ?? THROTTLED_REST_MS), outcome.code);
        break;
      case 'quota':
        this.#rest(serviceId, lane, now + (outcome.retryAfterMs ?? QUOTA_REST_MS), outcome.code);
        break;
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
    const said = Number.isFinite(until) ? until : 'started by hand';
    this.log.warn({ serviceId, code, until: said }, 'the project rests');
    this.#writeRest(serviceId, until, code);
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
