// The way to a push gateway for every caller in this process: a turn of the project's one rate, the call, and what its answer
// says about the whole project. A project that is blocked for one caller is blocked for all.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import type { PushAnswer } from './push-api.js';
import type { TokenUse } from './rate/pace.store.js';
import type { ProjectStore } from '../store/project.store.js';
import type { CircuitLimits } from './blocks/circuit.js';
import { localFaultNamed } from './blocks/local-fault.js';
import { LocalTroubles } from './blocks/project-trouble.store.js';
import { CIRCUIT_OPEN, ProjectBlocks } from './blocks/project-blocks.js';
import type { Block } from './blocks/project-gate.js';
import type { ProjectReading } from './answers/read-project.js';
import { SharedRate } from './rate/shared-rate.js';

interface UseRules {
  readonly tokens: TokenUse;
  /** How long it waits for a turn: a person for `briefMs`, what can wait for `longestMs`; `now` takes only what is there. */
  readonly waits: 'now' | 'brief' | 'long';
  /** An operator's stop does not hold it back: what was sent is followed, and cancelled. */
  readonly whileStopped?: true;
  /** It finds out whether a fault is mended: only what the gateway asks for holds it back. */
  readonly whileBroken?: true;
  /** It repeats a POST of which nobody knows whether it was taken: not to a gateway in trouble. */
  readonly posts?: true;
}

/** The callers beside due sends, which take their turns ahead, many at once (dispatch/project-queue.ts). */
const USES = {
  poll: { tokens: 'polls', waits: 'long', whileStopped: true },
  cancel: { tokens: 'sends', waits: 'long', whileStopped: true },
  /** Only for reports: when no other caller wants a turn, and not for a project that an operator has stopped. */
  breakdown: { tokens: 'spare', waits: 'long' },
  /** A POST like any send: never on the credit of polls. */
  repeat: { tokens: 'sends', waits: 'long', posts: true },
  'look-up': { tokens: 'sends', waits: 'long' },
  /** Asks whether anybody got the sends of a retry of many. */
  retries: { tokens: 'polls', waits: 'now' },
  retry: { tokens: 'sends', waits: 'brief', whileStopped: true },
  check: { tokens: 'sends', waits: 'brief', whileStopped: true, whileBroken: true },
  /** Asks whether a gateway in trouble is back. */
  probe: { tokens: 'sends', waits: 'long' },
} as const satisfies Readonly<Record<string, UseRules>>;
type CallUse = keyof typeof USES;

interface Blocked {
  readonly kind: 'blocked';
  readonly block: Block;
}

/** No call was made; `no-turn`: the rate left none. */
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
/** How long a circuit that does not admit a call blocks it, milliseconds. */
const IN_TROUBLE_MS = 1_000;

interface CallsParts {
  readonly sql: Sql;
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly turns?: TurnLimits;
  readonly circuit?: CircuitLimits;
}

export class ProjectCalls {
  readonly blocks: ProjectBlocks;
  readonly troubles: LocalTroubles;
  readonly #rates: Readonly<Record<TokenUse, SharedRate>>;
  readonly #released = new AbortController();

  constructor(private readonly parts: CallsParts) {
    const { sql, log } = parts;
    this.troubles = new LocalTroubles(sql, log);
    this.blocks = new ProjectBlocks({ ...parts, troubles: this.troubles });
    this.#rates = {
      sends: new SharedRate({ ...parts, use: 'sends' }),
      polls: new SharedRate({ ...parts, use: 'polls' }),
      spare: new SharedRate({ ...parts, use: 'spare' }),
    };
  }

  /**
   * Waits for a turn, makes the call, and hears what the answer says about the project. `make` calls once and never rejects for
   * what a gateway does; undefined: it does not call after all.
   */
  async call(serviceId: string, use: CallUse, make: () => Promise<PushAnswer | undefined>): Promise<Called> {
    const held = await this.turn(serviceId, use);
    if (held !== undefined) return held;
    const answer = await make();
    if (answer === undefined) return { kind: 'no-turn' };
    const reading = await this.blocks.heard(serviceId, answer, use === 'probe');
    return { kind: 'called', answer, reading };
  }

  /** undefined: one call may be made now; give its answer to `blocks`. */
  async turn(serviceId: string, use: CallUse): Promise<NotCalled | undefined> {
    const { longestMs, briefMs } = this.parts.turns ?? turnDefaults;
    const { tokens, waits } = USES[use];
    let held = await this.blockOf(serviceId, use);
    if (held !== undefined && waits === 'long') {
      // The end of a short block is waited for. In a long one this keeps what was taken up before from being put back in a rush.
      const ms = Math.min(longestMs, held.block.until - this.parts.clock.now());
      await pause(ms, undefined, { signal: this.#released.signal }).catch(() => undefined);
      held = await this.blockOf(serviceId, use);
    }
    if (held !== undefined) return held;
    if (this.#released.signal.aborted) return { kind: 'no-turn' };
    const waitMs = { now: 0, brief: briefMs, long: longestMs }[waits];
    const taken = this.#rates[tokens].take(serviceId, waitMs);
    if (taken === true) return undefined;
    const had = await taken;
    return (await this.blockOf(serviceId, use)) ?? (had ? undefined : { kind: 'no-turn' });
  }

  /** The process is about to end: callers that wait for a turn, or ask for one from here on, are told that there is none. */
  release(): void {
    this.#released.abort();
    for (const rate of Object.values(this.#rates)) rate.stop();
  }

  /** The process ends. */
  async stop(): Promise<void> {
    this.release();
    await this.troubles.stop();
  }

  /** What prevents such a call now, whether or not there is a turn: heard here, or written in the project's row. */
  async blockOf(serviceId: string, use: CallUse): Promise<Blocked | undefined> {
    const now = this.parts.clock.now();
    const project = await this.parts.projects.get(serviceId);
    const { blockedUntil = -Infinity, blockedCode: code = '', blockedDetail: detail = null } = project ?? {};
    const row = blockedUntil > now ? { code, until: blockedUntil, detail } : undefined;
    const rules: UseRules = USES[use];
    const gate = this.blocks.gate(serviceId);
    const inTrouble = rules.posts === true && !gate.circuit.admitsRepeat(this.parts.clock.elapsed());
    const block = inTrouble
      ? { code: CIRCUIT_OPEN, until: now + IN_TROUBLE_MS, detail: null }
      : [gate.blockAt(now), row].find((known) => known !== undefined && !passes(rules, known));
    return block && { kind: 'blocked', block };
  }
}

/** Whether such calls are made although the project is blocked for this. */
function passes(rules: UseRules, { code, until }: Block): boolean {
  if (code === 'STOPPED') return rules.whileStopped === true;
  return rules.whileBroken === true && (until === Infinity || localFaultNamed(code) !== undefined);
}
