// carillon tz: prints the zone rules that this machine's processes plan by, and what another release would move of what is planned.
import { processEnvironment, readConfig } from '../../platform/env.js';
import { loadZoneRules, yearsBehind } from '../../zone-rules/load-zone-rules.js';
import { movedTimes } from '../../scheduler/decide/timing/moved-times.js';
import { schedulerEnvironment } from '../../scheduler/scheduler.config.js';
import { askedTimes } from '../../scheduler/store/asked-time.store.js';
import { withDatabase } from '../shell/cli-database.js';
import { commandClock } from '../shell/command-clock.js';
import { print, type JsonOption } from '../shell/output.js';
import { counted } from '../shell/text-layout.js';
import { movedLine, movedView, rulesIn } from './moved-text.js';

export interface ZoneRulesOptions extends JsonOption {
  readonly compare?: string;
}

export async function printZoneRules(options: ZoneRulesOptions): Promise<void> {
  const { TZDATA_DIR: directory } = readConfig(
    schedulerEnvironment.pick({ TZDATA_DIR: true }),
    processEnvironment(),
  );
  const rules = loadZoneRules({ directory });
  const now = commandClock().now();
  const { source, version } = rules;
  const behind = yearsBehind(version, now);
  const shown = { source, version, yearsBehind: behind ?? null };
  const line = `${version} from ${source}${behind === undefined ? '' : `, ${counted(behind, 'year')} behind`}`;
  if (options.compare === undefined) return print(options, shown, line);
  const other = rulesIn(options.compare, '--compare');
  const asked = await withDatabase((sql) => askedTimes(sql, new Date(now)));
  const moved = movedTimes(asked, rules, other);
  const compared = { source: other.source, version: other.version, wallTimes: asked.length };
  const human = [
    line,
    `compared with ${other.version} from ${other.source}: ${counted(asked.length, 'wall time')} of planned cells, of which it would move ${moved.length}`,
    ...moved.map(movedLine),
  ];
  print(options, { ...shown, compared: { ...compared, moved: moved.map(movedView) } }, human.join('\n'));
}
