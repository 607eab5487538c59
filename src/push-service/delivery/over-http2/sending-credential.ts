// A credential under which this process sends: its client, its queue, and what answers have shown. It sends a target, and sends
// it again where the answer asks for that: once with a new token, once on a new connection, once where it was not taken. A target
// that the provider may have taken never goes a second time.
import type { Clock, EpochMs } from '../../../platform/clock.js';
import type { Log } from '../../../platform/logging/log.js';
import { isOver } from '../deadlines.js';
import type { CredentialNews, Job, Outcome, Target } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import { CredentialQueue } from './credential-queue.js';
import { failed, retry, type JudgedAnswer } from './judged-answer.js';
import { LimitedDevices } from './limited-devices.js';
import { MessageRefusals } from './message-refusals.js';
import type { ProviderClient, TokenAnswer } from './provider-client.js';
import { Traffic } from './traffic.js';
import { Waiting, type Wait } from './waiting.js';

export interface SendingDeps {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly log: Log;
  /** The machine's own wall clock: providers' dates and tokens go by it. */
  readonly realNow: () => EpochMs;
  /** How long an aborted delivery waits for answers, real milliseconds. */
  readonly abortMs: number;
}

/** How long to wait before an unavailable token endpoint is asked again, real milliseconds. */
const TOKEN_PAUSE_MS = 5_000;

export class SendingCredential {
  readonly traffic: Traffic;
  readonly queue: CredentialQueue;
  readonly #refusals = new MessageRefusals();
  readonly #accepted = new AcceptedTokens();
  readonly #limited: LimitedDevices;
  readonly #waiting: Waiting;

  constructor(
    readonly client: ProviderClient,
    readonly serviceId: string,
    private isProven: boolean,
    private readonly deps: SendingDeps & { readonly learned: (news: CredentialNews) => void },
  ) {
    const { pool, perSecond } = client;
    this.#limited = new LimitedDevices(deps.clock);
    this.#waiting = new Waiting(deps.clock);
    this.traffic = new Traffic({ clock: deps.clock, pool, perSecond });
    this.queue = new CredentialQueue({
      ...deps,
      traffic: this.traffic,
      known: (job, target) => this.#known(job, target),
      send: (job, target, signal) => this.#send(job, target, signal),
    });
  }

  /** No request is open, and to close it would forget nothing that answers have shown. */
  get isIdle(): boolean {
    const { load, pauseMs } = this.traffic;
    const isAtRest = load.open === 0 && pauseMs === 0 && this.client.pool.connections === 0;
    return isAtRest && this.#waiting.now === undefined;
  }

  /** Since when nothing is accepted; undefined while pushes are accepted, and where the credential is refused. */
  get wait(): Wait | undefined {
    return this.traffic.fault === undefined ? this.#waiting.now : undefined;
  }

  #known(job: Job, target: Target): Outcome | undefined {
    const variant = job.variants[target.variant];
    return isOver(job, this.deps.clock) ?? (variant && this.#refusals.of(variant));
  }

