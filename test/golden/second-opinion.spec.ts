// Every zone, every transition of 2024 to 2032, and the wall times around each, against implementations of the tz
// database that share no line with ours.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { IcuZoneRules } from '../../src/zone-rules/zone-rules-icu.js';
import { TzifZoneRules } from '../../src/zone-rules/zone-rules-tzif.js';
import { formatLocal } from '../../src/zone-rules/civil.js';
import type { ZoneOffsets } from '../../src/zone-rules/zone-offsets.js';
import { zoneDirectories } from '../support/planning/rule-sets.js';

const FROM = Date.UTC(2024, 0, 1);
const TO = Date.UTC(2033, 0, 1);

function tableOf(rules: IcuZoneRules | TzifZoneRules, zone: string): ZoneOffsets {
  const table = rules.table(zone);
  if (table === undefined) throw new Error(`${rules.source} has no ${zone}`);
  return table;
}

/** The two instants a wall time may mean, as PEP 495 and Temporal's `earlier` and `later` give them. */
function bothInstants(table: ZoneOffsets, local: number): readonly [number, number] {
  const found = table.candidates(local);
  if (found.kind === 'unique') return [found.instant, found.instant];
  if (found.kind === 'overlap') return [found.first, found.second];
  // Before the gap's end by as much as the wall time lies before the end of the gap.
  return [found.forward, local - table.offsetAt(found.end)];
}

interface Opinion {
  readonly zone: string;
  readonly transitions: readonly (readonly [number, number])[];
  readonly walls: readonly (readonly [number, number, number])[];
}

function askPython(directory: string, zones: readonly string[]): Opinion[] | undefined {
  const script = fileURLToPath(new URL('../support/planning/second-opinion.py', import.meta.url));
  const { status, stdout, error, stderr } = spawnSync('python3', [script], {
    env: { ...process.env, PYTHONTZPATH: directory },
    input: zones.join('\n'),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined || /No module named .?zoneinfo/.test(stderr)) return undefined;
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Opinion);
}

describe.each(zoneDirectories())('the compiled zones in %s', (directory) => {
  it("agree with Python's zoneinfo, which reads the same files", ({ skip }) => {
    const rules = new TzifZoneRules(directory);
    const names = rules.names();
    const opinions = askPython(directory, names);
    // Python is no part of the project; where there is none, the polyfill below is the second opinion.
    if (opinions === undefined) {
      skip('no Python with zoneinfo on this machine');
      return;
    }
    expect(opinions.map(({ zone }) => zone)).toEqual(names);
    expect(names.length).toBeGreaterThan(400);
    for (const { zone, transitions, walls } of opinions) {
      const table = tableOf(rules, zone);
      const ours = table.between(FROM, TO).map(({ at, offsetMs }) => [at / 1_000, offsetMs / 1_000]);
      expect(ours, zone).toEqual(transitions);
      const oursOfWalls = walls.map(([local]) => [
        local,
        ...bothInstants(table, local * 1_000).map((at) => at / 1_000),
      ]);
      expect(oursOfWalls, zone).toEqual(walls);
    }
  });
});

describe('ICU', () => {
  const rules = new IcuZoneRules();
  const zones = Intl.supportedValuesOf('timeZone');

  it('agrees with a Temporal polyfill on every transition and the wall times around it', () => {
    let compared = 0;
    for (const zone of zones) {
      const table = tableOf(rules, zone);
      const theirs = temporalTransitions(zone);
      expect(
        table.between(FROM, TO).map(({ at }) => at),
        zone,
      ).toEqual(theirs);
      for (const at of theirs) {
        const sides = [table.toLocal(at - 1) + 1, table.toLocal(at)].sort((a, b) => a - b);
        const [low = 0, high = 0] = sides;
        for (const local of [low - 1_000, low, (low + high) / 2, high - 1_000, high]) {
          const wall = Temporal.PlainDateTime.from(localText(local));
          const [earlier, later] = (['earlier', 'later'] as const).map(
            (disambiguation) => wall.toZonedDateTime(zone, { disambiguation }).epochMilliseconds,
          );
          const [one, other] = bothInstants(table, local);
          // In a gap Temporal names them by instant, PEP 495 by the offset they use.
          expect([Math.min(one, other), Math.max(one, other)], `${zone} ${local}`).toEqual([earlier, later]);
          compared += 1;
        }
      }
    }
    expect(zones.length).toBeGreaterThan(400);
    expect(compared).toBeGreaterThan(5_000);
  });

  it('reads the same clock at instants between the transitions', () => {
    for (const zone of zones) {
      const table = tableOf(rules, zone);
      for (let at = FROM + 12_345_000; at < TO; at += 61 * 86_400_000) {
        const theirs = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime();
        expect(formatLocal(table.toLocal(at)), zone).toBe(theirs.toString());
      }
    }
  });
});

function temporalTransitions(zone: string): number[] {
  const found: number[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(FROM - 1).toZonedDateTimeISO(zone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= TO) return found;
    // A change of name alone moves no clock.
    if (next.offsetNanoseconds !== next.subtract({ nanoseconds: 1 }).offsetNanoseconds)
      found.push(next.epochMilliseconds);
    at = next;
  }
}

function localText(local: number): string {
  return new Date(local).toISOString().slice(0, 19);
}
