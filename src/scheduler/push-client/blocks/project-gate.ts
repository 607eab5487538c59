// The gate of one project: everything that holds a call back in this process (block, circuit, places in flight, tokens of the
// rate), and which of it counts for whom. Asks no database and calls nobody.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { Project } from '../../store/project.store.js';
import { ProjectPlaces } from '../rate/calls-in-flight.js';
import { TokenBucket } from '../rate/token-bucket.js';
import { Circuit, type CircuitLimits, type PostKind } from './circuit.js';
import { localFaultNamed } from './local-fault.js';

export interface UseRules {
  readonly tokens: Bucket;
  /** How long it waits for a turn: a person for `briefMs`, what can wait for `longestMs`; `now` takes only what is there. */
  readonly waits: 'now' | 'brief' | 'long';
  /** An operator's stop does not hold it back: what was sent is followed, and cancelled. */
  readonly whileStopped?: true;
  /** It finds out whether a fault is mended: only what the gateway asks for holds it back. */
  readonly whileBroken?: true;
  /** It is a POST: the circuit of a gateway in trouble holds it back. */
  readonly posts?: PostKind;
  /** It takes a place in flight only while neither sends nor polls want one. */
  readonly whileIdle?: true;
}

/** The buckets of tokens, each with its share of the rate. What is due has its own, so that no other call takes its tokens. */
export const BUCKETS = { due: 'sends', sends: 'sends', polls: 'polls', spare: 'spare' } as const;
type Bucket = keyof typeof BUCKETS;

export const USES = {
  /** A due send: its tokens are asked for ahead. Whether the project's row blocks it, SQL tells as it is read and fired. */
  send: { tokens: 'due', waits: 'now', posts: 'send' },
  poll: { tokens: 'polls', waits: 'long', whileStopped: true },
  cancel: { tokens: 'sends', waits: 'long', whileStopped: true },
  /** Only for reports: when no other caller wants a turn, and not for a project that an operator has stopped. */
  breakdown: { tokens: 'spare', waits: 'long', whileIdle: true },
  /** A POST like any send: never on the credit of polls. */
  repeat: { tokens: 'sends', waits: 'long', posts: 'repeat' },
  'look-up': { tokens: 'sends', waits: 'long' },
  /** Asks whether anybody got the sends of a retry of many. */
  retries: { tokens: 'polls', waits: 'now' },
  retry: { tokens: 'sends', waits: 'brief', whileStopped: true },
  check: { tokens: 'sends', waits: 'brief', whileStopped: true, whileBroken: true },
  /** Asks whether a gateway in trouble is back. */
  probe: { tokens: 'sends', waits: 'long' },
} as const satisfies Readonly<Record<string, UseRules>>;
type Use = keyof typeof USES;
export type CallUse = Exclude<Use, 'send'>;

/** Why nobody calls the project, and until when. */
export interface Block {
  /** The reason; stable. */
  readonly code: string;
  /** Infinity: until somebody acts. */
  readonly until: EpochMs;
  /** The gateway's own words, if it was the gateway that said so. */
  readonly detail: string | null;
}

/** `waitMs`: the milliseconds after which it is worth asking again; undefined: not before another call has ended. */
interface Hold extends Block {
  readonly waitMs: number | undefined;
}

export const CIRCUIT_OPEN = 'CIRCUIT_OPEN';
/** How long a circuit that does not admit a call blocks it, milliseconds. */
const IN_TROUBLE_MS = 1_000;
/**
 * How long a block is held in memory at most, milliseconds: after that its row in the database holds it in every process, so
 * that an operator's early start takes effect.
 */
const LONGEST_HELD_MS = 5_000;
/** A block that ends so little later is no news: many answers under way say the same. Milliseconds. */
const SAME_MS = 250;

export class ProjectGate {
  readonly circuit: Circuit;
  readonly places = new ProjectPlaces();
  readonly tokens: Readonly<Record<Bucket, TokenBucket>>;
  #block: Block | undefined;
  #heldUntil = -Infinity;
  #heldForMs = 0;

