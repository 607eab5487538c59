// The one answer to "is all well?": made from a reading and the open alerts. Pure.
import { z } from 'zod';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { Counted } from '../../../platform/http/paging.js';
import { instantText } from '../../../platform/instant.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { AlertRow } from '../alert.store.js';
import { acknowledgedView, AlertView, causeView, CauseView } from '../alert-view.js';
import { needsPerson } from '../cause.js';
import { grouped, plural } from '../figure-text.js';
import type { Found } from '../find-causes.js';
import { lastHourFrom } from '../readings/lateness.store.js';
import { MOST, type ProjectReading } from '../readings/project-readings.store.js';
import type { Reading } from '../readings/readings.js';

const instant = z.iso.datetime();
const seconds = z.number().describe('Seconds');

const Need = CauseView.extend({
  since: instant.describe('When its alert began; while there is none yet, when this was read'),
  alertId: z.uuid().nullable().describe('null: it is not an alert yet'),
  acknowledged: AlertView.shape.acknowledged,
}).meta({ id: 'StatusCause' });

const Waiting = (what: string) =>
  z.object({ sends: Counted, since: instant.nullable().describe(what), oldestSeconds: seconds.nullable() });

export const PROJECT_STATES = ['running', 'stopped', 'blocked', 'unreachable', 'in-trouble'] as const;

const ProjectStatus = z
  .object({
    serviceId: z.string(),
    state: z
      .enum(PROJECT_STATES)
      .describe('unreachable: its push service does not answer; in-trouble: it answers with errors'),
    stopped: z
      .object({ since: instant.nullable(), by: z.string().nullable(), reason: z.string().nullable() })
      .nullable(),
    blocked: z
      .object({
        code: z.string(),
        detail: z.string().nullable().describe("The gateway's own words"),
        since: instant.nullable(),
        until: instant.nullable().describe('null: until somebody starts it'),
      })
      .nullable(),
    unreachable: z
      .object({ since: instant, detail: z.string().nullable(), processes: count })
      .nullable()
      .describe('How many processes get no good answer from its push service, and since when the first'),
    dueNextHour: Counted,
    overdue: Waiting('When the oldest should have left').describe('Sends that should have left'),
    uncertain: Waiting('When the oldest became uncertain').describe('Sends of unknown fate'),
    failed: z
      .object({ sends: Counted, since: instant.nullable(), last: instant.nullable() })
      .describe('Sends that ended badly in the last seven days and have no newer try'),
    held: z
      .object({ reservations: Counted, next: instant.nullable().describe('When the next is due') })
      .describe('What the push service holds'),
    lateness: z
      .object({ from: instant, sends: count, p99Ms: z.number().nullable() })
      .describe('Of immediate sends that were due since the hour before this one began'),
  })
  .meta({ id: 'ProjectStatus' });
type ProjectStatus = z.output<typeof ProjectStatus>;

const SystemStatus = z.object({
  loops: listOf(z.object({ name: z.string(), ok: z.boolean(), error: z.string().nullable() })).describe(
    'Of the process that answers; the errors only for a token for all services',
  ),
  kafka: listOf(z.object({ topic: z.string(), partition: z.int(), lag: count }))
    .nullable()
    .describe('Records that wait in each partition; null: there are no brokers, or they do not answer'),
  outbox: z.object({ waiting: Counted, oldestSeconds: seconds.nullable() }).describe('Dead letters'),
  outcomes: listOf(z.object({ consumer: z.string(), behindSeconds: seconds })).describe(
    'How far each consumer of the log of outcomes is behind',
  ),
  daysAhead: z.int().describe('Days ahead that have partitions'),
  daysUntilDiskFull: z.int().nullable().describe('null: DATABASE_DISK_GB is not set, or nothing grows'),
  replicas: z.object({ live: count, unheard: count }).describe('Processes that dispatch'),
  zoneRules: z.object({ version: z.string(), yearsBehind: z.int().nullable() }),
  webhooksFailing: listOf(z.object({ id: z.string(), since: instant })).describe(
    'Webhooks that nothing has reached for a day; only for a token for all services',
  ),
});
export type SystemStatus = z.output<typeof SystemStatus>;

export const Status = z
  .object({
    asOf: instant,
    well: z.boolean().describe('Nothing needs a person'),
    sentence: z.string(),
    needs: listOf(Need).describe('What needs a person, the most severe first'),
    notes: listOf(Need).describe('What somebody should know, and need not act on'),
    projects: listOf(ProjectStatus),
    system: SystemStatus,
  })
  .meta({ id: 'Status' });
export type Status = z.output<typeof Status>;

export interface StatusFacts {
  readonly reading: Reading;
  readonly found: readonly Found[];
  readonly alerts: readonly AlertRow[];
  readonly loops: SystemStatus['loops'];
  readonly webhooksFailing: SystemStatus['webhooksFailing'];
}

