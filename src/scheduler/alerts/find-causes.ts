// Finds every cause that is there in a reading. Pure: alerts, status and metrics all go by what it finds.
import type { AlertLimits } from './alert-settings.js';
import { CAUSE_CODES, type CauseCode } from './cause.js';
import { plural, seconds } from './figure-text.js';
import type { LatenessReading } from './readings/lateness.store.js';
import type { ProjectReading, TroubleReading } from './readings/project-readings.store.js';
import type { Reading } from './readings/readings.js';

export interface Found {
  readonly cause: CauseCode;
  /** null: it concerns the whole installation. */
  readonly serviceId: string | null;
  /** In the unit of the cause. */
  readonly figure: number;
  /** What was found, for people. Never names a user. */
  readonly detail: string;
}

type Finding = Omit<Found, 'cause' | 'serviceId'>;
type OfProject = (project: ProjectReading, reading: Reading, limits: AlertLimits) => Finding | undefined;
type OfAll = (reading: Reading, limits: AlertLimits) => Finding | undefined;

const QUOTA = 'QUOTA_EXCEEDED';
const NO_KEY_CODES = ['BAD_KEY', 'NO_KEY', 'KEY_UNREADABLE'];
const OWN_CAUSES: readonly string[] = [QUOTA, 'STOPPED', ...NO_KEY_CODES];

const OF_PROJECT: Partial<Readonly<Record<CauseCode, OfProject>>> = {
  FAILURES: ({ failedLately }, _, { failures }) =>
    failedLately < failures
      ? undefined
      : { figure: failedLately, detail: `${plural(failedLately, 'send')} failed in the last 15 minutes` },
  UNCERTAIN: ({ uncertain, uncertainSince }, { at }, { uncertainMs }) => {
    const ageMs = uncertainSince === null ? 0 : at - uncertainSince.getTime();
    if (uncertain === 0 || ageMs < uncertainMs) return undefined;
    return {
      figure: Math.round(ageMs / 1_000),
      detail: `${plural(uncertain, 'send')} uncertain, the oldest for ${seconds(ageMs)}`,
    };
  },
  LATE: late,
  QUOTA: (project) => heldBy(project, [QUOTA]),
  KEY_REFUSED: (project) => heldBy(project, NO_KEY_CODES) ?? troubled(project, 'KEY_UNREADABLE'),
  STOPPED: (project) => heldBy(project, ['STOPPED']),
  BLOCKED: (project, { at }, { blockedMs }) => {
    const { blockedCode, blockedSince, blockedUntil } = project;
    if (blockedCode === null || OWN_CAUSES.includes(blockedCode)) return undefined;
    const lastsMs = (blockedUntil?.getTime() ?? Infinity) - Math.min(at, blockedSince?.getTime() ?? at);
    return lastsMs < blockedMs ? undefined : heldBy(project, [blockedCode]);
  },
  CIRCUIT: (project) =>
    troubleOf(project, 'GATEWAY_UNREACHABLE') === undefined ? troubled(project, 'CIRCUIT_OPEN') : undefined,
  GATEWAY_UNREACHABLE: (project) => troubled(project, 'GATEWAY_UNREACHABLE'),
  CLOCK: (project) => troubled(project, 'CLOCK_CORRECTED'),
  CREDENTIAL_MISSING: ({ serviceId }, { withoutCredential }, { credentialDevices }) => {
    const devices = withoutCredential.find((one) => one.serviceId === serviceId)?.devices ?? 0;
    if (devices < credentialDevices) return undefined;
    return {
      figure: devices,
      detail: `the push service has no provider key for ${plural(devices, 'device')}`,
    };
  },
  DEADLINE_AHEAD: ({ serviceId }, { forecast }, { deadlineRequests }) => {
    const ahead = forecast.projects.find((one) => one.serviceId === serviceId);
    if (ahead === undefined || ahead.requests < deadlineRequests) return undefined;
    const { requests, byMs, campaigns } = ahead;
    const detail = `${plural(requests, 'request')} of ${plural(campaigns, 'campaign')} will be too late, by up to ${seconds(byMs)}`;
    return { figure: requests, detail };
  },
};

const OF_ALL: Partial<Readonly<Record<CauseCode, OfAll>>> = {
  DAYS_AHEAD: ({ daysAhead }, limits) =>
    daysAhead >= limits.daysAhead
      ? undefined
      : { figure: daysAhead, detail: `partitions are there for today and ${plural(daysAhead, 'day')} more` },
  DISK: ({ daysUntilFull }, { diskDays }) =>
    daysUntilFull === null || daysUntilFull >= diskDays
      ? undefined
      : { figure: daysUntilFull, detail: `the disk is full in ${plural(daysUntilFull, 'day')} at this rate` },
  CLOCK: ({ replicas: { clockOffMs } }, { clockMs }) =>
    clockOffMs === null || clockOffMs < clockMs
      ? undefined
      : {
          figure: Math.round(clockOffMs),
          detail: `a machine's clock is ${seconds(clockOffMs)} off the database's`,
        },
  REPLICA_UNHEARD: ({ replicas: { unheard } }) =>
    unheard === 0
      ? undefined
      : { figure: unheard, detail: `${plural(unheard, 'process', 'processes')} fell silent` },
  BACKLOG: backlog,
  LEDGER_OUT_OF_BALANCE: ({ ledger: { missing, differing, detail } }, { ledgerRows }) =>
    missing + differing < ledgerRows ? undefined : { figure: missing + differing, detail },
  ZONE_RULES_OLD: ({ zoneRules: { version, yearsBehind } }, { zoneRulesYears }) =>
    yearsBehind === null || yearsBehind < zoneRulesYears
      ? undefined
      : { figure: yearsBehind, detail: `the zone rules are those of ${version}` },
};

