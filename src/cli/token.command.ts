// carillon token create: a token for the API, straight into the database, for the first admin and for scripts.
import { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { ChangeToken, tokenBody } from '../scheduler/admin/change-token.js';
import { TokenStore } from '../scheduler/store/token.store.js';
import { collect, fromShell, wholeNumber } from './arguments.js';
import { withDatabase } from './cli-database.js';
import { print, withJson, type JsonOption } from './output.js';
import { shellUser } from './shell-user.js';

interface CreateOptions extends JsonOption {
  readonly name?: string;
  readonly role: readonly string[];
  readonly service: readonly string[];
  readonly expires?: number;
}

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
  return new Command('token')
    .description('API tokens')
    .addCommand(withJson(create).action((options: CreateOptions) => createToken(options)));
}

async function createToken(options: CreateOptions): Promise<void> {
  const body = fromShell(tokenBody, {
    name: options.name ?? 'cli',
    roles: options.role,
    serviceIds: options.service,
    ...(options.expires !== undefined && { expiresInDays: options.expires }),
  });
  const clock = new SystemClock();
  const made = await withDatabase((dataSource) =>
    new ChangeToken(dataSource, new TokenStore(dataSource, clock), clock).create(body, shellUser()),
  );
  print(
    options,
    made,
    `${made.token}\n\n${made.roles.join(', ')} for ${made.serviceIds.join(', ')}, until ${made.expiresAt}. It is not shown again.`,
  );
}
