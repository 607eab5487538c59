// Lengths of time in at most two units: 8 ms, 1.3 s, 2 min 05 s, 3 h 10 min, 2 d 4 h. Pure.

export const LENGTH_UNITS = ['ms', 's', 'min', 'h', 'd'] as const;
export type LengthUnit = (typeof LENGTH_UNITS)[number];

export interface LengthPart {
  readonly unit: LengthUnit;
  /** As it is shown: `05` beside minutes. */
  readonly value: string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Of a length in milliseconds; the sign is dropped. */
export function lengthParts(length: number): readonly LengthPart[] {
  const ms = Math.abs(length);
  if (ms < SECOND_MS) return [{ unit: 'ms', value: String(Math.round(ms)) }];
  if (ms < 10 * SECOND_MS) return [{ unit: 's', value: (Math.floor(ms / 100) / 10).toFixed(1) }];
  if (ms < MINUTE_MS) return [{ unit: 's', value: String(Math.floor(ms / SECOND_MS)) }];
  if (ms < HOUR_MS) return twoOf(ms, ['min', MINUTE_MS], ['s', SECOND_MS]);
  if (ms < DAY_MS) return twoOf(ms, ['h', HOUR_MS], ['min', MINUTE_MS]);
  return twoOf(ms, ['d', DAY_MS], ['h', HOUR_MS]);
}

function twoOf(
  ms: number,
  [large, largeMs]: readonly [LengthUnit, number],
  [small, smallMs]: readonly [LengthUnit, number],
): readonly LengthPart[] {
  const rest = Math.floor((ms % largeMs) / smallMs);
  const first = { unit: large, value: String(Math.floor(ms / largeMs)) };
  if (rest === 0) return [first];
  return [first, { unit: small, value: small === 'h' ? String(rest) : String(rest).padStart(2, '0') }];
}
