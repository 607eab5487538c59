// Runs carillon and carillon-push: a wrong call, a refusal and a fault each end with their own exit code.
import { Command, CommanderError } from 'commander';
import { errorCode, messageOf } from '../../platform/logging/error-code.js';
import { mostListed } from '../../platform/most-listed.js';
import { Problem } from '../../platform/http/problem.js';
import { UsageError } from './usage-error.js';

/** Commander ends the process with 1 for a wrong call, but our exit code is 2: so it has to throw instead. Subcommands inherit that. */
export function programOf(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .showHelpAfterError('(add --help for what it takes)');
}

/** Exit codes: 0 done, 1 it failed or something is wrong, 2 the call or the configuration cannot be used. */
export async function run(program: Command): Promise<void> {
  // Whoever reads may have seen enough: `carillon … | head`.
  process.stdout.on('error', (error) => {
    if (errorCode(error) !== 'EPIPE') throw error;
    process.exit();
  });
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    // Commander has written its own message already.
    if (!(error instanceof CommanderError)) process.stderr.write(`${textOf(error)}\n`);
  }
}

function exitCodeOf(error: unknown): number {
  // Help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // Recognized by its code: to import the class would load the whole configuration for every call.
  return error instanceof UsageError || errorCode(error) === 'CONFIG_INVALID' ? 2 : 1;
}

function textOf(error: unknown): string {
  const found = error instanceof Problem ? mostListed(error.extras.problems ?? []) : [];
  const message = messageOf(error);
  return message + found.map(({ pointer, text }) => `\n  - ${pointer}: ${text}`).join('');
}
