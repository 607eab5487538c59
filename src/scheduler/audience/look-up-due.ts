// Looks up what a campaign waits for before it is planned (planning.md §2, sources 2 and 3): registered offsets by user,
// or counted by the push service. Remembers the answers; decides nothing, and never makes a campaign wait past its
// give-up instant.
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { censusOf, FRESH_CENSUS_MS, idsWithoutZone } from '../decide/audience-needs.js';
import type { UserApi } from '../decide/push-api.js';
import {
  campaignLookedUpFor,
  claimLookup,
  closeLookups,
  finishLookup,
  noteAsked,
  putBackLookup,
  type ClaimedLookup,
} from '../store/audience-lookup.store.js';
import { slowDown, takeTokens } from '../store/pace.store.js';
import type { Project } from '../store/project.store.js';
import {
  readCensus,
  readOffsets,
  writeCensus,
  writeOffsets,
  type RegisteredOffset,
} from '../store/registered-offset.store.js';
import { readCensusAnswer, readUserAnswer, type LookUpFailure } from './read-user-answer.js';

export interface LookUpDueParts {
  readonly database: Database;
  readonly userApi: UserApi;
  readonly projects: { get(serviceId: string): Promise<Project | undefined> };
  readonly clock: Clock;
  readonly log: Log;
  /** How long a registered offset is believed. */
  readonly offsetCacheMs: number;
}

/** Calls under way at once, whatever the project allows: look-ups never crowd out sends. */
const MOST_AT_ONCE = 16;
/** Of the project's rate; the rest is left to sends. */
const SHARE_OF_RATE = 0.5;
/** Real milliseconds given to one campaign before the next has its turn. */
const TURN_MS = 5_000;
/** Answers held before they are written. */
const FLUSH = 200;
/** Rounds in a row without a whole answer, a second, two, four … apart; then the fallback takes what is left. */
const MOST_FAILURES = 5;

/** How a turn ended: `all` is known that can be; it is `given-up`; there is `more`; some calls `failed`. */
type TurnEnd = 'all' | 'given-up' | 'more' | 'failed';

export class LookUpDue {
  constructor(private readonly parts: LookUpDueParts) {}

  /** One turn of one campaign. Returns 1, or 0 where none waits. */
  async runOnce(signal = new AbortController().signal): Promise<number> {
    const { database, clock } = this.parts;
    const lookup = await claimLookup(database, clock.now());
    if (lookup === undefined) return 0;
    const end = await new Turn(this.parts, lookup, signal).run();
    const { campaign } = lookup;
    const failures = end === 'failed' ? lookup.failures + 1 : 0;
    if (end === 'all' || end === 'given-up' || failures >= MOST_FAILURES) {
      if (end !== 'all') this.#giveUp(lookup);
      await finishLookup(database, campaign, clock.now());
    } else {
      const pauseMs = end === 'failed' ? 1_000 * 2 ** lookup.failures : 0;
      await putBackLookup(database, { campaign, nextAt: clock.now() + pauseMs, failures });
    }
    return 1;
  }

  #giveUp({ campaign, serviceId }: ClaimedLookup): void {
    this.parts.log.warn(
      { campaign, serviceId },
      'not every recipient could be looked up: the rest goes by the fallback',
    );
  }
}

/** A campaign's turn: what it learned and what went wrong in it. */
class Turn {
  readonly #endsAt: number;
  readonly #learned: RegisteredOffset[] = [];
  #asked: number;
  /** Calls made and not noted yet. */
  #unnoted = 0;

  constructor(
    private readonly parts: LookUpDueParts,
    private readonly lookup: ClaimedLookup,
    private readonly signal: AbortSignal,
  ) {
    this.#asked = lookup.asked;
    this.#endsAt = parts.clock.elapsed() + TURN_MS;
  }

  async run(): Promise<TurnEnd> {
    const { database, projects, clock } = this.parts;
    const { campaign: id, serviceId } = this.lookup;
    const campaign = await campaignLookedUpFor(database, id);
    const project = await projects.get(serviceId);
    if (campaign === undefined) {
      // Canceled, or planned meanwhile.
      await closeLookups(database, [id]);
      return 'all';
    }
    if (project === undefined || this.#isOver) return 'given-up';
    if (project.restingUntil !== undefined && project.restingUntil > clock.now()) return 'failed';
    const census = censusOf(campaign, project);
    if (census !== undefined) return this.#count(project, census.channelName);
    return this.#ask(project, idsWithoutZone(campaign));
  }

  get #isOver(): boolean {
    return this.parts.clock.now() >= this.lookup.giveUpAt;
  }

