// A plan for people at a terminal: the zones in order of instant, each with the reasons of its decisions, then what to
// know beside it. Every time shows which clock it is on. Pure.
import { instantText } from '../platform/instant.js';
import type { MinuteLoad, Plan, PlannedCell, PlannedOccurrence } from '../scheduler/decide/planned.js';

/** Cells shown of one occurrence, and minutes of load; --json has all of them. */
const MOST_CELLS = 60;
const MOST_MINUTES = 10;
const BAR_WIDTH = 20;

export interface PlanTextFacts {
  readonly campaignId: string;
  readonly now: number;
  readonly planHash: string;
  readonly ratePerSecond: number;
  readonly yearsBehind: number | undefined;
}

export function planText(plan: Plan, facts: PlanTextFacts): string {
  const age = facts.yearsBehind === undefined ? 'age unknown' : `${facts.yearsBehind} years behind`;
  const head = [
    `campaign ${facts.campaignId}, planned at ${utc(facts.now)}`,
    `zone rules ${plan.tzdata.version} (${age}) from ${plan.tzdata.source}`,
  ];
  if (plan.refusal !== undefined) {
    const { code, text, pointer } = plan.refusal;
    return [...head, '', `REFUSED ${code}: ${text}${pointer === '' ? '' : ` (${pointer})`}`].join('\n');
  }
  return [
    ...head,
    ...[...(plan.test === undefined ? [] : [plan.test]), ...plan.occurrences].flatMap(occurrenceText),
    ...section(
      'warnings',
      plan.warnings.map(({ code, text }) => `${code}: ${text}`),
    ),
    ...section(`load, requests a minute of at most ${facts.ratePerSecond * 60}`, loadText(plan.load)),
    '',
    ...totalsText(plan),
    `plan hash ${facts.planHash}`,
  ].join('\n');
}

/** `2027-03-01 00:00Z`, with seconds only where there are any. */
function utc(instant: number): string {
  return instantText(instant)
    .replace('T', ' ')
    .replace(/(?::00)?(?:\.000)?Z$/, 'Z');
}

function occurrenceText({ occurrence, cells, skipped }: PlannedOccurrence): string[] {
  const inOrder = cells.toSorted((a, b) => a.dueAt - b.dueAt || (a.key < b.key ? -1 : 1));
  const left = inOrder.length - MOST_CELLS;
  return [
    '',
    `occurrence ${occurrence}${skipped === undefined ? '' : `: left out, ${skipped}`}`,
    ...inColumns(inOrder.slice(0, MOST_CELLS)),
    ...(left > 0 ? [`  … and ${left} more cells (--json has them all)`] : []),
  ];
}

/** Columns as wide as they must be; the reasons of a cell follow it on a line of their own. */
function inColumns(cells: readonly PlannedCell[]): string[] {
  const head = ['due (UTC)', 'on the zone’s clock', 'zone (known from)', 'requests', 'mode'];
  const rows = cells.map((cell) => ({ columns: columnsOf(cell), reasons: reasonsOf(cell) }));
  const widths = head.map((name, index) =>
    Math.max(name.length, ...rows.map(({ columns }) => (columns[index] ?? '').length)),
  );
  const line = (columns: readonly string[]): string =>
    `  ${columns.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd();
  const indent = ' '.repeat((widths[0] ?? 0) + 4);
  return [
    line(head),
    ...rows.flatMap(({ columns, reasons }) => [
      line(columns),
      ...(reasons.length === 0 ? [] : [`${indent}${reasons.join('; ')}`]),
    ]),
  ];
}

function columnsOf(cell: PlannedCell): string[] {
  const { weekday, date, time, offset } = cell.localReading;
  const parts = [cell.deviceType, cell.country].filter((part) => part !== 'all');
  const left = cell.skipped === undefined ? (cell.expired === undefined ? undefined : 'expired') : 'skipped';
  return [
    left === undefined ? utc(cell.dueAt) : '–',
    `${weekday} ${date} ${time} ${offset}`,
    [`${cell.zone} (${cell.zoneSource})`, ...parts].join(' '),
    `${cell.chunks}${cell.recipients === undefined ? '' : ` to ${cell.recipients}`}`,
    left ?? `${cell.mode} ${cell.rule}`,
  ];
}

/** Every decision that moved the cell or took it out, in the order they were made. */
function reasonsOf(cell: PlannedCell): string[] {
  const asked = cell.askedLocal ?? 'the time';
  const dst = {
    exact: undefined,
    'moved-forward': `${asked} does not exist there: moved past the gap`,
    first: `${asked} comes twice there: the first`,
    second: `${asked} comes twice there: the second`,
    skipped: `${asked} does not exist there`,
    rejected: `${asked} falls on a DST change`,
  }[cell.dst];
  const passed = {
    'not-passed': undefined,
    skipped: 'it was over there already',
    rejected: 'it was over there already',
    'sent-now': 'it was over there already: sent now',
    'next-day': 'it was over there already: the next day',
    floored: 'it was over there already: goes with the floor zone',
  }[cell.passed.kind];
  const reasons = [
    cell.reason === 'INVALID_ZONE'
      ? 'its zone is none'
      : cell.reason === undefined
        ? undefined
        : 'nobody knows its zone',
    dst,
    passed,
    windowReason('night', cell.night.kind),
    windowReason('quiet hours', cell.quiet.kind),
    cell.jitterMs > 0 ? `jitter +${length(cell.jitterMs)}` : undefined,
    cell.paceMs > 0 ? `pace +${length(cell.paceMs)}` : undefined,
    cell.runs.length > 1 || cell.lastDueAt > cell.dueAt ? `until ${utc(cell.lastDueAt)}` : undefined,
    cell.expired === undefined ? undefined : `late by ${length(cell.expired.lateMs)}`,
    cell.skipped,
  ];
  return reasons.filter((reason) => reason !== undefined);
}

function windowReason(name: string, kind: PlannedCell['night']['kind']): string | undefined {
  const words = {
    outside: undefined,
    consented: `${name}: to those who consented`,
    deferred: `${name}: deferred to their end`,
    skipped: name,
  };
  return words[kind];
}

function length(ms: number): string {
  if (ms < 60_000) return `${ms / 1_000} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 360_000) / 10} h`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
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
  return load.length > MOST_MINUTES
    ? [...lines, `… and ${load.length - MOST_MINUTES} quieter minutes`]
    : lines;
}

function totalsText({ totals, nextLookAt }: Plan): string[] {
  const { cells, requests, skippedRequests, expiredRequests, recipients, fallbackRecipients } = totals;
  const out = [
    skippedRequests > 0 ? `${skippedRequests} skipped` : '',
    expiredRequests > 0 ? `${expiredRequests} expired` : '',
  ].filter((part) => part !== '');
  const to = recipients === null ? '' : `, ${recipients} recipients`;
  const fallback =
    fallbackRecipients === null || fallbackRecipients === 0
      ? ''
      : ` (${fallbackRecipients} of them by fallback)`;
  return [
    `${cells} cells, ${requests} requests${out.length === 0 ? '' : ` (${out.join(', ')})`}${to}${fallback}`,
    totals.expectedEndAt === null ? 'nothing leaves' : `expected end ${utc(totals.expectedEndAt)}`,
    ...(nextLookAt === undefined ? [] : [`further occurrences are planned from ${utc(nextLookAt)} on`]),
  ];
}
