// Acts on what answers, and faults on our side, say about a whole project: it is blocked, called more slowly, or in trouble. That
// takes effect here at once, is written where every replica sees it, and is logged once. Nothing here is about a single send.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { instantText } from '../../../platform/instant.js';
import type { Log } from '../../../platform/logging/log.js';
import type { PushAnswer } from '../push-api.js';
import { slowDown } from '../rate/pace.store.js';
import { blockProject } from './project-block.store.js';
import { addressOf, type Project } from '../../store/project.store.js';
import type { CircuitLimits, Evidence } from './circuit.js';
import { isOfThisProcess, localFaultOf, type LocalFault } from './local-fault.js';
import type { LocalTroubles } from './project-trouble.store.js';
import { CIRCUIT_OPEN, ProjectGate, type Block } from './project-gate.js';
import { readProject, wordsOf, type ProjectReading } from '../answers/read-project.js';

/**
 * A fault on our side blocks a project for this long, milliseconds; a new key or address ends the block at once. A fault of one process
 * does not hold others back.
 */
const OWN_FAULT_MS = 60_000;
/** Longer than the project store caches a project, real milliseconds. */
const SEEN_WITHIN_MS = 6_000;

/** A circuit that was not probed for so long says nothing about the present, real milliseconds. */
const UNPROBED_MS = 60_000;

/** What this process knows about a project. */
interface Known {
  readonly gate: ProjectGate;
  fault?: LocalFault;
  /** The project as it was read last. */
  project?: Project;
  /** The block that was logged, when (elapsed()), and whether the project's row has had it since. */
  logged?: { readonly code: string; readonly at: number; seen: boolean };
}

export interface BlocksDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly troubles: LocalTroubles;
  /** Limits of every project's circuit. */
  readonly circuit?: CircuitLimits;
}

export class ProjectBlocks {
  readonly #known = new Map<string, Known>();

  constructor(private readonly deps: BlocksDeps) {}

  /** The gate of this project, which all its callers in this process share. */
  gate(serviceId: string): ProjectGate {
    return this.#of(serviceId).gate;
  }

  /** The projects that cannot be called because of a fault on our side, each with what to do. */
  get unusable(): { readonly serviceId: string; readonly text: string }[] {
    return [...this.#known].flatMap(([serviceId, { fault }]) =>
      fault === undefined ? [] : [{ serviceId, text: fault.text }],
    );
  }

  /** The projects whose circuit is open. One whose gateway nobody wanted to call for a minute is left out. */
  get inTrouble(): string[] {
    const elapsed = this.deps.clock.elapsed();
    return [...this.#known].flatMap(
      ([
        serviceId,
        {
          gate: { circuit },
        },
      ]) =>
        circuit.stateAt(elapsed) !== 'closed' && elapsed < circuit.opensAt + UNPROBED_MS ? [serviceId] : [],
    );
  }

  /** The projects to which this process may not repeat a request now. */
  get withoutRepeats(): string[] {
    const { clock } = this.deps;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    return [...this.#known]
      .filter(([, { gate }]) => gate.holdOf('repeat', now, elapsed) !== undefined)
      .map(([serviceId]) => serviceId);
  }

  /** Blocks a project because of a fault on our side. Its circuit does not count that. Logged once, however many sends meet it. */
  async cannotCall(serviceId: string, fault: LocalFault): Promise<void> {
    const { clock, log, troubles } = this.deps;
    const { code, text } = fault;
    const known = this.#of(serviceId);
    if (known.fault?.code !== code) {
      known.fault = fault;
      log.error({ serviceId, code }, `the project is blocked: ${text}`);
    }
    const now = clock.now();
    const block = { code, until: now + OWN_FAULT_MS, detail: text };
    // Many sends of a batch meet it at once: the block is written once.
    if (!known.gate.hold(block, now, OWN_FAULT_MS)) return;
    if (isOfThisProcess(fault)) troubles.note(serviceId, code, text);
    else await this.#write(serviceId, block);
  }

  /** Compares the project with how it was before: its fault or block may be over. undefined: the project is deleted. */
  see(serviceId: string, project: Project | undefined): void {
    const known = this.#of(serviceId);
    const { gate, project: before } = known;
    if (known.fault !== undefined && (project === undefined || localFaultOf(project) === undefined))
      this.#faultIsOver(serviceId);
    if (project === undefined) {
      // The gate is kept: its callers have it.
      this.#known.set(serviceId, { gate });
      return;
    }
    if (before !== undefined && before !== project && addressOf(before) !== addressOf(project)) gate.goOn();
    known.project = project;
    gate.places.inFlight = project.inFlight;
    this.#seeBlock(known, project);
  }

  /**
   * Acts on the answer to a GET or a DELETE; `isProbe`: to the GET that the circuit wanted. A block takes effect here at once, and is
   * in the database when this resolves.
   */
  async answered(serviceId: string, answer: PushAnswer, isProbe = false): Promise<ProjectReading> {
    const { circuit } = this.gate(serviceId);
    const reading = readProject(answer);
    if (reading.kind === 'local-fault') {
      if (isProbe) circuit.notAsked();
      await this.cannotCall(serviceId, reading.fault);
      return reading;
    }
    this.#faultIsOver(serviceId);
    const elapsed = this.deps.clock.elapsed();
    if (!isProbe) circuit.getAnswered(reading.evidence, elapsed);
    else if (circuit.probeAnswered(reading.evidence, elapsed)) this.#inTrouble(serviceId, answer);
    await this.#block(serviceId, reading);
    return reading;
  }

  /** Acts on the answer to a POST of this send. `isUnknown`: nobody knows whether the gateway took the send. */
  ended(serviceId: string, send: string, answer: PushAnswer, isUnknown: boolean): void {
    const { clock, log, troubles } = this.deps;
    const { circuit } = this.gate(serviceId);
    const reading = readProject(answer);
    if (reading.kind === 'local-fault') {
      circuit.released(send);
      void this.cannotCall(serviceId, reading.fault);
      return;
    }
    const evidence: Evidence = isUnknown ? 'bad' : reading.evidence;
    const change = circuit.ended(evidence, clock.elapsed());
    if (change === 'closed') {
      troubles.end(serviceId, CIRCUIT_OPEN);
      log.info({ serviceId }, 'the push service can be reached again');
    } else if (change !== undefined) {
      this.#inTrouble(serviceId, answer);
      const what = answer.kind === 'unanswered' && !answer.started ? 'cannot be reached' : 'does not work';
      if (change === 'opened')
        log.warn({ serviceId, error: errorOf(answer) }, `the push service ${what}; the circuit is open`);
    }
    void this.#block(serviceId, reading);
  }

  /** The circuit is open: every process shows that, and when the gateway is back the project is called more slowly at first. */
  #inTrouble(serviceId: string, answer: PushAnswer): void {
    this.deps.troubles.note(serviceId, CIRCUIT_OPEN, errorOf(answer));
    void this.#slowDown(serviceId, 'the push service is in trouble: calls a second were halved');
  }

