// Which planned wall times other zone rules would turn into other instants (planning.md §8). Pure.
import { parseLocal } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import { zoneTable } from '../audience/zone-by-name.js';
import type { DstPolicy } from './campaign-policy.js';
import { readBack, resolveLocal } from './local-time.js';

/** Cells that ask for one wall time in one zone under one policy. */
export interface AskedTime {
  readonly zone: string;
  /** `2027-03-01T09:00` */
  readonly local: string;
  readonly dst: DstPolicy;
}

export interface MovedTime<Asked extends AskedTime> {
  readonly asked: Asked;
  /** undefined: these rules do not know the zone. */
  readonly before: EpochMs | undefined;
  readonly after: EpochMs | undefined;
}

/** In the order given. A fixed offset never moves. */
export function movedTimes<Asked extends AskedTime>(
  asked: readonly Asked[],
  before: ZoneRules,
  after: ZoneRules,
): MovedTime<Asked>[] {
  return asked
    .map((one) => ({ asked: one, before: instantBy(one, before), after: instantBy(one, after) }))
    .filter((one) => one.before !== one.after);
}

function instantBy({ zone, local, dst }: AskedTime, rules: ZoneRules): EpochMs | undefined {
  const table = zoneTable(zone, rules);
  const wall = parseLocal(local);
  return table === undefined || wall === undefined ? undefined : resolveLocal(wall, table, dst).instant;
}

/** A cell as it was planned, perhaps by other rules. */
export interface PlannedTime extends Omit<AskedTime, 'local'> {
  /** null: it was moved to a later day, so only its reading is compared. */
  readonly local: string | null;
  readonly intendedAt: EpochMs;
  readonly dueAt: EpochMs;
  /** The zone's offset at its due: `+09:00`. */
  readonly offset: string;
}

/**
 * Whether these rules plan the cell otherwise: its wall time is another instant, or the zone's clock shows something else at its due,
 * after a deferral too. A zone that they do not know stays as it is.
 */
export function isMoved(
  { zone, local, dst, intendedAt, dueAt, offset }: PlannedTime,
  rules: ZoneRules,
): boolean {
  const table = zoneTable(zone, rules);
  if (table === undefined) return false;
  if (readBack(dueAt, table).offset !== offset) return true;
  return local !== null && instantBy({ zone, local, dst }, rules) !== intendedAt;
}
