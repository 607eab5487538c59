// Asks a push service for registered offsets (planning.md §2, sources 2 and 3): of users, in pages where it has bulk look-up and
// else one by one; and for their counts over a service or a channel. Every call takes its turn of the project's rate. Stores nothing.
import { COUNT_PAGE_SIZE, MAX_TIMEZONES_OF } from '../../push-contract/limits.js';
import {
  readCensusAnswer,
  readTimezonesOfAnswer,
  readUserAnswer,
} from '../push-client/answers/read-user-answer.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import type { UserApi } from '../push-client/push-api.js';
import type { Project } from '../store/project.store.js';
import type { OffsetCount, RegisteredOffset } from '../store/registered-offset.store.js';

/** The most concurrent calls, whatever the project allows, so that look-ups never crowd out sends. */
const MOST_AT_ONCE = 16;
/** The share of the project's rate for look-ups; the rest is left to sends. */
const SHARE_OF_RATE = 0.5;

/**
 * How a call ended; with `no-turn` and `blocked` it was not made. `refused`: the whole page was refused, which says nothing of
 * its users.
 */
type AskEnd = 'known' | 'failed' | 'refused' | 'no-turn' | 'blocked';

export interface Asked {
  /** One for each call. */
  readonly ends: readonly AskEnd[];
  readonly learned: readonly RegisteredOffset[];
  /** How many of the ids were asked for: the next batch begins behind them. */
  readonly ids: number;
  /** How long these calls use up the look-ups' share of the rate, real milliseconds. */
  readonly worthMs: number;
}

export class AskOffsets {
  /** Pages are asked for until one is refused. */
  #inPages: boolean;

  constructor(
    private readonly deps: { readonly userApi: UserApi; readonly calls: ProjectCalls },
    private readonly project: Project,
  ) {
    this.#inPages = project.extensions.includes('user-timezones');
  }

  /** Asks for the first of these ids: a page, or as many as may be asked for at once. */
  async batch(userIds: readonly string[]): Promise<Asked> {
    const ids = userIds.slice(0, this.#inPages ? MAX_TIMEZONES_OF : mostAtOnce(this.project));
    const learned: RegisteredOffset[] = [];
    const ends = this.#inPages
      ? [await this.#askPage(ids, learned)]
      : await Promise.all(ids.map((userId) => this.#askOne(userId, learned)));
    const worthMs = (ends.length * 1_000) / (this.project.ratePerSecond * SHARE_OF_RATE);
    if (!ends.includes('refused')) return { ends, learned, ids: ids.length, worthMs };
    // One of its ids may be one that this push service does not take: asked for one by one, each gets its own answer.
    this.#inPages = false;
    return { ends, learned, ids: 0, worthMs };
  }

  /** How many users each offset has, with a call for each page; else how the last call ended. `goesOn` is called before each call. */
  async count(
    channelName: string | null,
    goesOn: () => Promise<boolean>,
  ): Promise<readonly OffsetCount[] | Exclude<AskEnd, 'known' | 'refused'> | 'stopped'> {
    const { userApi, calls } = this.deps;
    const { serviceId } = this.project;
    // Keyed by offset: a gateway without pages gives the same answer again, which also ends the loop.
    const users = new Map<number, number>();
    for (let page = 0; users.size === page * COUNT_PAGE_SIZE; page += 1) {
      if (!(await goesOn())) return 'stopped';
      const called = await calls.call(serviceId, 'look-up', () =>
        userApi.timezones(serviceId, channelName ?? undefined, page),
      );
      if (called.kind !== 'called') return called.kind;
      const answer = readCensusAnswer(called.answer);
      if (answer.kind !== 'known') return called.reading.kind === 'blocked' ? 'blocked' : 'failed';
      for (const one of answer.offsets) users.set(one.offsetSeconds, one.users);
    }
    return [...users].map(([offsetSeconds, count]) => ({ offsetSeconds, users: count }));
  }

  async #askOne(userId: string, learned: RegisteredOffset[]): Promise<AskEnd> {
    const { calls, userApi } = this.deps;
    const { serviceId } = this.project;
    const called = await calls.call(serviceId, 'look-up', () => userApi.user(serviceId, userId));
    if (called.kind !== 'called') return called.kind;
    const answer = readUserAnswer(called.answer);
    if (answer.kind !== 'known') return called.reading.kind === 'blocked' ? 'blocked' : 'failed';
    const { isUser, offsetSeconds } = answer;
    learned.push({ userId, isUser, offsetSeconds });
    return 'known';
  }

  async #askPage(userIds: readonly string[], learned: RegisteredOffset[]): Promise<AskEnd> {
    const { calls, userApi } = this.deps;
    const { serviceId } = this.project;
    const called = await calls.call(serviceId, 'look-up', () => userApi.timezonesOf(serviceId, userIds));
    if (called.kind !== 'called') return called.kind;
    const answer = readTimezonesOfAnswer(called.answer);
    if (answer.kind === 'known') {
      for (const userId of userIds) {
        const offsetSeconds = answer.offsets.get(userId) ?? null;
        learned.push({ userId, isUser: offsetSeconds !== null, offsetSeconds });
      }
      return 'known';
    }
    if (called.reading.kind === 'blocked') return 'blocked';
    return answer.kind;
  }
}

/** The number of concurrent calls; each takes its own turn of the rate. */
function mostAtOnce({ inFlight, ratePerSecond }: Project): number {
  return Math.min(MOST_AT_ONCE, inFlight, Math.ceil(ratePerSecond / 8));
}
