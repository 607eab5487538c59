// A status as lines for a terminal: the sentence, what needs a person, the projects, and the rest of the installation. Pure.
import { grouped, seconds } from '../../scheduler/alerts/figure-text.js';
import type { Status } from '../../scheduler/alerts/status/status.js';
import { utc } from '../shell/text-layout.js';

type Project = Status['projects'][number];
type Cause = Status['needs'][number];
type Waiting = Project['overdue'];

export function statusText(status: Status): string {
  const { sentence, needs, notes, projects, system } = status;
  return [
    sentence,
    ...needs.flatMap(causeLines),
    ...notes.map(({ cause, serviceId, detail }) => `note ${cause}${of(serviceId)}: ${detail}`),
    ...(projects.length === 0 ? ['no push projects'] : projects.map(projectLine)),
    systemLine(system),
    ...system.loops.flatMap(({ name, ok, error }) =>
      ok ? [] : [`loop ${name} fails${error === null ? ': the log says why' : `: ${error}`}`],
    ),
    ...system.webhooksFailing.map(
      ({ id, since }) => `webhook ${id} reaches nobody since ${utc(Date.parse(since))}`,
    ),
  ].join('\n');
}

const of = (serviceId: string | null): string => (serviceId === null ? '' : ` of ${serviceId}`);

function causeLines({
  cause,
  severity,
  serviceId,
  since,
  detail,
  nextStep,
  runbook,
  acknowledged,
}: Cause): string[] {
  const taken = acknowledged === null ? '' : `, acknowledged by ${acknowledged.by}`;
  return [
    `${severity} ${cause}${of(serviceId)} since ${utc(Date.parse(since))}${taken}: ${detail}`,
    `  ${nextStep} (${runbook})`,
  ];
}

const count = ({ value, atLeast }: { value: number; atLeast: boolean }): string =>
  `${grouped(value)}${atLeast ? ' or more' : ''}`;

const waiting = (what: string, { sends, oldestSeconds }: Waiting): string[] =>
  sends.value === 0
    ? []
    : [
        `${count(sends)} ${what}${oldestSeconds === null ? '' : `, the oldest for ${seconds(oldestSeconds * 1_000)}`}`,
      ];

function projectLine(project: Project): string {
  const { serviceId, dueNextHour, overdue, uncertain, failed, held, lateness } = project;
  const next = held.next === null ? '' : `, next ${utc(Date.parse(held.next))}`;
  const facts = [
    stateOf(project),
    `${count(dueNextHour)} due in the next hour`,
    ...waiting('overdue', overdue),
    ...waiting('uncertain', uncertain),
    ...(failed.sends.value === 0 ? [] : [`${count(failed.sends)} failed in seven days`]),
    ...(held.reservations.value === 0 ? [] : [`${count(held.reservations)} reserved${next}`]),
    ...(lateness.p99Ms === null ? [] : [`99 in 100 left within ${seconds(Math.max(0, lateness.p99Ms))}`]),
  ];
  return `${serviceId}: ${facts.join('; ')}`;
}

function stateOf({ state, stopped, blocked, unreachable }: Project): string {
  const since = (at: string | null): string => (at === null ? '' : ` since ${utc(Date.parse(at))}`);
  const why = (text: string | null): string => (text === null ? '' : ` (${text})`);
  if (stopped !== null)
    return `stopped${since(stopped.since)}${stopped.by === null ? '' : ` by ${stopped.by}`}${why(stopped.reason)}`;
  if (blocked !== null) return `blocked by ${blocked.code}${since(blocked.since)}${why(blocked.detail)}`;
  if (unreachable === null) return state;
  return `${state === 'unreachable' ? 'gateway unreachable' : 'gateway in trouble'}${since(unreachable.since)}${why(unreachable.detail)}`;
}

function systemLine({
  kafka,
  outbox,
  outcomes,
  daysAhead,
  daysUntilDiskFull,
  replicas,
}: Status['system']): string {
  const lag = (kafka ?? []).reduce((sum, partition) => sum + partition.lag, 0);
  const behind = outcomes.filter(({ behindSeconds }) => behindSeconds > 0);
  return [
    `${grouped(replicas.live)} dispatching${replicas.unheard === 0 ? '' : `, ${replicas.unheard} silent`}`,
    kafka === null ? 'no Kafka' : `Kafka lag ${grouped(lag)}`,
    `outbox ${count(outbox.waiting)}`,
    ...behind.map(({ consumer, behindSeconds }) => `${consumer} ${seconds(behindSeconds * 1_000)} behind`),
    `${daysAhead} days ahead`,
    ...(daysUntilDiskFull === null ? [] : [`disk full in ${grouped(daysUntilDiskFull)} days`]),
  ].join('; ');
}
