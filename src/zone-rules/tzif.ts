// Reads one compiled zone file, TZif version 2 or later (RFC 9636). Keeps only what moves clocks. Skips abbreviations, DST flags
// and the 32-bit block.
import { DAY_MS, SECOND_MS, dateOfDays } from './civil.js';
import type { Transition, TransitionSource } from './zone-offsets.js';
import { parsePosixTz } from './posix-tz.js';

/** A file or directory does not have the content that it should have. */
export class TzifError extends Error {
  readonly code = 'TZIF_INVALID';
}

const HEADER_BYTES = 44;
const MAGIC = 'TZif';

export function isTzif(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.toString('latin1', 0, 4) === MAGIC;
}

/** Throws a TzifError for bytes that are not a TZif file, are of version 1, are cut short or count leap seconds. */
export function parseTzif(bytes: Buffer): TransitionSource {
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof TzifError) throw error;
    throw new TzifError('cut short or damaged', { cause: error });
  }
}

function parse(bytes: Buffer): TransitionSource {
  if (!isTzif(bytes)) throw new TzifError('no TZif file');
  // RFC 9636 §3: version 1 (a NUL) has only 32-bit times, and no footer with a rule for later years.
  if (bytes.readUInt8(4) < 0x32) throw new TzifError('a TZif file of version 1');
  const start = HEADER_BYTES + dataBytes(readCounts(bytes, 0), 4);
  const counts = readCounts(bytes, start);
  if (counts.leap > 0) throw new TzifError('counts leap seconds; POSIX time is needed');

  const times = start + HEADER_BYTES;
  const indexes = times + counts.time * 8;
  const types = indexes + counts.time;
  const offsetOf = (type: number): number => bytes.readInt32BE(types + type * 6) * SECOND_MS;
  const transitions: Transition[] = [];
  for (let n = 0; n < counts.time; n += 1) {
    const at = Number(bytes.readBigInt64BE(times + n * 8)) * SECOND_MS;
    transitions.push({ at, offsetMs: offsetOf(bytes.readUInt8(indexes + n)) });
  }
  const footer = bytes.toString('latin1', start + HEADER_BYTES + dataBytes(counts, 8)).trim();
  // RFC 9636 §3.2: time type 0 is in force before the first transition.
  return { initialOffsetMs: offsetOf(0), transitions, ...laterYears(transitions, footer) };
}

/** RFC 9636 §3.3: after the last transition of the table, the footer's rule applies. */
function laterYears(
  transitions: readonly Transition[],
  footer: string,
): Pick<TransitionSource, 'coveredToYear' | 'transitionsOf'> {
  const last = transitions.at(-1);
  const coveredToYear = last === undefined ? 1900 : dateOfDays(Math.floor(last.at / DAY_MS)).year;
  const rule = footer === '' ? undefined : parsePosixTz(footer).transitionsOf;
  if (rule === undefined) return { coveredToYear };
  const lastAt = last?.at ?? -Infinity;
  return { coveredToYear, transitionsOf: (year) => rule(year).filter(({ at }) => at > lastAt) };
}

/** RFC 9636 §3.1: the six counts of a header, each of 4 bytes from byte 20 on. */
function readCounts(bytes: Buffer, header: number): Record<CountName, number> {
  const counts = COUNT_NAMES.map((name, n) => [name, bytes.readUInt32BE(header + 20 + n * 4)] as const);
  return Object.fromEntries(counts) as Record<CountName, number>;
}

const COUNT_NAMES = ['isUt', 'isStandard', 'leap', 'time', 'type', 'char'] as const;
type CountName = (typeof COUNT_NAMES)[number];

/** RFC 9636 §3.2: the length of a data block whose times take `timeBytes` each. */
function dataBytes(counts: Record<CountName, number>, timeBytes: 4 | 8): number {
  return (
    counts.time * (timeBytes + 1) +
    counts.type * 6 +
    counts.char +
    counts.leap * (timeBytes + 4) +
    counts.isStandard +
    counts.isUt
  );
}
