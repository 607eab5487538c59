// Makes the calls of every caller in this process: waits for a turn of the project's one rate, makes the call, and reads what the
// answer says about the whole project. A project that is blocked for one caller is blocked for all.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import type { PushAnswer } from './push-api.js';
import type { Project, ProjectStore } from '../store/project.store.js';
import type { CircuitLimits } from './blocks/circuit.js';
import { LocalTroubles } from './blocks/project-trouble.store.js';
import { ProjectBlocks } from './blocks/project-blocks.js';
import { BUCKETS, USES, type Block, type CallUse, type UseRules } from './blocks/project-gate.js';
import type { ProjectReading } from './answers/read-project.js';
import { SharedRate } from './rate/shared-rate.js';

interface Blocked {
  readonly kind: 'blocked';
  readonly block: Block;
}

/** No call was made; `no-turn`: the rate gave no token, or no place in flight was idle. */
export type NotCalled = Blocked | { readonly kind: 'no-turn' };

export type Called =
  { readonly kind: 'called'; readonly answer: PushAnswer; readonly reading: ProjectReading } | NotCalled;

export interface TurnLimits {
  /** The longest wait for a turn of calls that can wait, real milliseconds. */
  readonly longestMs: number;
  /** The longest wait for a turn where a person waits, real milliseconds. */
  readonly briefMs: number;
}
const turnDefaults: TurnLimits = { longestMs: 5_000, briefMs: 2_000 };

interface CallsDeps {
  readonly sql: Sql;
  readonly projects: Pick<ProjectStore, 'get' | 'getMany'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly turns?: TurnLimits;
  readonly circuit?: CircuitLimits;
}

export class ProjectCalls {
  readonly blocks: ProjectBlocks;
  readonly troubles: LocalTroubles;
  /** One for each bucket of a gate. */
  readonly rates: Readonly<Record<keyof typeof BUCKETS, SharedRate>>;
  readonly #released = new AbortController();

  constructor(private readonly deps: CallsDeps) {
    const { sql, log } = deps;
    this.troubles = new LocalTroubles(sql, log);
    this.blocks = new ProjectBlocks({ ...deps, troubles: this.troubles });
    const rate = (bucket: keyof typeof BUCKETS): SharedRate => new SharedRate(deps, BUCKETS[bucket]);
    this.rates = { due: rate('due'), sends: rate('sends'), polls: rate('polls'), spare: rate('spare') };
  }

  /** Reads these projects from the store: takes their bounds over, and ends blocks whose reason is gone. */
  async see(serviceIds: readonly string[]): Promise<ReadonlyMap<string, Project>> {
    const known = await this.deps.projects.getMany(serviceIds);
    for (const serviceId of serviceIds) this.blocks.see(serviceId, known.get(serviceId));
    return known;
  }

  /**
   * Waits for a turn, makes the call, and reads what the answer says about the project. `make` calls once and never rejects because
   * of a gateway.
   */
  async call(serviceId: string, use: CallUse, make: () => Promise<PushAnswer>): Promise<Called> {
    const held = await this.turn(serviceId, use);
    if (held !== undefined) return held;
    const rules: UseRules = USES[use];
    const answer = await (rules.whileIdle ? this.blocks.gate(serviceId).places.lend(make) : make());
    const reading = await this.blocks.answered(serviceId, answer, use === 'probe');
    return { kind: 'called', answer, reading };
  }

  /** undefined: one call may be made now; give its answer to `blocks`. */
  async turn(serviceId: string, use: CallUse): Promise<NotCalled | undefined> {
    const { longestMs, briefMs } = this.deps.turns ?? turnDefaults;
    const { tokens, waits } = USES[use];
    let held = await this.heldBack(serviceId, use);
    if (held?.kind === 'blocked' && waits === 'long') {
      // It waits for the end of a short block. In a long one the wait keeps callers from taking and giving back work in a tight loop.
      const ms = Math.min(longestMs, held.block.until - this.deps.clock.now());
      await pause(ms, undefined, { signal: this.#released.signal }).catch(() => undefined);
      held = await this.heldBack(serviceId, use);
    }
    if (held !== undefined) return held;
    if (this.#released.signal.aborted) return { kind: 'no-turn' };
    const waitMs = { now: 0, brief: briefMs, long: longestMs }[waits];
    const had = await this.rates[tokens].take(this.blocks.gate(serviceId).tokens[tokens], waitMs);
    return (await this.heldBack(serviceId, use)) ?? (had ? undefined : { kind: 'no-turn' });
  }

  /** What prevents such a call now, apart from a missing token. */
  async heldBack(serviceId: string, use: CallUse): Promise<NotCalled | undefined> {
    const { projects, clock } = this.deps;
    const project = await projects.get(serviceId);
    this.blocks.see(serviceId, project);
    const gate = this.blocks.gate(serviceId);
    const block = gate.holdOf(use, clock.now(), clock.elapsed(), project);
    if (block !== undefined) return { kind: 'blocked', block };
    const rules: UseRules = USES[use];
    return rules.whileIdle && !gate.places.isIdle ? { kind: 'no-turn' } : undefined;
  }

  /** The process is about to end: callers that wait for a turn, or ask for one from now on, get none. */
  release(): void {
    this.#released.abort();
    for (const rate of Object.values(this.rates)) void rate.stop();
  }

  /** The process ends. */
  async stop(): Promise<void> {
    this.release();
    await this.troubles.stop();
  }
}