  /** Source 3: one call. */
  async #count(project: Project, channelName: string | null): Promise<TurnEnd> {
    const { database, userApi, clock } = this.parts;
    const { serviceId, openedAt } = this.lookup;
    if ((await readCensus(database, serviceId, channelName, openedAt - FRESH_CENSUS_MS)) !== undefined)
      return 'all';
    if ((await this.#tokens(project, 1)) === 0) return 'more';
    const answer = readCensusAnswer(await userApi.userTimezones(serviceId, channelName ?? undefined));
    if (answer.kind !== 'known') return this.#failed(answer);
    await writeCensus(database, { serviceId, channelName }, answer.offsets, clock.now());
    return 'all';
  }

  /** Source 2: a call for each id that the cache does not hold, at most `lookupMax`. */
  async #ask(project: Project, wanted: readonly string[]): Promise<TurnEnd> {
    const { database, clock, offsetCacheMs } = this.parts;
    const { serviceId, openedAt } = this.lookup;
    const since = Math.min(clock.now() - offsetCacheMs, openedAt);
    const known = await readOffsets(database, serviceId, wanted, since);
    const missing = wanted.filter((userId) => !known.has(userId));
    let at = 0;
    let failed = false;
    while (at < missing.length) {
      const left = project.lookupMax - this.#asked;
      if (left <= 0 || this.#isOver) return this.#end('given-up');
      if (this.signal.aborted || clock.elapsed() > this.#endsAt) return this.#end('more');
      const startedAt = clock.elapsed();
      const granted = await this.#tokens(project, Math.min(left, missing.length - at));
      const answers = await Promise.all(
        missing.slice(at, at + granted).map((userId) => this.#askOne(userId)),
      );
      at += granted;
      this.#asked += granted;
      this.#unnoted += granted;
      const failures = answers.filter((answer) => answer !== undefined);
      if (failures.length > 0) failed = true;
      // All of them: it is not about these users.
      if (granted > 0 && failures.length === granted) return this.#end(await this.#failed(failures[0]));
      if (this.#unnoted >= FLUSH && !(await this.#note())) return 'all';
      if (at < missing.length)
        await this.#rest(startedAt + (granted * 1_000) / (project.ratePerSecond * SHARE_OF_RATE));
    }
    return this.#end(failed ? 'failed' : 'all');
  }

  /** Undefined: the answer is learned. */
  async #askOne(userId: string): Promise<LookUpFailure | undefined> {
    const answer = readUserAnswer(await this.parts.userApi.user(this.lookup.serviceId, userId));
    if (answer.kind !== 'known') return answer;
    this.#learned.push({ userId, offsetSeconds: answer.offsetSeconds });
    return undefined;
  }

  /** Of the rate that all calls of the project share; waits a while for one where none is left. */
  async #tokens({ serviceId, inFlight, ratePerSecond }: Project, wanted: number): Promise<number> {
    const most = Math.min(wanted, MOST_AT_ONCE, inFlight, Math.ceil(ratePerSecond / 8));
    const [grant] = await takeTokens(this.parts.database, [{ serviceId, wanted: most }]);
    if (grant !== undefined && grant.granted > 0) return grant.granted;
    await this.#rest(this.parts.clock.elapsed() + (grant?.waitMs ?? TURN_MS));
    return 0;
  }

  /** Until then on the real clock, but not beyond this turn. */
  async #rest(until: number): Promise<void> {
    const { signal } = this;
    const ms = Math.min(until, this.#endsAt) - this.parts.clock.elapsed();
    if (ms > 0) await rest(ms, undefined, { signal }).catch(() => undefined);
  }

  async #failed(failure: LookUpFailure | undefined): Promise<'failed'> {
    if (failure?.kind === 'throttled') {
      await slowDown(this.parts.database, this.lookup.serviceId);
      await this.#rest(this.parts.clock.elapsed() + (failure.retryAfterMs ?? 1_000));
    }
    return 'failed';
  }

  async #end(end: TurnEnd): Promise<TurnEnd> {
    await this.#note();
    return end;
  }

  /** Writes what was learned. False where nobody waits for it any more. */
  async #note(): Promise<boolean> {
    const { database, clock } = this.parts;
    const learned = this.#learned.splice(0);
    const calls = this.#unnoted;
    this.#unnoted = 0;
    return database.transaction(async (sql) => {
      await writeOffsets(sql, this.lookup.serviceId, learned, clock.now());
      return noteAsked(sql, this.lookup.campaign, calls);
    });
  }
}
