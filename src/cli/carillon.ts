#!/usr/bin/env node
// The carillon command: first start, and questions from a shell. Exit codes: 0 done, 1 it failed or something is wrong,
// 2 the call or the configuration cannot be used.
import { Command, CommanderError } from 'commander';
import { errorCode } from '../platform/error-code.js';
import { Problem } from '../platform/http/problem.js';
import { doctorCommand } from './doctor.command.js';
import { ledgerCommand } from './ledger.command.js';
import { migrateCommand } from './migrate.command.js';
import { planCommand } from './plan/plan.command.js';
import { projectCommand } from './project.command.js';
import { tokenCommand } from './token.command.js';
import { UsageError } from './usage-error.js';

const program = new Command('carillon')
  .description('Carillon, the campaign scheduler for push notifications')
  .addCommand(migrateCommand())
  .addCommand(tokenCommand())
  .addCommand(projectCommand())
  .addCommand(planCommand())
  .addCommand(doctorCommand())
  .addCommand(ledgerCommand());

throwInsteadOfExit(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Commander ends the process with 1 for a wrong call; ours is 2, so it is asked to throw. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride().showHelpAfterError('(add --help for what it takes)');
  for (const child of command.commands) throwInsteadOfExit(child);
}

function exitCodeOf(error: unknown): number {
  // Commander has written its own message already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // By its code: the class itself would load the whole configuration for every call.
  if (error instanceof UsageError || errorCode(error) === 'CONFIG_INVALID') {
    process.stderr.write(`${messageOf(error)}\n`);
    return 2;
  }
  if (error instanceof Problem) {
    const found = (error.extras.problems ?? []).map(({ pointer, text }) => `\n  - ${pointer}: ${text}`);
    process.stderr.write(`${error.message}${found.join('')}\n`);
    return 1;
  }
  process.stderr.write(`${messageOf(error)}\n`);
  return 1;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
