// What commands of several groups take: --json, options that may be given several times, whole numbers.
import { InvalidArgumentError, Option, type Command } from 'commander';

export function withJson(command: Command): Command {
  return command.option('--json', 'answer as one JSON document, for programs');
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
