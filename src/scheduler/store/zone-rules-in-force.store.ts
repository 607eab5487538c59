// The version of the zone rules in force (planning.md §8): one row. Every process compares its own with it before it plans.
import { firstRow, type Sql } from '../../platform/database/database.js';
import { isOlder } from '../../zone-rules/load-zone-rules.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { CHANNELS } from './channels.js';

export interface ZoneRulesInForce {
  /** As ZoneRules.version. */
  readonly version: string;
  readonly since: Date;
  /** An admin chose it: newer rules of a process do not move it. */
  readonly chosen: boolean;
  /** Null: planned cells are still compared with it. */
  readonly comparedAt: Date | null;
}

const READ = 'select version, since, chosen, compared_at as "comparedAt" from zone_rules_in_force';

/** Undefined: no process that plans has started yet. */
export function zoneRulesInForce(sql: Sql): Promise<ZoneRulesInForce | undefined> {
  return firstRow(sql, READ, []);
}

/** Whether a process with these rules may plan. `holds`: they stay in force until the caller's transaction ends. */
export async function mayPlanBy(sql: Sql, version: string, holds = false): Promise<boolean> {
  const row = await firstRow<{ version: string }>(sql, holds ? `${READ} for share` : READ, []);
  return row === undefined || row.version === version;
}

// The first rules of an installation have nothing to compare.
const BEGIN = `
insert into zone_rules_in_force (version, since, compared_at) values ($1, $2, $2) on conflict do nothing`;
// A planner that goes by the rules before holds the row until its commit: its cells are there when they are compared.
const MOVE = `
update zone_rules_in_force set version = $1, since = $2, chosen = $4, after_campaign = null, compared_at = null
 where version = $3 returning version`;

/** The rules in force once this process has been heard: its own, if these are newer and no admin chose others. */
export async function adoptZoneRules(sql: Sql, version: string, now: EpochMs): Promise<ZoneRulesInForce> {
  const at = new Date(now);
  let row = await zoneRulesInForce(sql);
  if (row === undefined) await sql.query(BEGIN, [version, at]);
  else if (!row.chosen && isOlder(row.version, version))
    await sql.query(MOVE, [version, at, row.version, false]);
  else return row;
  row = await zoneRulesInForce(sql);
  if (row === undefined) throw new Error('the row of the zone rules in force is missing');
  return row;
}

const CHOOSE = 'update zone_rules_in_force set chosen = $1';

/** An admin's choice, also of older rules. `chosen` false: newer rules of a process may move them again. */
export async function useZoneRules(
  sql: Sql,
  { version, chosen, now }: { readonly version: string; readonly chosen: boolean; readonly now: EpochMs },
): Promise<ZoneRulesInForce | undefined> {
  const before = await firstRow<ZoneRulesInForce>(sql, `${READ} for update`, []);
  const at = new Date(now);
  if (before === undefined) await sql.query(BEGIN, [version, at]);
  else if (before.version !== version) await sql.query(MOVE, [version, at, before.version, chosen]);
  await sql.query(CHOOSE, [chosen]);
  await sql.query('select pg_notify($1, $2)', [CHANNELS['zone-rules'], '']);
  return before;
}
