// Prints a command's answer: text for people, or with --json one JSON document for programs. Never both.

export interface JsonOption {
  readonly json?: true;
}

export function print(options: JsonOption, value: unknown, human: string): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${human}\n`);
}
