// Notices gateways that are called and never answer: every call reports here how it went, and the loop `gateways` looks at what is
// open. Where nobody else calls, it asks the gateway itself, so that a silence is noticed, and its end too.
import { v7 } from 'uuid';
import { findingOfServices, type PartialFinding } from '../../platform/http/health.js';
import type { Clock } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import { Silence } from './blocks/silence.js';
import type { ProjectCalls } from './project-calls.js';
import type { PushApi } from './push-api.js';

/** A gateway that has not answered for so long cannot be reached, real milliseconds. */
export const UNREACHABLE_MS = 15_000;
/** The trouble that it is, as every process shows it. */
export const GATEWAY_UNREACHABLE = 'GATEWAY_UNREACHABLE';
/** The rest between two rounds of the loop, real milliseconds. */
export const LOOK_EVERY_MS = 1_000;
/** How often a trouble is written while it lasts, real milliseconds: after two minutes its process would count as dead. */
const NOTED_EVERY_MS = 60_000;
/** Between two calls of our own to a gateway, real milliseconds. */
const ASK_EVERY_MS = 5_000;

interface Known {
  readonly silence: Silence;
  /** When it was noted as unreachable last. */
  notedAt?: number;
  /** When the loop asked last. */
  askedAt: number;
}

export type CallEnd = 'answered' | 'unanswered' | 'not-made';

interface SilencesDeps {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
  readonly calls: Pick<ProjectCalls, 'blocks' | 'troubles' | 'call'>;
}

export class GatewaySilences {
  readonly #known = new Map<string, Known>();

  constructor(private readonly deps: SilencesDeps) {}

  /** A call leaves. Two methods and no closure: this is done for every send. */
  began(serviceId: string): void {
    this.#of(serviceId).silence.began(this.deps.clock.elapsed());
  }

  /** A call that began has ended. */
  ended(serviceId: string, end: CallEnd): void {
    const known = this.#of(serviceId);
    const elapsed = this.deps.clock.elapsed();
    if (end === 'not-made') known.silence.notMade();
    else if (end === 'unanswered') known.silence.unanswered(elapsed);
    else {
      known.silence.answered(elapsed);
      if (known.notedAt !== undefined) this.#isOver(serviceId, known, 'answers again');
    }
  }

  /** One look at every gateway; `api` asks those that nobody calls. Returns 0. */
  runOnce(api: Pick<PushApi, 'result'>): Promise<number> {
    const elapsed = this.deps.clock.elapsed();
    for (const [serviceId, known] of this.#known) {
      const ms = known.silence.lasts(elapsed);
      if (ms >= UNREACHABLE_MS) this.#isSilent(serviceId, known, elapsed);
      else if (ms === 0 && known.notedAt !== undefined) this.#isOver(serviceId, known, 'is called no more');
      const asks = known.silence.isInDoubt || known.notedAt !== undefined;
      if (!asks || elapsed < known.askedAt + ASK_EVERY_MS) continue;
      known.askedAt = elapsed;
      // A 404 in the gateway's own form proves that it works. The loop does not wait for it, and a project that is held is not asked.
      void this.deps.calls.call(serviceId, 'check', () => api.result(serviceId, v7())).catch(() => undefined);
    }
    return Promise.resolve(0);
  }

  /** For how long each gateway that was called has been silent, real milliseconds. */
  get lengths(): { readonly serviceId: string; readonly ms: number }[] {
    const elapsed = this.deps.clock.elapsed();
    return [...this.#known].map(([serviceId, { silence }]) => ({ serviceId, ms: silence.lasts(elapsed) }));
  }

  /** The projects whose gateway cannot be reached from here. */
  get unreachable(): string[] {
    return [...this.#known].flatMap(([serviceId, { notedAt }]) => (notedAt === undefined ? [] : [serviceId]));
  }

  /** For health: those that do not answer, and those that this process hardly calls because they answer badly. */
  finding(inTrouble: readonly string[]): PartialFinding | undefined {
    const services = new Set([...this.unreachable, ...inTrouble]);
    const text = 'its push gateway cannot be reached; its sends wait';
    return findingOfServices([...services].map((serviceId) => ({ serviceId, text })));
  }

  #isSilent(serviceId: string, known: Known, elapsed: number): void {
    const { calls, log } = this.deps;
    const text = 'it is called and does not answer';
    if (known.notedAt === undefined) {
      log.warn({ serviceId }, 'the push service does not answer; the circuit is open');
      // Every further send would become uncertain.
      calls.blocks.gate(serviceId).circuit.silent(elapsed);
    } else if (elapsed < known.notedAt + NOTED_EVERY_MS) return;
    known.notedAt = elapsed;
    calls.troubles.note(serviceId, GATEWAY_UNREACHABLE, text);
  }

  #isOver(serviceId: string, known: Known, how: string): void {
    const { calls, log } = this.deps;
    delete known.notedAt;
    calls.blocks.gate(serviceId).circuit.silenceIsOver();
    calls.troubles.end(serviceId, GATEWAY_UNREACHABLE);
    log.info({ serviceId }, `the push service ${how}`);
  }

  #of(serviceId: string): Known {
    let known = this.#known.get(serviceId);
    if (known === undefined)
      this.#known.set(serviceId, (known = { silence: new Silence(), askedAt: -Infinity }));
    return known;
  }
}
