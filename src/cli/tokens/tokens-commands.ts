// The commands about API tokens: `carillon tokens …`, by HTTP; the first is made in the database.
import type { Command } from 'commander';
import { several, wholeNumber, withJson, withList } from '../shell/command-options.js';
import type { ListOptions } from '../shell/list-of.js';
import type { CreateOptions } from './create-token.js';

export function addTokens(program: Command): void {
  const tokens = program.command('tokens').description('API tokens; needs an admin of all services (*)');
  withList(tokens.command('list', { isDefault: true }))
    .description('print tokens: what each may, and when it was last used')
    .action(async (options: ListOptions) => (await import('./list-tokens.js')).listTokens(options));
  withJson(tokens.command('create'))
    .description('make an API token; it is shown this once')
    .addOption(several('--role <role>', 'publisher, analyst, operator or admin'))
    .addOption(several('--service <serviceId>', "a serviceId it holds, or '*' for every"))
    .addOption(several('--source <source>', 'events it brings over HTTP, exact or as prefix/* [any]'))
    .option(
      '--name <name>',
      'shown in lists and in the audit log; unique among live tokens [cli- and a random suffix]',
    )
    .option('--expires <days>', 'days until it expires, 1 to 366 [90]', wholeNumber)
    .option('--first', 'make it in the database of DATABASE_URL: for the first token, or where none is left')
    .action(async (options: CreateOptions) => (await import('./create-token.js')).createToken(options));
  withJson(tokens.command('revoke'))
    .description('end a token at once')
    .argument('<id>', 'of the token, as "carillon tokens" prints it')
    .action(async (id: string, options: object) =>
      (await import('./list-tokens.js')).revokeToken(id, options),
    );
}
