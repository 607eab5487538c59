// Reads one compiled zone file, TZif version 2 or later (RFC 9636). Only what moves clocks is kept; names of
// abbreviations, DST flags and the 32-bit block are passed over.
import { DAY_MS, SECOND_MS, dateOfDays } from './civil.js';
import type { Transition, TransitionSource } from './zone-offsets.js';
import { parsePosixTz } from './posix-tz.js';

/** A file that is not what it should be; `path` tells which. */
export class TzifError extends Error {
  readonly code = 'TZIF_INVALID';
}

const HEADER_BYTES = 44;
const MAGIC = 'TZif';

/** RFC 9636 §3.1: the six counts of a header, each of 4 bytes from byte 20 on. */
interface Counts {
  isUt: number;
  isStandard: number;
  leap: number;
  time: number;
  type: number;
  char: number;
}

export function isTzif(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.toString('latin1', 0, 4) === MAGIC;
}

/** Throws a TzifError when the bytes are no TZif file, of version 1, cut short, or count leap seconds. */
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
  // RFC 9636 §3: version 1 (a NUL) has 32-bit times only, and no footer to go on with.
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
  // RFC 9636 §3.2: time type 0 holds before the first transition.
  return { initialOffsetMs: offsetOf(0), transitions, ...goOn(transitions, footer) };
}

/** RFC 9636 §3.3: the footer's rule holds after the last transition of the table. */
function goOn(
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

function readCounts(bytes: Buffer, header: number): Counts {
  const [isUt = 0, isStandard = 0, leap = 0, time = 0, type = 0, char = 0] = [0, 1, 2, 3, 4, 5].map((n) =>
    bytes.readUInt32BE(header + 20 + n * 4),
  );
  return { isUt, isStandard, leap, time, type, char };
}

/** RFC 9636 §3.2: the length of a data block whose times take `timeBytes` each. */
function dataBytes(counts: Counts, timeBytes: 4 | 8): number {
  return (
    counts.time * (timeBytes + 1) +
    counts.type * 6 +
    counts.char +
    counts.leap * (timeBytes + 4) +
    counts.isStandard +
    counts.isUt
  );
}
