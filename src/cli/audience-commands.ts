// The commands about users: `carillon list …` and `carillon recipient …`.
import { Option, type Command } from 'commander';
import type { EraseOptions } from './erase-recipient.js';
import type { PutListOptions } from './lists/put-list.js';
import type { ListOptions } from './lists/show-lists.js';
import { wholeNumber, withJson } from './shell/command-options.js';

export function addLists(program: Command): void {
  const list = program
    .command('list')
    .description('lists of users that campaigns go to, by HTTP (CARILLON_URL, CARILLON_TOKEN)');
  const service = ['--service <serviceId>', 'the push project'] as const;
  withJson(list.command('put'))
    .description(
      'upload a list: rows of userId,zone as CSV, or as NDJSON where the file ends so; .gz and .zst are sent as they are',
    )
    .argument('<name>', 'its name, such as vip-2027')
    .argument('<file>', "the file; '-' is standard input")
    .requiredOption(...service)
    .option('--expires <days>', 'days for which campaigns may be published to it, 1 to 366 [90]', wholeNumber)
    .addOption(
      new Option('--format <format>', 'csv or ndjson [by the name of the file]').choices(['csv', 'ndjson']),
    )
    .action(async (name: string, file: string, options: PutListOptions) =>
      (await import('./lists/put-list.js')).putList(name, file, options),
    );
  withJson(list.command('ls'))
    .description('print the lists of a push project')
    .requiredOption(...service)
    .action(async (options: ListOptions) => (await import('./lists/show-lists.js')).printLists(options));
  withJson(list.command('show'))
    .description('print the versions of a list, its zones, and uploads under way')
    .argument('<name>', 'its name')
    .requiredOption(...service)
    .action(async (name: string, options: ListOptions) =>
      (await import('./lists/show-lists.js')).showList(name, options),
    );
  withJson(list.command('delete'))
    .description('delete a list; open campaigns keep the version that they go to')
    .argument('<name>', 'its name')
    .requiredOption(...service)
    .action(async (name: string, options: ListOptions) =>
      (await import('./lists/show-lists.js')).deleteList(name, options),
    );
}

export function addRecipient(program: Command): void {
  const recipient = program.command('recipient').description('users, by HTTP (CARILLON_URL, CARILLON_TOKEN)');
  withJson(recipient.command('erase'))
    .description("delete a user's id wherever it is kept; it cannot be undone")
    .argument('<userId>', 'the user, as campaigns name it')
    .requiredOption('--service <serviceId>', 'the push project')
    .option('--wait', 'wait until it is done, and print the certificate')
    .action(async (userId: string, options: EraseOptions) =>
      (await import('./erase-recipient.js')).eraseRecipient(userId, options),
    );
}
