// The way to a push gateway for every caller in this process: a turn of the project's one rate, the call, and what its answer
// says about the whole project. A project that is blocked for one caller is blocked for all.
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

/** No call was made; `no-turn`: the rate, or what others want in flight, left none. */
export type NotCalled = Blocked | { readonly kind: 'no-turn' };

export type Called =
  { readonly kind: 'called'; readonly answer: PushAnswer; readonly reading: ProjectReading } | NotCalled;

export interface TurnLimits {
  /** What can wait for a turn is put back after this, real milliseconds. */
  readonly longestMs: number;
  /** A person is told after this that there is no turn, real milliseconds. */
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
  /** By bucket of a gate. */
  readonly rates: Readonly<Record<keyof typeof BUCKETS, SharedRate>>;
  readonly #released = new AbortController();

  constructor(private readonly deps: CallsDeps) {
    const { sql, log } = deps;
    this.troubles = new LocalTroubles(sql, log);
    this.blocks = new ProjectBlocks({ ...deps, troubles: this.troubles });
    const rate = (bucket: keyof typeof BUCKETS): SharedRate => new SharedRate(deps, BUCKETS[bucket]);
    this.rates = { due: rate('due'), sends: rate('sends'), polls: rate('polls'), spare: rate('spare') };
  }

  /** Takes over what the project store has of these projects now: their bounds, and whether what blocked them is over. */
  async see(serviceIds: readonly string[]): Promise<ReadonlyMap<string, Project>> {
    const known = await this.deps.projects.getMany(serviceIds);
    for (const serviceId of serviceIds) this.blocks.see(serviceId, known.get(serviceId));
    return known;
  }

  /**
   * Waits for a turn, makes the call, and hears what the answer says about the project. `make` calls once and never rejects for
   * what a gateway does.
   */
  async call(serviceId: string, use: CallUse, make: () => Promise<PushAnswer>): Promise<Called> {
    const held = await this.turn(serviceId, use);
    if (held !== undefined) return held;
    const rules: UseRules = USES[use];
    const answer = await (rules.whileIdle ? this.blocks.gate(serviceId).places.lend(make) : make());
    const reading = await this.blocks.heard(serviceId, answer, use === 'probe');
    return { kind: 'called', answer, reading };
  }

  /** undefined: one call may be made now; give its answer to `blocks`. */
  async turn(serviceId: string, use: CallUse): Promise<NotCalled | undefined> {
    const { longestMs, briefMs } = this.deps.turns ?? turnDefaults;
    const { tokens, waits } = USES[use];
    let held = await this.heldBack(serviceId, use);
    if (held?.kind === 'blocked' && waits === 'long') {
      // The end of a short block is waited for. In a long one this keeps what was taken up before from being put back in a rush.
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

  /** What prevents such a call now, whether or not there is a token for it. */
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

  /** The process is about to end: callers that wait for a turn, or ask for one from here on, are told that there is none. */
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
