// A claimed chunk in this process: how far it was handed over, and what became of each place since the last record.
import type { EpochMs } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { chunkKey, type ClaimedChunk, type Frontier } from './chunk.store.js';
import { NOT_YET, RECORDED, type ChunkOutcome, type GoneDevice, type OutcomeCode } from './outcome.store.js';
import type { Job, Target } from './provider-port.js';
import type { Variant } from '../../push-contract/payload/render.js';
import type { JudgedOutcome } from './outcome-code.js';

/** Places that go again go in lots, by how long they wait: seconds, a minute, or longer. A lot goes when its longest wait ends. */
const LOTS_MS = [5_000, 60_000, Infinity] as const;

export class OpenChunk {
  readonly key: string;
  job: Job;
  /** Places before it may have left. */
  next = 0;
  /** Another process has the claim: nothing more leaves, and nothing is recorded. */
  isLost = false;
  /** A bug left places without an outcome, whether they left or not: the claim does not end in order. */
  isBroken = false;
  /** Clock.elapsed() of the first outcome that is not recorded yet. */
  freshSince: number | undefined;
  readonly #codes: OutcomeCode[];
  /** By place; undefined where there is no device to hand over to. */
  #targets: readonly (Target | undefined)[] = [];
  #untold: number;
  #fresh = 0;
  /** Places left out after all. Written with the last record only: if this claim is lost, the next one judges them again. */
  #leftOut = 0;
  #recorded = 0;
  #allSent = true;
  #repeated = 0;
  #gone: GoneDevice[] = [];
  /** By place: how long until it may go again, real milliseconds. */
  readonly #waits = new Map<number, number>();

  /** Nothing leaves before makeReady(). */
  constructor(
    readonly chunk: ClaimedChunk,
    job: Omit<Job, 'variants'>,
  ) {
    this.key = chunkKey(chunk);
    this.job = { ...job, variants: [] };
    this.#codes = chunk.deviceIds.map(() => NOT_YET);
    this.#untold = this.length;
  }

  get length(): number {
    return this.#codes.length;
  }

  /** Claims before this one that were lost. */
  get lostClaims(): number {
    return this.chunk.claims - this.chunk.passes - 1;
  }

  get isDone(): boolean {
    return this.#untold === 0;
  }

  get frontier(): Frontier {
    const { firingId, chunkNo, claims } = this.chunk;
    return { firingId, chunkNo, claims, handed: this.next };
  }

  /** Sets what its devices are handed, and the trace that its message belongs to. */
  makeReady(
    variants: readonly Variant[],
    targets: readonly (Target | undefined)[],
    trace: TraceContext | undefined,
  ): void {
    this.job = { ...this.job, variants, trace };
    this.#targets = targets;
  }

  lose(log: Log, message = 'a chunk was taken over by another'): void {
    this.isLost = true;
    log.warn({ chunk: this.key, trace: this.job.trace }, message);
  }

  /** Those that have no outcome. */
  get targets(): Target[] {
    return this.#targets.filter(
      (target): target is Target => target !== undefined && this.#codes[target.place] === NOT_YET,
    );
  }

  /** Once for each place. `isRepeated`: it was handed over again after a claim was lost. */
  setOutcome(place: number, judged: JudgedOutcome, elapsed: number, isRepeated = false): void {
    if (judged.kind === 'again') {
      if (judged.afterMs > 0) this.#waits.set(place, judged.afterMs);
      return;
    }
    this.#codes[place] = judged.code;
    this.#untold -= 1;
    this.#fresh += 1;
    this.freshSince ??= elapsed;
    if (judged.code !== null) this.#allSent = false;
    if (isRepeated) this.#repeated += 1;
  }

  /** The place is no target after all. */
  leaveOut(place: number, reason: string): void {
    if (this.#codes[place] !== NOT_YET) return;
    this.#codes[place] = `~${reason}`;
    this.#untold -= 1;
    this.#leftOut += 1;
    this.#allSent = false;
  }

  /** Fails a place unsent, unless it has an outcome. */
  fail(place: number, reason: string, elapsed: number): void {
    if (this.#codes[place] === NOT_YET) this.setOutcome(place, { kind: 'told', code: `!${reason}` }, elapsed);
  }

  /** Fails all places that have no outcome. */
  failRest(reason: string, elapsed: number): void {
    for (const place of this.#codes.keys()) this.fail(place, reason, elapsed);
  }

  /** The provider says that the token names no device any more, since `since` if it says when. */
  gone(place: number, since: EpochMs | undefined): void {
    const deviceId = this.#targets[place]?.deviceId;
    const registeredAt = this.chunk.registeredAt?.[place];
    // Compared with the registration read with the token: our clocks cannot tell whether a newer one came before or after.
    if (deviceId !== undefined && typeof registeredAt === 'number')
      this.#gone.push({ deviceId, upTo: Math.min(since ?? Infinity, registeredAt) });
  }

  /** What is to be recorded; it counts as recorded from here on. `isLast`: the claim ends with it. */
  takeOutcome(isLast: boolean): ChunkOutcome {
    const { firingId, chunkNo, claims } = this.chunk;
    const { id, version, kind } = this.job.credential;
    const isWhole = isLast && this.isDone;
    const fate = isWhole ? 'done' : isLast && !this.isBroken ? 'back' : 'part';
    const outcome: ChunkOutcome = {
      firingId,
      chunkNo,
      claims,
      recorded: this.#recorded,
      codes: isWhole && this.#allSent && this.#recorded === 0 ? [] : this.#codesFor(fate),
      told: this.#fresh + (fate === 'part' ? 0 : this.#leftOut),
      repeated: this.#repeated,
      gone: this.#gone,
      credential: kind === 'sandbox' ? null : id,
      version: kind === 'sandbox' ? null : version,
      fate,
    };
    this.#recorded += this.#fresh;
    this.#fresh = this.#repeated = 0;
    this.#gone = [];
    this.freshSince = undefined;
    // The last record is never followed by another.
    if (!isLast)
      for (const [place, code] of this.#codes.entries())
        if (code === null || !/^[-~]/.test(code)) this.#codes[place] = RECORDED;
    return outcome;
  }

  #codesFor(fate: ChunkOutcome['fate']): OutcomeCode[] {
    if (fate === 'part') return this.#codes.map((code) => (code?.startsWith('~') === true ? NOT_YET : code));
    const codes = [...this.#codes];
    const longest = LOTS_MS.map(() => 0);
    for (const ms of this.#waits.values()) longest[lotOf(ms)] = Math.max(longest[lotOf(ms)] ?? 0, ms);
    for (const [place, ms] of this.#waits) codes[place] = `>${longest[lotOf(ms)] ?? ms}`;
    return codes;
  }
}

function lotOf(ms: number): number {
  return LOTS_MS.findIndex((most) => ms <= most);
}
