// The gate of one project: everything that holds a call back in this process (block, circuit, places in flight, tokens of the
// rate), and which of these count for which kind of call. Asks no database and calls nobody.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { Project } from '../../store/project.store.js';
import { ProjectPlaces } from '../rate/calls-in-flight.js';
import { TokenBucket } from '../rate/token-bucket.js';
import { Circuit, type CircuitLimits, type PostKind } from './circuit.js';
import { localFaultNamed } from './local-fault.js';

export interface UseRules {
  readonly tokens: Bucket;
  /** How long it waits for a turn: not at all, `briefMs` where a person waits, or `longestMs`. */
  readonly waits: 'now' | 'brief' | 'long';
  /** An operator's stop does not hold it back: sends that left before are still followed and cancelled. */
  readonly whileStopped?: true;
  /** It finds out whether a fault is mended: only a block that the gateway asked for holds it back. */
  readonly whileBroken?: true;
  /** It is a POST: an open circuit holds it back. */
  readonly posts?: PostKind;
  /** It takes a place in flight only while neither sends nor polls want one. */
  readonly whileIdle?: true;
}

/** The buckets of tokens, each with its share of the rate. Due sends have their own, so that no other call takes their tokens. */
export const BUCKETS = { due: 'sends', sends: 'sends', polls: 'polls', spare: 'spare' } as const;
type Bucket = keyof typeof BUCKETS;

export const USES = {
  /** A due send: its tokens are asked for ahead. SQL checks the block in the project's row when it is read and when it is fired. */
  send: { tokens: 'due', waits: 'now', posts: 'send' },
  poll: { tokens: 'polls', waits: 'long', whileStopped: true },
  cancel: { tokens: 'sends', waits: 'long', whileStopped: true },
  /** Only for reports: made when no other caller wants a turn, and not for a project that an operator has stopped. */
  breakdown: { tokens: 'spare', waits: 'long', whileIdle: true },
  /** A POST like any send: it does not use the polls' share. */
  repeat: { tokens: 'sends', waits: 'long', posts: 'repeat' },
  'look-up': { tokens: 'sends', waits: 'long' },
  /** Asks whether anybody got the sends of a retry of many. */
  retries: { tokens: 'polls', waits: 'now' },
  retry: { tokens: 'sends', waits: 'brief', whileStopped: true },
  check: { tokens: 'sends', waits: 'brief', whileStopped: true, whileBroken: true },
  /** The circuit's GET: asks whether a gateway in trouble is back. */
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
  /** The gateway's own words, if its answer is the reason. */
  readonly detail: string | null;
}

/** `waitMs`: when to ask again, in milliseconds; undefined: after another call has ended. */
interface Hold extends Block {
  readonly waitMs: number | undefined;
}

export const CIRCUIT_OPEN = 'CIRCUIT_OPEN';
/** The length of the block that a caller sees when the circuit does not admit its call, milliseconds. */
const IN_TROUBLE_MS = 1_000;
/**
 * A block is held in memory for at most this long, milliseconds. After that the project's row holds it in every process, so that an
 * operator can end it early.
 */
const LONGEST_HELD_MS = 5_000;
/** A block that ends at most this much later does not count as new, milliseconds: many calls in flight get the same answer. */
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
   * What holds such a call back, apart from a missing place or token. `row`: the project as its store has it, for callers whose SQL
   * does not check its block.
   */
  holdOf(use: Use, now: EpochMs, elapsed: number, row?: Project): Hold | undefined {
    const rules: UseRules = USES[use];
    const troubleMs = rules.posts === undefined ? 0 : this.circuit.waitMs(rules.posts, elapsed);
    if (troubleMs !== 0)
      return { code: CIRCUIT_OPEN, until: now + IN_TROUBLE_MS, detail: null, waitMs: troubleMs };
    const block = this.blockAt(now);
    if (block !== undefined && !passes(rules, block)) return { ...block, waitMs: this.#heldUntil - now };
    const { blockedUntil: until = -Infinity, blockedCode: code = '', blockedDetail } = row ?? {};
    if (until <= now || passes(rules, { code, until })) return undefined;
    return { code, until, detail: blockedDetail ?? null, waitMs: until - now };
  }

  /**
   * Real milliseconds until a due send may leave. 0: now. undefined: after another call has ended or tokens have come; both wake the
   * dispatcher.
   */
  sendWaitsMs(now: EpochMs, elapsed: number): number | undefined {
    if (!this.places.hasPlaceForSend) return undefined;
    const hold = this.holdOf('send', now, elapsed);
    if (hold !== undefined) return hold.waitMs;
    if (this.tokens.due.left(elapsed) >= 1) return 0;
    return this.tokens.due.askAgainIn(elapsed) || undefined;
  }

  /** A due send leaves: it takes a token and a place, and is the probe where the circuit is half-open. */
  sendLeaves(id: string, elapsed: number): void {
    this.tokens.due.take(elapsed);
    this.places.sendLeft();
    this.circuit.admit(id, elapsed);
  }

  /** The send's call has ended and its answer is written down; `wasCalled` false: no call was made. */
  sendEnded(id: string, wasCalled: boolean): void {
    this.places.sendEnded();
    if (wasCalled) return;
    this.tokens.due.putBack();
    this.circuit.released(id);
  }

  /** How many due sends may leave soon: none while the project is blocked or the circuit open, one while that is half-open. */
  mostSends(now: EpochMs, elapsed: number): number {
    if (this.blockAt(now) !== undefined) return 0;
    return { open: 0, 'half-open': 1, closed: Infinity }[this.circuit.stateAt(elapsed)];
  }

  /** Holds a block here for at most `longestMs` milliseconds. Returns whether it is new. Never shortens a longer block. */
  hold(block: Block, now: EpochMs, longestMs = LONGEST_HELD_MS): boolean {
    const before = this.blockAt(now);
    if (before !== undefined && block.until <= before.until + SAME_MS) return false;
    this.#block = block;
    this.#heldForMs = longestMs;
    this.#heldUntil = Math.min(block.until, now + longestMs);
    return true;
  }

  /** Ends the block, because its reason is gone: the project has another key or address. */
  goOn(): void {
    this.#heldUntil = -Infinity;
  }

  /** The block that is held here. */
  blockAt(now: EpochMs): Block | undefined {
    // No block is held longer than that: the clock was set back since.
    if (this.#heldUntil > now + this.#heldForMs) this.goOn();
    return now < this.#heldUntil ? this.#block : undefined;
  }
}

/** Whether such calls are made although this block holds others back. */
function passes(rules: UseRules, { code, until }: Pick<Block, 'code' | 'until'>): boolean {
  if (code === 'STOPPED') return rules.whileStopped === true;
  return rules.whileBroken === true && (until === Infinity || localFaultNamed(code) !== undefined);
}