  constructor(serviceId: string, limits?: CircuitLimits) {
    this.circuit = new Circuit(limits);
    const bucket = (): TokenBucket => new TokenBucket(serviceId);
    this.tokens = { due: bucket(), sends: bucket(), polls: bucket(), spare: bucket() };
  }

  /**
   * What holds such a call back, whether or not there is a place and a token. `row`: the project as its store has it, for
   * callers that do not leave its block to SQL.
   */
  holdOf(use: Use, now: EpochMs, elapsed: number, row?: Project): Hold | undefined {
    const rules: UseRules = USES[use];
    const troubleMs = rules.posts === undefined ? 0 : this.circuit.waitMs(rules.posts, elapsed);
    if (troubleMs !== 0)
      return { code: CIRCUIT_OPEN, until: now + IN_TROUBLE_MS, detail: null, waitMs: troubleMs };
    const heard = this.blockAt(now);
    if (heard !== undefined && !passes(rules, heard)) return { ...heard, waitMs: this.#heldUntil - now };
    const { blockedUntil: until = -Infinity, blockedCode: code = '', blockedDetail } = row ?? {};
    if (until <= now || passes(rules, { code, until })) return undefined;
    return { code, until, detail: blockedDetail ?? null, waitMs: until - now };
  }

  /**
   * Real milliseconds until a due send may leave: 0, now; undefined: once another call has ended or tokens have come, which
   * wakes the dispatcher.
   */
  sendWaitsMs(now: EpochMs, elapsed: number): number | undefined {
    if (!this.places.hasPlaceForSend) return undefined;
    const hold = this.holdOf('send', now, elapsed);
    if (hold !== undefined) return hold.waitMs;
    if (this.tokens.due.left(elapsed) >= 1) return 0;
    return this.tokens.due.askAgainIn(elapsed) || undefined;
  }

  /** A due send leaves: with its token, its place, and as the probe where the circuit is half-open. */
  sendLeaves(id: string, elapsed: number): void {
    this.tokens.due.take(elapsed);
    this.places.sendLeft();
    this.circuit.admit(id, elapsed);
  }

  /** Its call has ended and is written down; `wasCalled` false: it did not leave after all. */
  sendEnded(id: string, wasCalled: boolean): void {
    this.places.sendEnded();
    if (wasCalled) return;
    this.tokens.due.putBack();
    this.circuit.released(id);
  }

  /** How many due sends may be of use soon: none of a project that is blocked or in trouble, and one as its probe. */
  mostSends(now: EpochMs, elapsed: number): number {
    if (this.blockAt(now) !== undefined) return 0;
    return { open: 0, 'half-open': 1, closed: Infinity }[this.circuit.stateAt(elapsed)];
  }

  /** Holds it here for `longestMs` at most. Returns whether this is news. Never shortens a longer block. */
  hold(block: Block, now: EpochMs, longestMs = LONGEST_HELD_MS): boolean {
    const before = this.blockAt(now);
    if (before !== undefined && block.until <= before.until + SAME_MS) return false;
    this.#block = block;
    this.#heldForMs = longestMs;
    this.#heldUntil = Math.min(block.until, now + longestMs);
    return true;
  }

  /** The reason for the block is over: the project has another key or address. */
  goOn(): void {
    this.#heldUntil = -Infinity;
  }

  /** The block that is held here. */
  blockAt(now: EpochMs): Block | undefined {
    // No block is held for longer: the clock was set back since this one came.
    if (this.#heldUntil > now + this.#heldForMs) this.goOn();
    return now < this.#heldUntil ? this.#block : undefined;
  }
}

/** Whether such calls are made although the project is blocked for this. */
function passes(rules: UseRules, { code, until }: Pick<Block, 'code' | 'until'>): boolean {
  if (code === 'STOPPED') return rules.whileStopped === true;
  return rules.whileBroken === true && (until === Infinity || localFaultNamed(code) !== undefined);
}
