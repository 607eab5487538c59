// Asks a push service which channels or schedules it has, for somebody who writes a campaign and waits. The call takes its turn of the
// project's rate. Where no answer comes, the names that planning has learned lately stand in for it, and the answer says so.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { TimedCache } from '../../../platform/timed-cache.js';
import type { GatewayName } from '../../decide/audience/gateway-names.js';
import { readNamesPage, type ListedName } from '../../push-client/answers/read-names-answer.js';
import type { ProjectCalls } from '../../push-client/project-calls.js';
import type { UserApi } from '../../push-client/push-api.js';
import { knownNames } from '../../store/gateway-name.store.js';

interface AskNamesDeps {
  readonly sql: Sql;
  readonly userApi: Pick<UserApi, 'channels' | 'schedules'>;
  readonly calls: Pick<ProjectCalls, 'call'>;
  readonly clock: Clock;
}

export interface AskedNames {
  readonly items: readonly ListedName[];
  readonly hasMore: boolean;
  /** undefined: the push service answered; else why it did not, as a code. */
  readonly lack: string | undefined;
}

export interface NamesAsk {
  readonly serviceId: string;
  readonly kind: GatewayName['kind'];
  /** A part of the name; '' for all. */
  readonly q: string;
  /** From 0. */
  readonly page: number;
}

/** Somebody types: the same question comes again and again. Real milliseconds. */
const KEPT_MS = 15_000;
const MOST_KEPT = 1_000;
/** The most names that stand in for an answer. */
const MOST_KNOWN = 100;

export class AskNames {
  readonly #answers: TimedCache<AskedNames>;

  constructor(private readonly deps: AskNamesDeps) {
    this.#answers = new TimedCache({ ttlMs: KEPT_MS, max: MOST_KEPT, clock: deps.clock });
  }

  ask(asked: NamesAsk): Promise<AskedNames> {
    const key = JSON.stringify([asked.serviceId, asked.kind, asked.q, asked.page]);
    return this.#answers.get(key, () => this.#call(asked));
  }

  async #call(asked: NamesAsk): Promise<AskedNames> {
    const { userApi, calls } = this.deps;
    const { serviceId, kind, q, page } = asked;
    // 'retry': somebody waits for it, so it waits for a turn only briefly.
    const called = await calls.call(serviceId, 'retry', () =>
      userApi[kind === 'channel' ? 'channels' : 'schedules'](serviceId, q, page),
    );
    if (called.kind === 'no-turn') return this.#fromOurs(asked, 'NO_TURN');
    if (called.kind === 'blocked') return this.#fromOurs(asked, called.block.code);
    const listed = readNamesPage(called.answer, kind);
    return listed === undefined ? this.#fromOurs(asked, 'NO_LIST') : { ...listed, lack: undefined };
  }

  async #fromOurs({ serviceId, kind, q, page }: NamesAsk, lack: string): Promise<AskedNames> {
    const names = page === 0 ? await knownNames(this.deps.sql, { serviceId, kind, q }, MOST_KNOWN) : [];
    return { items: names.map((name) => ({ name, description: null })), hasMore: false, lack };
  }
}
