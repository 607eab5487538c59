// What the process itself adds, whatever its roles: what every controller may ask for, the loops of its clock and of the work
// probe, and the checks and metrics of the process as a whole.
import { daysFinding } from '../platform/database/day-partitions.js';
import { Database } from '../platform/database/database.js';
import { JoinedDatabase } from '../platform/database/request-transaction.js';
import { readStandby } from '../platform/database/standby.js';
import { Health, noteByDatabase, type HealthCheck, type PartialFinding } from '../platform/http/health.js';
import { processMetrics } from '../platform/http/metrics.js';
import { CLOCK, ZONE_RULES } from '../platform/injection-tokens.js';
import { Loops, type LoopOptions } from '../platform/loops/loops.js';
import { formerKeys } from '../platform/secrets/reseal.js';
import type { Stage } from '../platform/stage.js';
import type { Core } from './core.js';
import { SCHEDULER_CONFIG } from './scheduler.config.js';
import { ProjectStore } from './store/project.store.js';
import { SEALED } from './store/sealed-columns.js';
import { TokenStore } from './store/token.store.js';
import { WorkProbe } from './work-probe.js';

/** How often the machine's clock is compared with the database's, real milliseconds. */
const CLOCK_CHECK_MS = 10_000;
/** The roles whose loops the work probe wakes. */
const PROBED = ['plan', 'dispatch', 'follow', 'publish'] as const;

export function coreStage(core: Core): Stage {
  return {
    providers: [
      { provide: SCHEDULER_CONFIG, useValue: core.config },
      { provide: CLOCK, useValue: core.clock },
      { provide: ZONE_RULES, useValue: core.rules },
      { provide: Database, useValue: new JoinedDatabase(core.api) },
      { provide: Loops, useValue: core.loops },
      { provide: Health, useValue: core.health },
      { provide: ProjectStore, useValue: core.projects },
      { provide: TokenStore, useValue: core.tokens },
    ],
    loops: loopsOf(core),
    checks: checksOf(core),
    metrics: processMetrics(core),
  };
}

function loopsOf({ config, database: sql, clock, clockCheck, loops }: Core): LoopOptions[] {
  const ofClock = { name: 'clock', runOnce: () => clockCheck.runOnce(), idleMs: CLOCK_CHECK_MS };
  if (!PROBED.some((role) => config.roles.has(role))) return [ofClock];
  const { lookAhead, probeIdleMs: everyMs } = config;
  const probe = new WorkProbe({ sql, clock, loops, aheadMs: lookAhead.ms, everyMs });
  return [ofClock, { name: 'probe', runOnce: () => probe.runOnce(), idleMs: everyMs }];
}

const MAKE_DAYS =
  '"carillon migrate" makes those of the next days; why housekeeping did not, say its loop and the log';

/** Whether this process can do its own work. A fault that other replicas or the next round will repair is only a note. */
function checksOf(core: Core): HealthCheck[] {
  const { config, database: sql, gate, clock, clockCheck, listener, loops, kafka, drain } = core;
  const usesKafka = config.roles.has('accept') || config.roles.has('publish');
  const ofKafka: HealthCheck[] =
    kafka === undefined || !usesKafka
      ? []
      : [{ name: 'kafka', find: () => findingOfBroken(kafka.health().filter(({ ok }) => !ok)) }];
  return [
    { name: 'process', find: () => (drain.begun ? 'it is draining and will end' : undefined) },
    { name: 'database', find: () => gate.finding() },
    { name: 'clock', find: () => clockCheck.finding() },
    { name: 'database clock', isNote: true, find: () => clockCheck.note() },
    { name: 'days ahead', find: () => daysFinding(sql, new Date(clock.now()), MAKE_DAYS) },
    // Notifications are a shortcut: without them the probe finds the work.
    { name: 'notifications', isNote: true, find: () => listener.finding() },
    { name: 'loops', isNote: true, find: () => failing(loops) },
    ...ofKafka,
    noteByDatabase('master key', () => sealedUnderFormerKeys(core)),
    noteByDatabase('standby', async () => {
      const found = await readStandby(sql);
      return found.fault ?? found.note;
    }),
  ];
}

/** Only a holder of all services sees the names of the rows: services and their access keys. */
async function sealedUnderFormerKeys({ database: sql, sealer }: Core): Promise<PartialFinding | undefined> {
  const found = await formerKeys(sql, sealer, SEALED);
  if (found.length === 0) return undefined;
  return {
    whole: found.map(({ text }) => text).join('; '),
    shownTo: () => 'secrets are sealed under a former master key: a token for all services sees which',
  };
}

function failing(loops: Loops): PartialFinding | undefined {
  return findingOfBroken(
    loops.status().flatMap(({ name, lastError: detail }) => (detail === undefined ? [] : [{ name, detail }])),
  );
}

/** Only a holder of all services sees the details: an error's text may name something of any service. */
function findingOfBroken(
  broken: readonly { readonly name: string; readonly detail: string }[],
): PartialFinding | undefined {
  if (broken.length === 0) return undefined;
  return {
    whole: broken.map(({ name, detail }) => `${name}: ${detail}`).join('; '),
    shownTo: () => `${broken.map(({ name }) => name).join(', ')}: the log says why`,
  };
}
