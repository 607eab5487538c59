// The commands about profiles: `carillon login`, `logout` and `profiles …`.
import type { Command } from 'commander';
import { withJson } from '../shell/command-options.js';
import type { JsonOption } from '../shell/output.js';
import type { LoginOptions } from './login.js';

export function addLogin(program: Command): void {
  withJson(program.command('login'))
    .description(
      'keep the address and a token of a scheduler as a profile, which commands use without CARILLON_URL and CARILLON_TOKEN; ' +
        'the token is read from the terminal, or from standard input, and tried first',
    )
    .requiredOption('--url <url>', 'where the scheduler answers, such as https://carillon.example.com')
    .option('--profile <name>', 'of several schedulers or tokens', 'default')
    .action(async (options: LoginOptions) => (await import('./login.js')).login(options));
  const profiles = program.command('profiles').description('the schedulers that "carillon login" keeps');
  withJson(profiles.command('list', { isDefault: true }))
    .description('print profiles; the one with * is used, unless CARILLON_PROFILE names another')
    .action(async (options: JsonOption) => (await import('./login.js')).listProfiles(options));
  withJson(profiles.command('use'))
    .description('use this profile from now on')
    .argument('<name>', 'of the profile')
    .action(async (name: string, options: JsonOption) =>
      (await import('./login.js')).useProfile(name, options),
    );
  withJson(profiles.command('remove'))
    .description('forget a profile and its token; "carillon tokens revoke" ends the token')
    .argument('<name>', 'of the profile')
    .action(async (name: string, options: JsonOption) =>
      (await import('./login.js')).removeProfile(name, options),
    );
}
