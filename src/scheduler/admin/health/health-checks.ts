// The checks of /health/ready: whether this process can do its own work. A fault is only a note if it keeps sends from leaving
// elsewhere (a gateway, a stopped project, a key), or if other replicas or the next round will repair it.
import type { ClockCheck } from '../../../platform/database/clock-check.js';
import type { DatabaseGate } from '../../../platform/database/database-gate.js';
import type { DatabaseListener } from '../../../platform/database/database-listener.js';
import type { Sql } from '../../../platform/database/database.js';
import { readStandby } from '../../../platform/database/standby.js';
import {
  findingOfServices,
  type Finding,
  type Health,
  type PartialFinding,
} from '../../../platform/http/health.js';
import type { KafkaConnection } from '../../../platform/kafka/kafka.js';
import type { Loops } from '../../../platform/loops/loops.js';
import { formerKeys } from '../../../platform/secrets/reseal.js';
import type { Sealer } from '../../../platform/secrets/sealed.js';
import type { SchedulerConfig } from '../../scheduler.config.js';
import { daysFinding, goingDays, goingFinding } from '../../../platform/database/day-partitions.js';
import { isUnwatched } from '../housekeeping/report-watch.store.js';
import { callStates } from '../projects/call-state.store.js';
import { SEALED } from '../../store/project.store.js';

export interface HealthDeps {
  readonly config: SchedulerConfig;
  readonly gate: DatabaseGate;
  readonly clockCheck: ClockCheck;
  readonly listener: DatabaseListener;
  readonly loops: Loops;
  readonly kafka: KafkaConnection | undefined;
  readonly drain: { readonly begun: boolean };
  /** undefined: this process does not dispatch. */
  readonly dispatch: Gateways | undefined;
  readonly sql: Sql;
  readonly reports: { finding(): Promise<Finding> };
  readonly sealer: Sealer;
  readonly now: () => Date;
}

interface Gateways {
  unusable(): readonly { readonly serviceId: string; readonly text: string }[];
  gateways(): { readonly unreachable: readonly string[] };
}

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  STOPPED: 'stopped by hand, POST /v1/projects/{id}/start starts it',
  BAD_KEY: 'the gateway refuses its key: set one that it takes',
};

export function addHealthChecks(health: Health, deps: HealthDeps): void {
  const { config, gate, clockCheck, listener, loops, kafka, drain, dispatch, reports } = deps;
  health.add('process', () => (drain.begun ? 'it is draining and will end' : undefined));
  health.add('database', () => gate.finding());
  health.add('clock', () => clockCheck.finding());
  health.addNote('database clock', () => clockCheck.note());
  health.add('days ahead', () => daysFinding(deps.sql, deps.now(), MAKE_DAYS));
  // Notifications are a shortcut: without them the probe finds the work.
  health.addNote('notifications', () => listener.finding());
  health.addNote('loops', () => failing(loops));
  if (kafka !== undefined && (config.roles.has('accept') || config.roles.has('publish'))) {
    health.add('kafka', () => findingOfBroken(kafka.health().filter(({ ok }) => !ok)));
  }
  if (dispatch !== undefined) {
    const text = 'its push gateway cannot be reached; its sends wait';
    health.addNote('push gateways', () =>
      findingOfServices(dispatch.gateways().unreachable.map((serviceId) => ({ serviceId, text }))),
    );
  }
  if (config.reportUrl !== undefined) health.addNote('reports', () => reports.finding());
  // The database has a check of its own, so its outage is no finding here; the same below.
  health.addNote('master key', () => sealedUnderFormerKeys(deps).catch(() => undefined));
  health.addNote('report role', () => unwatchedRole(deps));
  health.addNote('standby', () => standby(deps));
  health.addNote('retention', () => dayThatWaits(deps));
  health.addNote('push projects', () => notCalled(deps));
}

const MAKE_DAYS =
  '"carillon migrate" makes those of the next days; why housekeeping did not, say its loop and the log';

async function unwatchedRole({ sql }: HealthDeps): Promise<Finding> {
  if (!(await isUnwatched(sql).catch(() => false))) return undefined;
  return 'nobody ends the queries of carillon_report that take too long: run deploy/sql/report-role.sql again';
}

async function standby({ sql }: HealthDeps): Promise<Finding> {
  const found = await readStandby(sql).catch(() => undefined);
  return found?.fault ?? found?.note;
}

async function dayThatWaits({ sql }: HealthDeps): Promise<Finding> {
  return goingFinding(await goingDays(sql).catch(() => []));
}

/** Projects that cannot be called because of a fault of ours, then those that are blocked. */
async function notCalled({ dispatch, sql, now }: HealthDeps): Promise<PartialFinding | undefined> {
  const unusable = dispatch?.unusable() ?? [];
  const states = await callStates(sql, now()).catch(() => []);
  const blocked = states.flatMap(({ serviceId, blockedCode: code }) =>
    code === null || unusable.some((one) => one.serviceId === serviceId)
      ? []
      : [
          {
            serviceId,
            text: `it is blocked (${code})${code in WHAT_TO_DO ? `, ${WHAT_TO_DO[code] ?? ''}` : ''}`,
          },
        ],
  );
  return findingOfServices([...unusable, ...blocked]);
}

/** Only a holder of all services sees the names of the rows: services and their access keys. */
async function sealedUnderFormerKeys({ sql, sealer }: HealthDeps): Promise<PartialFinding | undefined> {
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