  async #send(job: Job, target: Target, signal: AbortSignal): Promise<JudgedAnswer> {
    const unasked = this.#unasked(target);
    if (unasked !== undefined) return unasked;
    const variant = job.variants[target.variant];
    if (variant === undefined)
      throw new RangeError(`firing ${job.firingId} has no variant ${target.variant}`);
    const judged = await this.#ask(job, target, variant, signal);
    this.#refusals.note(variant, judged);
    return judged;
  }

  async #ask(job: Job, target: Target, variant: Variant, signal: AbortSignal): Promise<JudgedAnswer> {
    const { client } = this;
    const isWanted = (): boolean => isOver(job, this.deps.clock) === undefined;
    const spent: string[] = [];
    for (;;) {
      const given = client.token();
      const token = given instanceof Promise ? await given : given;
      if (token.kind !== 'token') return this.#withoutToken(token);
      const request = client.request(token.token, job, target, variant);
      const answer = await client.pool.request(request, signal, isWanted);
      if (answer.kind === 'unknown') {
        this.#waiting.waits('NO_ANSWER', this.traffic.pauseMs);
        return { outcome: { kind: 'unknown', reason: 'NO_ANSWER' }, pace: 'silent' };
      }
      if (answer.kind === 'notTaken') {
        if (spent.includes('notTaken') || signal.aborted) return this.#notTaken(job, answer.reason);
        spent.push('notTaken');
        continue;
      }
      const judged = this.#judge(answer);
      const { again } = judged;
      if (again !== undefined && !spent.includes(again)) {
        spent.push(again);
        if (again === 'newConnection' || client.renewToken(token.token)) continue;
      }
      return this.#learn(judged, job, target);
    }
  }

  /** The answer for a device to which nothing is sent; undefined where it is sent. */
  #unasked({ token }: Target): JudgedAnswer | undefined {
    const refused = this.client.refuses?.(token);
    return refused === undefined ? this.#limited.resting(token) : failed(refused, { pace: 'unasked' });
  }

  #notTaken(job: Job, reason: string): JudgedAnswer {
    const over = isOver(job, this.deps.clock);
    const { restMs } = this.client.pool;
    if (restMs > 0) this.#waiting.waits(reason, restMs);
    return over === undefined
      ? retry('NOT_TAKEN', 0, { pace: 'unasked' })
      : { outcome: over, pace: 'unasked' };
  }

  #judge(answer: Parameters<ProviderClient['judge']>[0] & { readonly connection: number }): JudgedAnswer {
    const { client, isProven } = this;
    const mayRemove = isProven && this.#accepted.areMost;
    const judged = client.judge(answer, { isProven, mayRemove, now: this.deps.realNow() });
    if (judged.again === 'newConnection' || judged.leavesConnection === true)
      client.pool.retire(answer.connection);
    return judged;
  }

  #withoutToken({ kind, reason, detail }: Exclude<TokenAnswer, { kind: 'token' }>): JudgedAnswer {
    if (kind === 'refused') {
      this.#refused(reason);
      return { outcome: { kind: 'credential', reason }, pace: 'unasked' };
    }
    this.traffic.pause(TOKEN_PAUSE_MS);
    this.#waiting.waits(`no access token: ${detail}`, TOKEN_PAUSE_MS);
    return retry(reason, TOKEN_PAUSE_MS, { pace: 'unasked' });
  }

  /** Keeps what the answer means for the next requests under the credential and to the device. */
  #learn(judged: JudgedAnswer, job: Job, { token }: Target): JudgedAnswer {
    const { outcome, pace, isAboutToken, isOurFault, pauseMs, warns } = judged;
    if (pace === 'taken') this.#accepted.note(true);
    else if (isAboutToken === true) this.#accepted.note(false);
    if (pace === 'taken') {
      this.#limited.taken(token);
      this.#waiting.over();
    }
    if (pace === 'taken' && !this.isProven) {
      this.isProven = true;
      this.deps.learned({ kind: 'proven' });
    }
    if (pauseMs !== undefined && judged.backsOff === true) this.traffic.backOff(pauseMs);
    else if (pauseMs !== undefined) this.traffic.pause(pauseMs);
    if (!('reason' in outcome)) return judged;
    const { reason } = outcome;
    if (isOurFault === true) {
      const fields = { reason, firingId: job.firingId, provider: job.credential.kind, trace: job.trace };
      this.deps.log.error(fields, 'the provider says that our request is malformed');
    }
    if (outcome.kind === 'credential') this.#refused(reason);
    else if (warns === true) this.deps.learned({ kind: 'warning', reason });
    if (outcome.kind !== 'retry') return judged;
    if (judged.isDeviceLimited !== true) {
      this.#waiting.waits(reason, Math.max(outcome.afterMs, this.traffic.pauseMs));
      return judged;
    }
    const afterMs = this.#limited.limited(token, reason, outcome.afterMs, judged.backsOff === true);
    return { ...judged, outcome: { ...outcome, afterMs } };
  }

  #refused(reason: string): void {
    this.traffic.refused(reason);
    this.deps.learned({ kind: 'fault', reason });
  }
}

/** How many answers are remembered. */
const LAST = 1_000;

/**
 * Decides whether a token that is called bad may deactivate its device. Under a wrong project or environment the provider calls
 * every token bad. Then most are refused, and no device may be deactivated.
 */
class AcceptedTokens {
  readonly #last: boolean[] = [];
  #accepted = 0;

  /** Counts only answers that accept a token, or call it bad. */
  note(isAccepted: boolean): void {
    this.#last.push(isAccepted);
    if (isAccepted) this.#accepted += 1;
    if (this.#last.length > LAST && this.#last.shift() === true) this.#accepted -= 1;
  }

  get areMost(): boolean {
    return this.#accepted > this.#last.length - this.#accepted;
  }
}
