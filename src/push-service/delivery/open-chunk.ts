// A claimed chunk in this process: how far it is handed over, and what became of each place since the last record.
import type { EpochMs } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { chunkKey, type ClaimedChunk, type Frontier } from './chunk.store.js';
import { PENDING, RECORDED, type ChunkOutcome, type GoneDevice, type OutcomeCode } from './outcome.store.js';
import type { Job, Target } from './provider-port.js';
import type { Variant } from '../../push-contract/payload/render.js';
import type { JudgedOutcome } from './outcome-code.js';

/**
 * Places that go again are grouped by how long they wait: seconds, a minute, or longer. A group goes when its longest wait ends.
 */
const WAIT_GROUPS_MS = [5_000, 60_000, Infinity] as const;

export class OpenChunk {
  readonly key: string;
  job: Job;
  /** Places before this one may have left. */
  next = 0;
  /** Another process has the claim: nothing more leaves, and nothing is recorded. */
  isLost = false;
  /** After a bug nobody knows which places left. The claim then does not end in order. */
  isBroken = false;
  /** Clock.elapsed() of the first outcome that is not recorded yet. */
  freshSince: number | undefined;
  readonly #codes: OutcomeCode[];
  /** By place; undefined where there is no device to hand over to. */
  #targets: readonly (Target | undefined)[] = [];
  /** Places without an outcome. */
  #pending: number;
  /** Outcomes that are not recorded yet. */
  #fresh = 0;
  /** Places that are left out after all. Only the last record has them: if this claim is lost, the next one judges them again. */
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
    this.#codes = chunk.deviceIds.map(() => PENDING);
    this.#pending = this.length;
  }

  get length(): number {
    return this.#codes.length;
  }

  /** Claims before this one that were lost. */
  get lostClaims(): number {
    return this.chunk.claims - this.chunk.passes - 1;
  }

  get isDone(): boolean {
    return this.#pending === 0;
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

  /** The targets that have no outcome. */
  get targets(): Target[] {
    return this.#targets.filter(
      (target): target is Target => target !== undefined && this.#codes[target.place] === PENDING,
    );
  }

  /** Once for each place. `isRepeated`: it was handed over again after a claim was lost. */
  setOutcome(place: number, judged: JudgedOutcome, elapsed: number, isRepeated = false): void {
    if (judged.kind === 'again') {
      if (judged.afterMs > 0) this.#waits.set(place, judged.afterMs);
      return;
    }
    this.#codes[place] = judged.code;
    this.#pending -= 1;
    this.#fresh += 1;
    this.freshSince ??= elapsed;
    if (judged.code !== null) this.#allSent = false;
    if (isRepeated) this.#repeated += 1;
  }

  /** The place is no target after all. */
  leaveOut(place: number, reason: string): void {
    if (this.#codes[place] !== PENDING) return;
    this.#codes[place] = `left-out ${reason}`;
    this.#pending -= 1;
    this.#leftOut += 1;
    this.#allSent = false;
  }

  /** Fails a place unsent, unless it has an outcome. */
  fail(place: number, reason: string, elapsed: number): void {
    if (this.#codes[place] === PENDING)
      this.setOutcome(place, { kind: 'final', code: `failed ${reason}` }, elapsed);
  }

  /** Fails all places that have no outcome. */
  failRest(reason: string, elapsed: number): void {
    for (const place of this.#codes.keys()) this.fail(place, reason, elapsed);
  }

  /** The provider says that the token names no device any more; `since` where it says since when. */
  gone(place: number, since: EpochMs | undefined): void {
    const deviceId = this.#targets[place]?.deviceId;
    const registeredAt = this.chunk.registeredAt?.[place];
    // Compared with the registration that was read with the token: our clocks cannot show whether a newer one came before
    // `since`.
    if (deviceId !== undefined && typeof registeredAt === 'number')
      this.#gone.push({ deviceId, upTo: Math.min(since ?? Infinity, registeredAt) });
  }

  /** What is to be recorded; it counts as recorded from here on. `isLast`: the claim ends with it. */
  takeOutcome(isLast: boolean): ChunkOutcome {
    const { firingId, chunkNo, claims } = this.chunk;
    const { id, version, kind } = this.job.credential;
    const isWhole = isLast && this.isDone;
    const fate = isWhole ? 'done' : isLast && !this.isBroken ? 'returned' : 'continues';
    const outcome: ChunkOutcome = {
      firingId,
      chunkNo,
      claims,
      recorded: this.#recorded,
      codes: isWhole && this.#allSent && this.#recorded === 0 ? [] : this.#codesFor(fate),
      newOutcomes: this.#fresh + (fate === 'continues' ? 0 : this.#leftOut),
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
        if (code !== PENDING && !isLeftOut(code)) this.#codes[place] = RECORDED;
    return outcome;
  }

  #codesFor(fate: ChunkOutcome['fate']): OutcomeCode[] {
    if (fate === 'continues') return this.#codes.map((code) => (isLeftOut(code) ? PENDING : code));
    const codes = [...this.#codes];
    const longest = WAIT_GROUPS_MS.map(() => 0);
    for (const ms of this.#waits.values()) longest[groupOf(ms)] = Math.max(longest[groupOf(ms)] ?? 0, ms);
    for (const [place, ms] of this.#waits) codes[place] = `again ${longest[groupOf(ms)] ?? ms}`;
    return codes;
  }
}

function isLeftOut(code: OutcomeCode): boolean {
  return code?.startsWith('left-out ') === true;
}

function groupOf(ms: number): number {
  return WAIT_GROUPS_MS.findIndex((most) => ms <= most);
}
