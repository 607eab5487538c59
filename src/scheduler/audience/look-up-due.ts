// Looks up what a campaign waits for before it is planned (planning.md §2, sources 2 and 3): registered offsets, by user or
// counted by the push service, and whether the gateway knows the names in the campaign. Stores the answers; decides nothing,
// and never makes a campaign wait past its give-up instant.
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import { censusOf, FRESH_CENSUS_MS } from '../decide/audience/audience-needs.js';
import { gatewayNames, type GatewayName } from '../decide/audience/gateway-names.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { readNamesAnswer } from '../push-client/answers/read-names-answer.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import type { UserApi } from '../push-client/push-api.js';
import {
  campaignLookedUpFor,
  claimLookup,
  closeLookups,
  finishLookup,
  noteAsked,
  putBackLookup,
  type LeasedLookup,
} from '../store/audience-lookup.store.js';
import { readNames, writeName } from '../store/gateway-name.store.js';
import type { Project } from '../store/project.store.js';
import {
  readCensus,
  writeCensus,
  writeOffsets,
  type RegisteredOffset,
} from '../store/registered-offset.store.js';
import { AskOffsets } from './ask-offsets.js';
import { idsToAsk, mayAskForIds } from './ids-to-ask.js';

interface LookUpDueDeps {
  readonly database: Database;
  readonly userApi: UserApi;
  readonly calls: ProjectCalls;
  readonly projects: { get(serviceId: string): Promise<Project | undefined> };
  readonly clock: Clock;
  readonly log: Log;
  /** How long a registered offset counts as known. */
  readonly offsetCacheMs: number;
}

/** Real milliseconds for one campaign before the next has its turn. */
const TURN_MS = 5_000;
/** How many answers are collected before they are written. */
const FLUSH = 200;
/** The longest pause after rounds that failed: 1 s, 2 s, 4 s … and then once a minute, until the look-up's deadline. */
const LONGEST_PAUSE_MS = 60_000;
/** After so many rounds in a row that failed, the log says so. */
const MANY_FAILURES = 5;
/** How soon a blocked project is tried again, in milliseconds: somebody may have started it. */
const BLOCKED_MS = 5_000;
/** The most pages of a hundred names in which a name is searched for. If it is on none of them, there is no answer about it. */
const MOST_NAME_PAGES = 5;

/** Ids of a list that one turn reads. */
const LISTED_AT_ONCE = 20_000;
/** After each failure a turn begins this share of its ids further on, so that soon every id was near the beginning. */
const STRIDE = 0.618;

/** The lease is renewed before a call once it is this old, real milliseconds: no call ends after it. */
const RENEW_MS = 30_000;

/**
 * How a turn ended. `all`: all that can be known is known. `given-up`: its time is over. `more`: ids are left. `failed`: some calls
 * failed. `blocked`: the project is blocked. `lost`: another process goes on, or nobody waits any more.
 */
type TurnEnd = 'all' | 'given-up' | 'more' | 'failed' | 'blocked' | 'lost';

export class LookUpDue {
  constructor(private readonly deps: LookUpDueDeps) {}

  /** Gives one campaign a turn. Returns 1, or 0 where none waits. */
  async runOnce(signal = new AbortController().signal): Promise<number> {
    const { database, clock } = this.deps;
    const lookup = await claimLookup(database, clock.now());
    if (lookup === undefined) return 0;
    const turn = new Turn(this.deps, lookup, signal);
    const end = await turn.run();
    if (end === 'lost') return 1;
    const { campaign } = lookup;
    const { lease } = turn;
    if (end === 'blocked') {
      // It goes on when the project is no longer blocked, and is given up only at its own give-up instant.
      const nextAt = Math.min(clock.now() + BLOCKED_MS, lookup.giveUpAt);
      await putBackLookup(database, { campaign, lease, nextAt, failures: lookup.failures });
      return 1;
    }
    const failures = end === 'failed' ? lookup.failures + 1 : 0;
    if (end === 'all' || end === 'given-up') {
      if (end === 'given-up')
        this.#warn(lookup, 'not every recipient could be looked up: the rest goes by the fallback');
      await finishLookup(database, campaign, clock.now());
      return 1;
    }
    if (failures === MANY_FAILURES)
      this.#warn(lookup, 'look-ups keep failing; they are tried until shortly before the campaign is due');
    const pauseMs =
      end === 'failed' ? Math.min(1_000 * 2 ** Math.min(lookup.failures, 10), LONGEST_PAUSE_MS) : 0;
    const nextAt = Math.min(clock.now() + pauseMs, Math.max(clock.now(), lookup.giveUpAt));
    await putBackLookup(database, { campaign, lease, nextAt, failures });
    return 1;
  }

