// carillon tz use: puts a version of the zone rules in force, after it has counted what that moves of what is planned. Writes straight
// into the database; the processes that plan by that version do the rest.
import type { Sql } from '../../platform/database/database.js';
import { processEnvironment, readConfig } from '../../platform/env.js';
import { loadZoneRules } from '../../zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { movedTimes, type MovedTime } from '../../scheduler/decide/timing/moved-times.js';
import { schedulerEnvironment } from '../../scheduler/scheduler.config.js';
import { askedTimes, type AskedTimeRow } from '../../scheduler/store/asked-time.store.js';
import { writeAudit } from '../../scheduler/store/audit.store.js';
import { useZoneRules, zoneRulesInForce } from '../../scheduler/store/zone-rules-in-force.store.js';
import { withDatabase } from '../shell/cli-database.js';
import { commandClock } from '../shell/command-clock.js';
import { shellUser } from '../shell/from-shell.js';
import { print, type JsonOption } from '../shell/output.js';
import { counted } from '../shell/text-layout.js';
import { UsageError } from '../shell/usage-error.js';
import { movedLine, movedView, rulesIn } from './moved-text.js';

export interface UseZoneRulesOptions extends JsonOption {
  /** The version of this machine; from then on newer rules of a process come into force again. */
  readonly bundled?: true;
  /** The rules in force, where this machine has others. */
  readonly from?: string;
  readonly preview?: true;
}

export async function chooseZoneRules(
  version: string | undefined,
  options: UseZoneRulesOptions,
): Promise<void> {
  if ((version === undefined) === (options.bundled === undefined))
    throw new UsageError('name a version, such as 2027b, or --bundled for that of this machine');
  const { TZDATA_DIR: directory } = readConfig(
    schedulerEnvironment.pick({ TZDATA_DIR: true }),
    processEnvironment(),
  );
  const own = loadZoneRules({ directory });
  const use = { version: version ?? own.version, chosen: version !== undefined, now: commandClock().now() };
  const { before, moved } = await withDatabase(async (sql) => {
    const inForce = (await zoneRulesInForce(sql))?.version;
    const moves = await whatMoves(sql, inForce ?? own.version, use, { own, folder: options.from });
    if (options.preview !== true) await sql.transaction((tx) => useAudited(tx, use));
    return { before: inForce ?? null, moved: moves };
  });
  const { chosen } = use;
  const shown = { before, version: use.version, chosen, changed: options.preview !== true };
  print(options, { ...shown, moved: moved?.map(movedView) ?? null }, textOf(shown, moved));
}

interface Use {
  readonly version: string;
  readonly chosen: boolean;
  readonly now: number;
}

/** undefined: one of the two versions is not here. */
async function whatMoves(
  sql: Sql,
  inForce: string,
  { version, now }: Use,
  { own, folder }: { readonly own: ZoneRules; readonly folder: string | undefined },
): Promise<MovedTime<AskedTimeRow>[] | undefined> {
  const from = rulesOf(inForce, own, folder);
  const to = rulesOf(version, own, folder);
  if (from === undefined || to === undefined) return undefined;
  return movedTimes(await askedTimes(sql, new Date(now)), from, to);
}

async function useAudited(sql: Sql, use: Use): Promise<void> {
  const { version, chosen, now } = use;
  const before = await useZoneRules(sql, use);
  await writeAudit(sql, {
    at: new Date(now),
    who: shellUser(),
    action: 'zone-rules.use',
    target: version,
    before: before && { version: before.version, chosen: before.chosen },
    after: { version, chosen },
  });
}

/** undefined: neither this machine nor the folder has that version. */
function rulesOf(version: string, own: ZoneRules, folder: string | undefined): ZoneRules | undefined {
  const other = folder === undefined ? undefined : rulesIn(folder, '--from');
  return [own, other].find((rules) => rules?.version === version);
}

function textOf(
  shown: { readonly before: string | null; readonly version: string; readonly changed: boolean },
  moved: readonly MovedTime<AskedTimeRow>[] | undefined,
): string {
  const { before, version, changed } = shown;
  const cells = (moved ?? []).reduce((sum, { asked }) => sum + asked.cells, 0);
  return [
    changed
      ? `Zone rules ${version} are in force (before: ${before ?? 'none'}). Processes with others plan nothing.`
      : `Zone rules ${before ?? 'none'} are in force, and would be ${version}.`,
    moved === undefined
      ? 'This machine lacks one of the two versions: name its folder with --from to count what moves.'
      : `That ${changed ? 'moves' : 'would move'} ${counted(cells, 'planned cell')}${cells > 0 ? ':' : '.'}`,
    ...(moved ?? []).map(movedLine),
    ...(changed ? [] : ['Nothing was changed.']),
  ].join('\n');
}
