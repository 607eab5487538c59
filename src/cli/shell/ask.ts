// Asks y/N before a command changes many things, on the terminal, so that standard output stays what is printed.
import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.js';

/** Whether the caller agrees: `--yes`, or y. Throws a UsageError where there is neither `--yes` nor a terminal to ask on. */
export async function agreed(question: string, yes: true | undefined): Promise<boolean> {
  if (yes === true) return true;
  if (!process.stdin.isTTY) throw new UsageError('nobody can be asked here: add --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
