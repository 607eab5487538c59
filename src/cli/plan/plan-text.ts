// A plan as text for a terminal: the facts it was planned by, the cells in order of instant with the reasons of every decision,
// then warnings, load, an explanation of the words, and totals. Pure.
import type { MinuteLoad, Plan, PlanningProject } from '../../scheduler/decide/plan/plan-types.js';
import { occurrencesText } from './plan-table.js';
import { legend } from './plan-words.js';
import { counted, utc, wrap } from '../shell/text-layout.js';

/** How many minutes of load are shown; --json has all of them. */
const MOST_MINUTES = 10;
const BAR_WIDTH = 20;

interface PlanTextFacts {
  readonly campaignId: string;
  readonly now: number;
  readonly planHash: string;
  /** Undefined: the scheduler made the plan, by its own push project. */
  readonly project: PlanningProject | undefined;
  readonly serviceId: string;
  readonly yearsBehind: number | undefined;
  /** Why this release would not take the event, though it can be planned. */
  /** Columns of the terminal. */
  readonly width: number;
}

export function planText(plan: Plan, facts: PlanTextFacts): string {
  const { width, project } = facts;
  const age =
    facts.yearsBehind === undefined ? 'age unknown' : `${counted(facts.yearsBehind, 'year')} behind`;
  const head = [
    `campaign ${facts.campaignId}, planned at ${utc(facts.now)}`,
    project === undefined
      ? `by the scheduler, for its push project ${facts.serviceId}`
      : `for a project in ${project.defaultZone}, ${counted(project.ratePerSecond, 'request')} a second, ` +
        `${counted(project.maxTo, 'userId')} in a request${project.reservations ? '' : ', no reservations'} (see --help)`,
    `zone rules ${plan.tzdata.version} (${age}) from ${plan.tzdata.source}`,
    ...zonesNotKnown(plan, project),
  ].flatMap((line) => wrap(line, width, '  '));
  if (plan.refusal !== undefined) {
    const { code, text, pointer } = plan.refusal;
    const refused = `REFUSED ${code}: ${text}${pointer === '' ? '' : ` (${pointer})`}`;
    return [...head, '', ...wrap(refused, width, '  ')].join('\n');
  }
  const warnings = plan.warnings.map(({ code, text }) => `${code}: ${text}`);
  const cells = [plan.test, ...plan.occurrences].flatMap((occurrence) => occurrence?.cells ?? []);
  return [
    ...head,
    ...occurrencesText(plan, width),
    ...section('warnings', warnings, width),
    ...section(
      `load, requests a minute${project === undefined ? '' : ` of at most ${project.ratePerSecond * 60}`}`,
      loadText(plan.load),
      width,
    ),
    ...section('words', legend(cells), width),
    '',
    ...totalsText(plan).flatMap((line) => wrap(line, width, '  ')),
    `plan hash ${facts.planHash}`,
  ].join('\n');
}

/** The lines above the table which say that zones are unknown, so that all that follows may change. */
function zonesNotKnown({ totals, warnings }: Plan, project: PlanningProject | undefined): string[] {
  const clock = project === undefined ? "the project's default zone" : project.defaultZone;
  const ask = project === undefined ? '' : '; --online asks the scheduler for them';
  if (totals.provisional > 0)
    return [
      `ZONES NOT KNOWN of ${counted(totals.provisional, 'userId')}: shown by the clock of ${clock}${ask}`,
    ];
  return warnings.some(({ code }) => code === 'OFFSETS_NOT_LOOKED_UP')
    ? [`ZONES NOT KNOWN: which offsets are in use; shown by countries and the clock of ${clock}${ask}`]
    : [];
}

function section(title: string, lines: readonly string[], width: number): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.flatMap((line) => wrap(`  ${line}`, width, '    '))];
}

/** The busiest minutes, in order of time. */
function loadText(load: readonly MinuteLoad[]): string[] {
  const busiest = load
    .toSorted((a, b) => b.requests - a.requests)
    .slice(0, MOST_MINUTES)
    .toSorted((a, b) => a.minute - b.minute);
  const most = Math.max(1, ...busiest.map(({ requests }) => requests));
  const lines = busiest.map(({ minute, requests, backlog }) => {
    const bar = '#'.repeat(Math.max(1, Math.round((requests / most) * BAR_WIDTH))).padEnd(BAR_WIDTH);
    return `${utc(minute)}  ${bar}  ${requests}${backlog > 0 ? `, ${backlog} of them later` : ''}`;
  });
  const left = load.length - MOST_MINUTES;
  return left > 0 ? [...lines, `… and ${counted(left, 'quieter minute')}`] : lines;
}

function totalsText({ totals, nextLookAt }: Plan): string[] {
  const { cells, requests, skippedRequests, expiredRequests, recipients, fallbackRecipients } = totals;
  const out = [
    ...(skippedRequests > 0 ? [`${skippedRequests} skipped`] : []),
    ...(expiredRequests > 0 ? [`${expiredRequests} expired`] : []),
  ];
  const left = out.length === 0 ? '' : ` (${out.join(', ')})`;
  const to = recipients === null ? '' : `, ${counted(recipients, 'recipient')}`;
  const fallback = fallbackRecipients ? ` (${fallbackRecipients} of them by fallback)` : '';
  return [
    `${counted(cells, 'cell')}, ${counted(requests, 'request')}${left}${to}${fallback}`,
    totals.expectedEndAt === null ? 'nothing leaves' : `expected end ${utc(totals.expectedEndAt)}`,
    ...(nextLookAt === undefined ? [] : [`further occurrences are planned from ${utc(nextLookAt)} on`]),
  ];
}
