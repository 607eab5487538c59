// How a command speaks: text for people, or one JSON document for programs with --json. Never both.
import type { Command } from 'commander';

export interface JsonOption {
  readonly json?: true;
}

export function withJson(command: Command): Command {
  return command.option('--json', 'answer as one JSON document, for programs');
}

export function print(options: JsonOption, value: unknown, human: string): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${human}\n`);
}

/** How far a long command is; never part of its answer. */
export function tell(words: string): void {
  process.stderr.write(`${words}\n`);
}
