// What commands of several groups take: --json, lists, filters, options that may be given several times, whole numbers.
import { InvalidArgumentError, Option, type Command } from 'commander';

export function withJson(command: Command): Command {
  return command.option('--json', 'answer as one JSON document, for programs');
}

/** A command that prints a list; see shell/list-of.ts. */
export function withList(command: Command, rows = 50): Command {
  return withJson(command)
    .option('--csv', 'answer as CSV, with all columns')
    .option('-q, --quiet', 'print the ids alone, one a line')
    .addOption(new Option('--limit <rows>', 'how many at most').argParser(rowsOf).default(rows));
}

function rowsOf(value: string): number {
  const rows = wholeNumber(value);
  if (rows < 1 || rows > 100_000) throw new InvalidArgumentError('It must be 1 to 100000.');
  return rows;
}

export function several(flags: string, text: string): Option {
  const collect = (value: string, before: readonly string[]): string[] => [...before, value];
  return new Option(flags, `${text}; may be given several times`).argParser(collect).default([]);
}

export function secondsBetween(value: string): number {
  const seconds = wholeNumber(value);
  if (seconds < 1 || seconds > 3_600) throw new InvalidArgumentError('It must be 1 to 3600 seconds.');
  return seconds;
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