  #warn({ campaign, serviceId }: LeasedLookup, text: string): void {
    this.deps.log.warn({ campaign, serviceId }, text);
  }
}

/** One turn of a campaign, with the answers that came in it. */
class Turn {
  readonly #endsAt: number;
  readonly #learned: RegisteredOffset[] = [];
  #asked: number;
  /** How many answers are not written to the database yet. */
  #unnoted = 0;
  #lease: string;
  /** When the lease was taken or renewed. */
  #leasedAt: number;

  constructor(
    private readonly deps: LookUpDueDeps,
    private readonly lookup: LeasedLookup,
    private readonly signal: AbortSignal,
  ) {
    this.#asked = lookup.asked;
    this.#lease = lookup.lease;
    this.#leasedAt = deps.clock.elapsed();
    this.#endsAt = this.#leasedAt + TURN_MS;
  }

  /** The name of its lease. */
  get lease(): string {
    return this.#lease;
  }

  async run(): Promise<TurnEnd> {
    const { database, projects, calls } = this.deps;
    const { campaign: id, serviceId } = this.lookup;
    const campaign = await campaignLookedUpFor(database, id);
    const project = await projects.get(serviceId);
    if (campaign === undefined) {
      // The campaign was cancelled or planned meanwhile.
      await closeLookups(database, [id]);
      return 'all';
    }
    if (project === undefined || this.#isOver) return 'given-up';
    const census = censusOf(campaign, project);
    const asksForIds = census === undefined && mayAskForIds(campaign);
    if ((await calls.heldBack(serviceId, 'look-up')) !== undefined) {
      // Names alone are not worth waiting for.
      return census === undefined && !asksForIds ? 'all' : 'blocked';
    }
    await this.#askNames(campaign);
    if (!(await this.#isOurs())) return 'lost';
    if (census !== undefined) return this.#count(project, census.channelName);
    return asksForIds ? this.#ask(project, campaign) : this.#end('all');
  }

  get #isOver(): boolean {
    return this.deps.clock.now() >= this.lookup.giveUpAt;
  }

  /** Asks whether the gateway knows the campaign's names, each once: a warning is not worth a longer wait. */
  async #askNames(campaign: Campaign): Promise<void> {
    const { database, clock } = this.deps;
    const { serviceId, openedAt: since } = this.lookup;
    const asks = [{ serviceId, names: gatewayNames(campaign), since }];
    const [names] = await readNames(database, asks, clock.now());
    for (const name of names?.unasked ?? []) {
      const known = await this.#isNameKnown(name);
      if (known === undefined) return;
      await writeName(database, serviceId, name, { known, at: clock.now() });
    }
  }

  /** Null where no answer was clear; undefined where no call can be made. */
  async #isNameKnown(name: GatewayName): Promise<boolean | null | undefined> {
    const { userApi, calls } = this.deps;
    const { serviceId } = this.lookup;
    const list = name.kind === 'channel' ? 'channels' : 'schedules';
    for (let page = 0; page < MOST_NAME_PAGES; page += 1) {
      if (this.#isOver || this.signal.aborted || !(await this.#isOurs())) return undefined;
      const called = await calls.call(serviceId, 'look-up', () => userApi[list](serviceId, name.name, page));
      if (called.kind !== 'called') return undefined;
      const answer = readNamesAnswer(called.answer, name);
      if (answer !== 'more') return answer === 'failed' ? null : answer === 'known';
    }
    return null;
  }

  /** Source 3. */
  async #count(project: Project, channelName: string | null): Promise<TurnEnd> {
    const { database, clock } = this.deps;
    const { serviceId, openedAt } = this.lookup;
    if ((await readCensus(database, serviceId, channelName, openedAt - FRESH_CENSUS_MS)) !== undefined)
      return 'all';
    const offsets = await new AskOffsets(this.deps, project).count(channelName, () => this.#isOurs());
    if (typeof offsets === 'string') return COUNT_ENDS[offsets];
    await writeCensus(database, { serviceId, channelName }, offsets, clock.now());
    return 'all';
  }

  /** Source 2: the ids that are not cached, at most `lookupMax` answers. */
  async #ask(project: Project, campaign: Campaign): Promise<TurnEnd> {
    const { clock } = this.deps;
    const { failures } = this.lookup;
    const unknown = await this.#unknown(project, campaign);
    // Ids that always fail must not keep the ids after them from being asked for. No page spans the end and the beginning of the
    // list, so that a page which fails is split.
    const start = Math.floor(((failures * STRIDE) % 1) * unknown.length);
    let missing = unknown.slice(start);
    let before = unknown.slice(0, start);
    const ask = new AskOffsets(this.deps, project);
    let failed = false;
    while (missing.length > 0) {
      const left = project.lookupMax - this.#asked;
      if (left <= 0 || this.#isOver) return this.#end('given-up');
      if (this.signal.aborted || clock.elapsed() > this.#endsAt) return this.#end('more');
      const startedAt = clock.elapsed();
      const { ends, learned, ids, worthMs } = await ask.batch(missing.slice(0, left));
      this.#asked += learned.length;
      this.#unnoted += learned.length;
      this.#learned.push(...learned);
      missing = missing.slice(ids);
      if (missing.length === 0) [missing, before] = [before, []];
      if (ends.includes('blocked')) return this.#end('blocked');
      if (ends.includes('no-turn')) return this.#end('more');
      if (ends.includes('failed')) failed = true;
      // Where all of them failed, the users are not the cause.
      if (ends.every((end) => end === 'failed')) return this.#end('failed');
      if (this.#unnoted >= FLUSH && !(await this.#note())) return 'lost';
      if (missing.length > 0) await this.#rest(startedAt + worthMs);
    }
    return this.#end(failed ? 'failed' : endOf(unknown));
  }

  #unknown(project: Project, campaign: Campaign): Promise<string[]> {
    const { database, clock, offsetCacheMs } = this.deps;
    const { serviceId, openedAt } = this.lookup;
    const since = Math.min(clock.now() - offsetCacheMs, openedAt);
    // Of a list one more, so that it is seen where some are left.
    const most = Math.min(Math.max(0, project.lookupMax - this.#asked) + 1, LISTED_AT_ONCE);
    return idsToAsk(database, campaign, { serviceId, since, most });
  }

  /** Waits until `until` on the real clock, but not beyond this turn. */
  async #rest(until: number): Promise<void> {
    const { signal } = this;
    const ms = Math.min(until, this.#endsAt) - this.deps.clock.elapsed();
    if (ms > 0) await rest(ms, undefined, { signal }).catch(() => undefined);
  }

  async #end(end: TurnEnd): Promise<TurnEnd> {
    // Often there is nothing to write, as where the campaign waits only for names.
    if (this.#unnoted === 0 || (await this.#note()) || end === 'all') return end;
    return 'lost';
  }

  /** Renews the lease after calls that took long. False where another process has it by now, or nobody waits. */
  async #isOurs(): Promise<boolean> {
    return this.deps.clock.elapsed() < this.#leasedAt + RENEW_MS || this.#note();
  }

  /** Writes the answers, and renews the lease. False where another process has it by now, or nobody waits. */
  async #note(): Promise<boolean> {
    const { database, clock } = this.deps;
    const { campaign, serviceId } = this.lookup;
    const learned = this.#learned.splice(0);
    const calls = this.#unnoted;
    this.#unnoted = 0;
    // Read before the statement that renews the lease, so that the lease ends no earlier than this process believes.
    const at = clock.elapsed();
    const lease = await database.transaction(async (sql) => {
      if (learned.length > 0) await writeOffsets(sql, serviceId, learned, clock.now());
      return noteAsked(sql, { campaign, lease: this.#lease }, calls);
    });
    if (lease === undefined) return false;
    this.#lease = lease;
    this.#leasedAt = at;
    return true;
  }
}

/** A list may have more than a turn reads. */
function endOf(unknown: readonly string[]): TurnEnd {
  return unknown.length < LISTED_AT_ONCE ? 'all' : 'more';
}

const COUNT_ENDS = { failed: 'failed', blocked: 'blocked', stopped: 'lost', 'no-turn': 'more' } as const;
