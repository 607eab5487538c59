// Options that restrict a list, each with the parameter of the API that it stands for.
import { Option, type Command } from 'commander';

export interface Filter {
  readonly flags: string;
  readonly text: string;
  /** Of the API. */
  readonly parameter: string;
}

export function withFilters(command: Command, filters: readonly Filter[]): Command {
  for (const { flags, text } of filters) command.addOption(new Option(flags, text));
  return command;
}

/** The parameters of the options that were given. */
export function askedFor(filters: readonly Filter[], options: object): Record<string, string> {
  const given = { ...options } as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(
    filters.flatMap(({ flags, parameter }) => {
      const value = given[new Option(flags).attributeName()];
      return value === undefined ? [] : [[parameter, value]];
    }),
  );
}

export const OF_SERVICE: Filter = {
  flags: '--service <serviceId>',
  text: 'only of this push project [all that the token holds]',
  parameter: 'serviceId',
};
export const SINCE_UNTIL: readonly [from: Filter, to: Filter] = [
  { flags: '--from <instant>', text: 'at or after this, such as 2027-03-01T00:00:00Z', parameter: 'from' },
  { flags: '--to <instant>', text: 'before this', parameter: 'to' },
];