/** In the order of the list of causes, and of services. */
export function findCauses(reading: Reading, limits: AlertLimits): Found[] {
  return CAUSE_CODES.flatMap((cause) => {
    const all = OF_ALL[cause]?.(reading, limits);
    const ofAll = all === undefined ? [] : [{ cause, serviceId: null, ...all }];
    const ofProjects = reading.projects.flatMap((project) => {
      const found = OF_PROJECT[cause]?.(project, reading, limits);
      return found === undefined ? [] : [{ cause, serviceId: project.serviceId, ...found }];
    });
    return [...ofAll, ...ofProjects, ...(cause === 'REJECTIONS' ? rejections(reading, limits) : [])];
  });
}

function late(
  project: ProjectReading,
  { at, lateLately }: Reading,
  { lateMs }: AlertLimits,
): Finding | undefined {
  // A project that is held has a cause of its own.
  if (project.blockedCode !== null || troubleOf(project, 'CIRCUIT_OPEN') !== undefined) return undefined;
  const oldestMs = project.overdueSince === null ? 0 : at - project.overdueSince.getTime();
  const lately: LatenessReading | undefined = lateLately.find(
    ({ serviceId }) => serviceId === project.serviceId,
  );
  const p99Ms = lately?.p99Ms ?? 0;
  const worstMs = Math.max(oldestMs, p99Ms);
  if (worstMs < lateMs) return undefined;
  const what =
    oldestMs >= lateMs
      ? `${plural(project.overdue, 'send')} should have left, the oldest ${seconds(oldestMs)} ago`
      : `one in a hundred sends of the last 15 minutes left ${seconds(p99Ms)} late`;
  return { figure: Math.round(worstMs / 1_000), detail: what };
}

function backlog(
  { at, outbox, cursors, kafka }: Reading,
  { backlogMs, kafkaLag }: AlertLimits,
): Finding | undefined {
  const ageMs = (since: Date | null): number => (since === null ? 0 : at - since.getTime());
  const waiting = [
    { what: `${plural(outbox.waiting, 'dead letter')} in the outbox`, ageMs: ageMs(outbox.oldestAt) },
    ...cursors.map(({ consumer, oldestAt }) => ({
      what: `outcomes for ${consumer}`,
      ageMs: ageMs(oldestAt),
    })),
  ].filter((one) => one.ageMs >= backlogMs);
  const records = (kafka ?? []).reduce((sum, partition) => sum + partition.records, 0);
  if (waiting.length === 0 && records < kafkaLag) return undefined;
  const said = waiting.map(({ what, ageMs: age }) => `${what} for ${seconds(age)}`);
  if (records >= kafkaLag) said.push(`${plural(records, 'record')} of Kafka`);
  const oldestMs = Math.max(0, ...waiting.map((one) => one.ageMs));
  return { figure: Math.round(oldestMs / 1_000), detail: `waiting: ${said.join(', ')}` };
}

function rejections({ rejections: found, projects }: Reading, limits: AlertLimits): Found[] {
  const known = new Set(projects.map(({ serviceId }) => serviceId));
  // What names no project of ours concerns nobody but the holders of everything.
  const byService = new Map<string | null, number>();
  for (const { serviceId, open } of found) {
    const of = serviceId !== null && known.has(serviceId) ? serviceId : null;
    byService.set(of, (byService.get(of) ?? 0) + open);
  }
  return [...byService].flatMap(([serviceId, open]) =>
    open < limits.rejections
      ? []
      : [
          {
            cause: 'REJECTIONS' as const,
            serviceId,
            figure: open,
            detail: `${plural(open, 'event')} refused in the last 15 minutes`,
          },
        ],
  );
}

function heldBy(
  { blockedCode, blockedDetail, overdue }: ProjectReading,
  codes: readonly string[],
): Finding | undefined {
  if (blockedCode === null || !codes.includes(blockedCode)) return undefined;
  const why = blockedDetail === null ? blockedCode : `${blockedCode}: ${blockedDetail}`;
  return {
    figure: overdue,
    detail: overdue === 0 ? why : `${why}; ${plural(overdue, 'send')} should have left`,
  };
}

function troubled(project: ProjectReading, code: string): Finding | undefined {
  const trouble = troubleOf(project, code);
  if (trouble === undefined) return undefined;
  return { figure: trouble.processes, detail: trouble.detail ?? code };
}

const troubleOf = ({ troubles }: ProjectReading, code: string): TroubleReading | undefined =>
  troubles.find((trouble) => trouble.code === code);
