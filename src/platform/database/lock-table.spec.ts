import { expect, it } from 'vitest';
import { lockFinding, lockTable } from './lock-table.js';

it.each([
  // days, relations of one, per transaction, connections → needed, wanted
  [97, 15, 64, 100, 11_640, 128],
  [97, 15, 128, 100, 11_640, 128],
  [97, 15, 64, 200, 11_640, 64],
  [38, 15, 64, 100, 4_560, 64],
  [1_000, 15, 256, 100, 120_000, 1_216],
])(
  '%i days of %i relations, at %i for each of %i connections',
  (days, relations, per, connections, needed, wanted) => {
    const table = lockTable(days, { relations, perTransaction: per, connections });
    expect(table).toEqual({ room: per * connections, needed, perTransaction: per, wanted });
    const finding = lockFinding(table);
    expect(finding === undefined).toBe(per >= wanted);
    expect(finding ?? `set it to ${wanted}`).toContain(`set it to ${wanted}`);
    // What it says is enough.
    expect(lockFinding(lockTable(days, { relations, perTransaction: wanted, connections }))).toBeUndefined();
  },
);