  async #block(serviceId: string, reading: ProjectReading): Promise<void> {
    if (reading.kind !== 'blocked' || reading.forMs === 0) return;
    const { clock, log } = this.deps;
    const { code, detail, forMs, cause } = reading;
    const now = clock.now();
    const block = { code, until: now + forMs, detail };
    const known = this.#of(serviceId);
    const slower =
      cause === 'throttled' &&
      this.#slowDown(serviceId, 'the push service throttles: calls a second were halved');
    if (known.gate.hold(block, now)) {
      if (known.logged?.code !== code) {
        log.warn({ serviceId, code, until: untilText(block.until) }, 'the project is blocked');
        known.logged = { code, at: clock.elapsed(), seen: false };
      }
      await this.#write(serviceId, block);
    }
    await slower;
  }

  /** Logs when a block begins, whichever process began it, and when it is over. */
  #seeBlock(known: Known, { serviceId, blockedUntil = -Infinity, blockedCode: code = '' }: Project): void {
    const { clock, log } = this.deps;
    const { logged } = known;
    if (blockedUntil > clock.now()) {
      if (logged?.code === code) logged.seen = true;
      else {
        known.logged = { code, at: clock.elapsed(), seen: true };
        log.warn({ serviceId, code, until: untilText(blockedUntil) }, 'the project is blocked');
      }
      return;
    }
    // A block that began with an answer reaches the store's cache only later.
    if (logged === undefined || (!logged.seen && clock.elapsed() < logged.at + SEEN_WITHIN_MS)) return;
    delete known.logged;
    log.info({ serviceId, code: logged.code }, 'the project is no longer blocked');
  }

  #of(serviceId: string): Known {
    let known = this.#known.get(serviceId);
    if (known === undefined)
      this.#known.set(serviceId, (known = { gate: new ProjectGate(serviceId, this.deps.circuit) }));
    return known;
  }

  #faultIsOver(serviceId: string): void {
    const { log, troubles } = this.deps;
    const known = this.#of(serviceId);
    if (known.fault === undefined) return;
    troubles.end(serviceId, known.fault.code);
    delete known.fault;
    known.gate.goOn();
    log.info({ serviceId }, 'the project can be called again');
  }

  async #slowDown(serviceId: string, why: string): Promise<void> {
    const { sql, log } = this.deps;
    await this.#tried({ serviceId }, 'the rate could not be lowered', async () => {
      const rate = await slowDown(sql, serviceId);
      if (rate !== undefined) log.warn({ serviceId, rate }, why);
    });
  }

  async #write(serviceId: string, block: Block): Promise<void> {
    const { code } = block;
    await this.#tried(
      { serviceId, code },
      'the block of a project could not be written: the next answer tries again',
      () => blockProject(this.deps.sql, serviceId, block, this.deps.clock.now()),
    );
  }

  /** Never rejects. */
  async #tried(about: object, failed: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => this.deps.log.error({ err: error, ...about }, failed));
  }
}

function untilText(until: number): string {
  return Number.isFinite(until) ? instantText(until) : 'started by hand';
}

function errorOf(answer: PushAnswer): string {
  return answer.kind === 'unanswered' ? answer.error : wordsOf(answer);
}
