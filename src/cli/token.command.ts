// carillon token create: a token for the API, for the first admin and for scripts.
import { Command } from 'commander';
import { collect, wholeNumber } from './arguments.js';
import type { CreateOptions } from './create-token.js';
import { withJson } from './output.js';

export function tokenCommand(): Command {
  const create = new Command('create')
    .description('make an API token; it is shown this once')
    .requiredOption(
      '--role <role>',
      'publisher, analyst, operator or admin; may be given several times',
      collect,
      [],
    )
    .requiredOption(
      '--service <serviceId>',
      "a serviceId it holds, or '*' for every; may be given several times",
      collect,
      [],
    )
    .option('--name <name>', 'shown in lists and in the audit log [cli]')
    .option('--expires <days>', 'days until it expires, 1 to 366 [90]', wholeNumber);
  return new Command('token').description('API tokens').addCommand(
    withJson(create).action(async (options: CreateOptions) => {
      const { createToken } = await import('./create-token.js');
      await createToken(options);
    }),
  );
}