/** For a reader who holds these services: causes of the whole installation concern everybody. */
export function statusOf(
  { reading, found, alerts, loops, webhooksFailing }: StatusFacts,
  holds: (serviceId: string) => boolean,
): Status {
  const projects = reading.projects.filter(({ serviceId }) => holds(serviceId));
  const causes = found
    .filter(({ serviceId }) => serviceId === null || holds(serviceId))
    .map((one) => needOf(one, alerts, reading.at))
    .toSorted((a, b) => rank(a) - rank(b));
  const needs = causes.filter(({ cause }) => needsPerson(cause));
  const notes = causes.filter(({ cause }) => !needsPerson(cause));
  return {
    asOf: instantText(reading.at),
    well: needs.length === 0,
    sentence: sentenceOf(needs, projects),
    needs,
    notes,
    projects: projects.map((project) => projectOf(project, reading)),
    system: { ...systemOf(reading), loops, webhooksFailing },
  };
}

const rank = ({ severity }: z.output<typeof Need>): number => (severity === 'critical' ? 0 : 1);

function needOf(one: Found, alerts: readonly AlertRow[], at: EpochMs): z.output<typeof Need> {
  const alert = alerts.find(({ cause, serviceId }) => cause === one.cause && serviceId === one.serviceId);
  return {
    ...causeView(one),
    since: instantText(alert?.since.getTime() ?? at),
    alertId: alert?.id ?? null,
    acknowledged: alert === undefined ? null : acknowledgedView(alert),
  };
}

function sentenceOf(needs: Status['needs'], projects: readonly ProjectReading[]): string {
  if (needs.length === 0) {
    const sum = (of: (project: ProjectReading) => number): number =>
      projects.reduce((total, project) => total + of(project), 0);
    const [due, overdue] = [sum(({ dueNextHour }) => dueNextHour), sum((project) => project.overdue)];
    return `All is well: ${grouped(due)} due in the next hour, ${grouped(overdue)} late`;
  }
  const taken = needs.filter(({ acknowledged }) => acknowledged !== null).length;
  const what = needs.length === 1 ? '1 thing needs you' : `${plural(needs.length, 'thing')} need you`;
  return taken === 0 ? what : `${what}, ${taken} of them acknowledged`;
}

const counted = (value: number) => ({ value, atLeast: value >= MOST });
const textOf = (at: Date | null): string | null => (at === null ? null : instantText(at.getTime()));
const ageOf = (at: Date | null, now: EpochMs): number | null =>
  at === null ? null : Math.max(0, Math.round((now - at.getTime()) / 1_000));

function projectOf(project: ProjectReading, { at, lateOfHour }: Reading): ProjectStatus {
  const { serviceId, blockedCode, blockedDetail: detail } = project;
  const since = textOf(project.blockedSince);
  const isStopped = blockedCode === 'STOPPED';
  const trouble = (code: string) => project.troubles.find((one) => one.code === code);
  const silent = trouble('GATEWAY_UNREACHABLE');
  const troubled = silent ?? trouble('CIRCUIT_OPEN');
  const late = lateOfHour.find((one) => one.serviceId === serviceId);
  const waits = (sends: number, from: Date | null) => ({
    sends: counted(sends),
    since: textOf(from),
    oldestSeconds: ageOf(from, at),
  });
  return {
    serviceId,
    state: isStopped
      ? 'stopped'
      : blockedCode !== null
        ? 'blocked'
        : silent !== undefined
          ? 'unreachable'
          : troubled !== undefined
            ? 'in-trouble'
            : 'running',
    stopped: isStopped ? { since, by: project.blockedBy, reason: detail } : null,
    blocked:
      blockedCode === null || isStopped
        ? null
        : { code: blockedCode, detail, since, until: textOf(project.blockedUntil) },
    unreachable:
      troubled === undefined
        ? null
        : { since: troubled.since, detail: troubled.detail, processes: troubled.processes },
    dueNextHour: counted(project.dueNextHour),
    overdue: waits(project.overdue, project.overdueSince),
    uncertain: waits(project.uncertain, project.uncertainSince),
    failed: {
      sends: counted(project.failed),
      since: textOf(project.failedSince),
      last: textOf(project.failedLast),
    },
    held: { reservations: counted(project.reserved), next: textOf(project.nextReserved) },
    lateness: {
      from: instantText(lastHourFrom(at)),
      sends: late?.sends ?? 0,
      p99Ms: late === undefined ? null : Math.round(late.p99Ms),
    },
  };
}

function systemOf(reading: Reading): Omit<SystemStatus, 'loops' | 'webhooksFailing'> {
  const { at, kafka, outbox, cursors, replicas } = reading;
  return {
    kafka: kafka?.map(({ topic, partition, records }) => ({ topic, partition, lag: records })) ?? null,
    outbox: { waiting: counted(outbox.waiting), oldestSeconds: ageOf(outbox.oldestAt, at) },
    outcomes: cursors.map(({ consumer, oldestAt }) => ({
      consumer,
      behindSeconds: ageOf(oldestAt, at) ?? 0,
    })),
    daysAhead: reading.daysAhead,
    daysUntilDiskFull: reading.daysUntilFull,
    replicas: { live: replicas.live, unheard: replicas.unheard },
    zoneRules: reading.zoneRules,
  };
}
