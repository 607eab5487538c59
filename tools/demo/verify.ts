// Holds what the scheduler reports against what was expected, and against what the push service itself handed to
// devices. Pure: the outcome is fetched elsewhere; every difference is a sentence that names the member.
import type { Expectation } from './examples.js';

export interface ReportedCell {
  zone: string;
  sends: Readonly<Record<string, number>>;
  devices: Readonly<Record<string, number>>;
}

/** A campaign as the scheduler reports it, with the devices the push service says it served. */
export interface Outcome {
  state: string;
  modes: readonly string[];
  balanced: boolean;
  final: boolean;
  cells: readonly ReportedCell[];
  totals: Omit<ReportedCell, 'zone'>;
  /** Devices that took the message, by type, over all requests of the campaign's newest sends. */
  delivered: Readonly<Record<string, number>>;
}

function same(what: string, expected: unknown, found: unknown): string[] {
  return expected === found ? [] : [`${what}: expected ${String(expected)}, found ${String(found)}`];
}

/** The sum of counts; a missing one is none. */
export function total(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce((sum: number, count) => sum + (count ?? 0), 0);
}

/** Every difference between the expectation, the report and the deliveries; none when all three agree. */
export function differences(expectation: Expectation, outcome: Outcome): string[] {
  return [
    ...same('state', expectation.state, outcome.state),
    ...same('report balanced', true, outcome.balanced),
    ...same('report final', true, outcome.final),
    ...modeDifferences(expectation, outcome),
    ...cellDifferences(expectation, outcome),
    ...deliveryDifferences(expectation, outcome),
  ];
}

function modeDifferences(expectation: Expectation, outcome: Outcome): string[] {
  const expected = expectation.modes?.toSorted().join(', ');
  return expected === undefined ? [] : same('modes', expected, outcome.modes.toSorted().join(', '));
}

function cellDifferences(expectation: Expectation, outcome: Outcome): string[] {
  const zones = new Set([...expectation.cells, ...outcome.cells].map((cell) => cell.zone));
  return [...zones].flatMap((zone) => {
    const expected = expectation.cells.find((cell) => cell.zone === zone);
    const found = outcome.cells.filter((cell) => cell.zone === zone);
    const [cell] = found;
    if (expected === undefined) return [`${zone}: no row expected, found ${found.length}`];
    if (cell === undefined || found.length > 1) return [`${zone}: expected one row, found ${found.length}`];
    const sends = Object.entries(cell.sends).filter(([state, count]) => state !== 'planned' && count > 0);
    const states = new Set([...Object.keys(expected.sends), ...sends.map(([state]) => state)]);
    return [
      ...[...states].flatMap((state) =>
        same(`${zone}: sends ${state}`, expected.sends[state] ?? 0, cell.sends[state] ?? 0),
      ),
      ...Object.entries(expected.devices).flatMap(([term, count]) =>
        same(`${zone}: devices ${term}`, count, cell.devices[term] ?? 0),
      ),
    ];
  });
}

/** What reached devices, by type, as expected; and its sum against the report's own `sent`. */
function deliveryDifferences(expectation: Expectation, outcome: Outcome): string[] {
  const types = new Set([...Object.keys(expectation.deliveries), ...Object.keys(outcome.delivered)]);
  const expected: Readonly<Record<string, number | undefined>> = expectation.deliveries;
  return [
    ...[...types].flatMap((type) =>
      same(`deliveries to ${type}`, expected[type] ?? 0, outcome.delivered[type] ?? 0),
    ),
    ...same(
      'report: sent devices against deliveries',
      total(outcome.delivered),
      outcome.totals.devices['sent'],
    ),
    ...same('report: total of sent against its rows', outcome.totals.devices['sent'], sumOf(outcome, 'sent')),
  ];
}

function sumOf(outcome: Outcome, term: string): number {
  return outcome.cells.reduce((sum, cell) => sum + (cell.devices[term] ?? 0), 0);
}

/**
 * Requests that only one side knows of: one that the push service took and no send reports was handed over twice or
 * lost from sight; one that a send reports and the push service never took was made up.
 */
export function requestDifferences(taken: readonly string[], reported: readonly string[]): string[] {
  return [
    ...taken
      .filter((id) => !reported.includes(id))
      .map((id) => `request ${id}: taken by the push service, reported by no send`),
    ...reported
      .filter((id) => !taken.includes(id))
      .map((id) => `request ${id}: reported by a send, never taken`),
    ...reported
      .filter((id, index) => reported.indexOf(id) !== index)
      .map((id) => `request ${id}: reported by two sends`),
  ];
}
