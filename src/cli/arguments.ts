// How single options are read. Light: loaded for every call, --help included.
import { InvalidArgumentError } from 'commander';

/** Read where standard input is not at hand. */
export const SECRET_VARIABLE = 'CARILLON_SECRET_KEY';

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
