// Moves the zone rules in force forward to those of this process, compares what is planned with them, and has the campaigns planned
// again whose instants they move. Each round is one page; a page of a process that dies is left to the next one.
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import type { Log } from '../../../platform/logging/log.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { isMoved } from '../../decide/timing/moved-times.js';
import { adoptZoneRules } from '../../store/zone-rules-in-force.store.js';
import {
  campaignsAfter,
  noteCompared,
  planMovedAgain,
  plannedTimes,
  turnToCompare,
} from './moved-campaigns.store.js';

/** Campaigns of a page. One may have some thousand cells. */
const PAGE = 50;

interface MoveZoneRulesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: ZoneRules;
  /** [50] */
  readonly page?: number;
}

export class MoveZoneRules {
  #inForce: string | undefined;

  constructor(private readonly deps: MoveZoneRulesDeps) {}

  /** Returns how many campaigns it compared or had planned again; a process with other rules than those in force does neither. */
  async runOnce(): Promise<number> {
    const { database, clock, rules, page = PAGE } = this.deps;
    const { version, comparedAt } = await adoptZoneRules(database, rules.version, clock.now());
    this.#note(version);
    if (version !== rules.version) return 0;
    const compared = comparedAt === null ? await database.transaction((sql) => this.#compare(sql, page)) : 0;
    const begun = await database.transaction((sql) => planMovedAgain(sql, new Date(clock.now()), page));
    return compared + begun;
  }

  async #compare(sql: Sql, most: number): Promise<number> {
    const { clock, rules, log } = this.deps;
    const { version } = rules;
    const turn = await turnToCompare(sql, version);
    if (turn === undefined) return 0;
    const now = new Date(clock.now());
    const page = await campaignsAfter(sql, turn.after, most);
    const times = await plannedTimes(sql, page, now);
    const moved = [...new Set(times.filter((time) => isMoved(time, rules)).map(({ campaign }) => campaign))];
    const isLast = page.length < most;
    await noteCompared(sql, { version, page, moved, isLast, now });
    if (moved.length > 0) log.info({ version, campaigns: moved.length }, 'zone rules move planned campaigns');
    return page.length;
  }

  #note(version: string): void {
    if (version === this.#inForce) return;
    this.#inForce = version;
    const { rules, log } = this.deps;
    const fields = { inForce: version, version: rules.version, source: rules.source };
    if (version === rules.version) log.info(fields, 'plans by the zone rules in force');
    else log.error(fields, 'plans nothing: other zone rules are in force');
  }
}
