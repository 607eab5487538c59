// Asks the push service to which kinds of devices a send went, where it has the extension `result-breakdown`, and adds the
// answer to the sums of reports (docs/decisions/0055). Every other caller comes first: breakdowns wait while sends or polls
// want the rate or a place in flight. Changes no send.
import type { Sql } from '../../platform/database/database.js';
import { WHOLE, type Slice } from '../decide/lifecycle/replica-slice.js';
import type { Core } from '../core.js';
import { readBreakdown, type BreakdownGroup, type NamedIds } from '../push-client/answers/read-breakdown.js';
import type { PushAnswer, PushApi } from '../push-client/push-api.js';
import { POLLS_SHARE } from '../push-client/rate/calls-in-flight.js';
import type { PushClient } from '../push-client/stage.js';
import {
  giveUpBreakdowns,
  putBackBreakdowns,
  putOffBreakdown,
  takeBreakdowns,
  recordBreakdown,
  type DueBreakdown,
} from '../store/rollup/breakdown.store.js';
import { judgeBreakdown, type BreakdownAnswer } from './judge-breakdown.js';

export interface AskBreakdownsDeps extends Pick<Core, 'clock'>, Pick<PushClient, 'calls'> {
  readonly sql: Sql;
  readonly pushApi: Pick<PushApi, 'breakdown'>;
  /** This process's slice of the work now [all of it]. */
  readonly slice?: () => Slice;
}

/** The most breakdowns that one round takes, in all and of one project. */
const LIMIT = 500;
const ROOM = 50;
/**
 * The breakdowns of small sends take at most a quarter of the calls that a project's rate reserves for polls. Each process takes its part
 * of them, for the time since its last round, but for at most so many seconds.
 */
const SMALL_SHARE = 1 / (4 * POLLS_SHARE);
const MOST_SMALL_SECONDS = 10;
/** So many projects are asked at once; each gets one call after the other. */
const AT_ONCE = 8;
/**
 * A gateway that refuses breakdowns as too many may refuse sends as well. So its project's breakdowns rest this long, doubling with
 * each refusal, real milliseconds.
 */
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 3_600_000;
/** A breakdown with more pages is given up: its devices are not reported. */
const MOST_PAGES = 20;
/** A breakdown is given up this long after its send ended: less than the shortest time for which sends are kept. */
const GIVEN_UP_MS = 7 * 86_400_000;
/** How often it gives up what is too old, real milliseconds. */
const GIVE_UP_EVERY_MS = 60_000;
const GIVEN_UP_AT_ONCE = 1_000;

export class AskBreakdowns {
  #round = 0;
  #gaveUpAt = -Infinity;
  #askedAt = -Infinity;
  /** By project: until when its breakdowns rest, elapsed(), and for how long the next time. */
  readonly #rests = new Map<string, { readonly until: number; readonly ms: number }>();

  constructor(private readonly deps: AskBreakdownsDeps) {}

  /** Asks for the breakdowns that are due, where calls may be made. Returns how many were recorded or given up. */
  async runOnce(signal = new AbortController().signal): Promise<number> {
    const { sql, clock } = this.deps;
    let ended = await this.#giveUp();
    this.#round += 1;
    const now = new Date(clock.now());
    const due = await takeBreakdowns(sql, {
      now,
      room: ROOM,
      limit: LIMIT,
      round: this.#round,
      smallShare: this.#smallShare(),
    });
    const unasked = new Set(due.map(({ send }) => send));
    const serviceIds = [...new Set(due.map(({ serviceId }) => serviceId))];
    const ask = async (): Promise<void> => {
      for (let id = serviceIds.shift(); id !== undefined; id = serviceIds.shift()) {
        const ofProject = due.filter(({ serviceId }) => serviceId === id);
        for (const breakdown of ofProject) {
          const end = signal.aborted ? 'uncalled' : await this.#askOne(breakdown, signal);
          if (end !== 'uncalled') unasked.delete(breakdown.send);
          if (end === 'ended') ended += 1;
          else if (end !== 'again') break;
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, ask));
    await putBackBreakdowns(sql, [...unasked], now);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return ended;
  }

  #smallShare(): number {
    const { clock, slice = () => WHOLE } = this.deps;
    const elapsed = clock.elapsed();
    const seconds = Math.min((elapsed - this.#askedAt) / 1_000, MOST_SMALL_SECONDS);
    this.#askedAt = elapsed;
    return (seconds * SMALL_SHARE) / slice().of;
  }

  async #giveUp(): Promise<number> {
    const { sql, clock } = this.deps;
    const elapsed = clock.elapsed();
    if (elapsed < this.#gaveUpAt + GIVE_UP_EVERY_MS) return 0;
    const givenUp = await giveUpBreakdowns(sql, new Date(clock.now() - GIVEN_UP_MS), GIVEN_UP_AT_ONCE);
    // Where there may be more, the next round goes on.
    if (givenUp < GIVEN_UP_AT_ONCE) this.#gaveUpAt = elapsed;
    return givenUp;
  }

  /** `uncalled`: no call may be made; `no-answer`: no clear answer came. Both end this round for the project. */
  async #askOne(
    due: DueBreakdown,
    signal: AbortSignal,
  ): Promise<'ended' | 'again' | 'no-answer' | 'uncalled'> {
    const { sql, clock } = this.deps;
    const answer = await this.#readPages(due, signal);
    if (answer === undefined) return 'uncalled';
    const judged = judgeBreakdown(due, answer, clock.now());
    if (judged.kind === 'again') {
      await putOffBreakdown(sql, due.send, { nextAt: new Date(judged.nextAt), code: judged.code });
      return judged.code === 'UNREAD' ? 'no-answer' : 'again';
    }
    await recordBreakdown(sql, due.send, judged.reported);
    return 'ended';
  }

  /** Reads all pages; undefined where no call may be made. */
  async #readPages(
    { serviceId, requestId }: DueBreakdown,
    signal: AbortSignal,
  ): Promise<BreakdownAnswer | undefined> {
    const groups: BreakdownGroup[] = [];
    let ids: NamedIds | null = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      if (signal.aborted) return undefined;
      const answer = await this.#call(serviceId, requestId, page);
      if (answer === undefined) return undefined;
      const read = readBreakdown(answer);
      if (read.kind !== 'groups') return read;
      groups.push(...read.groups);
      ids ??= read.ids;
      if (read.isLast) return { kind: 'groups', groups, ids };
    }
    return { kind: 'too-long' };
  }

  /** Undefined: no call was made, or its answer is about the project and not about this send. */
  async #call(serviceId: string, requestId: string, page: number): Promise<PushAnswer | undefined> {
    const { calls, pushApi, clock } = this.deps;
    const rest = this.#rests.get(serviceId) ?? { until: -Infinity, ms: FIRST_REST_MS };
    if (clock.elapsed() < rest.until) return undefined;
    const called = await calls.call(serviceId, 'breakdown', () =>
      pushApi.breakdown(serviceId, requestId, page),
    );
    if (called.kind !== 'called') return undefined;
    const { answer, reading } = called;
    if (reading.kind === 'blocked') {
      const ms = Math.min(2 * rest.ms, LONGEST_REST_MS);
      this.#rests.set(serviceId, { until: clock.elapsed() + rest.ms, ms });
    } else this.#rests.delete(serviceId);
    return reading.kind === 'nothing' ? answer : undefined;
  }
}
