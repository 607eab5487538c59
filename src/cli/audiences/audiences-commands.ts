// The commands about users: `carillon audiences …` and `carillon recipients …`, by HTTP.
import { Option, type Command } from 'commander';
import { wholeNumber, withJson, withList } from '../shell/command-options.js';
import type { EraseOptions } from './erase-recipient.js';
import type { PutAudienceOptions } from './put-audience.js';
import type { AudienceOptions, AudiencesOptions } from './show-audiences.js';

const SERVICE = ['--service <serviceId>', 'the push project'] as const;
/** Rows of userId,zone as lists and the directory of zones take them. */
const FORMAT = new Option('--format <format>', 'csv or ndjson [by the name of the file]').choices([
  'csv',
  'ndjson',
]);

export function addAudiences(program: Command): void {
  const audiences = program.command('audiences').description('lists of users that campaigns go to');
  withList(audiences.command('list'))
    .description('print the lists of a push project')
    .requiredOption(...SERVICE)
    .action(async (options: AudiencesOptions) =>
      (await import('./show-audiences.js')).listAudiences(options),
    );
  withJson(audiences.command('put'))
    .description(
      'upload a list: rows of userId,zone as CSV, or as NDJSON where the file ends so; .gz and .zst are sent as they are',
    )
    .argument('<name>', 'its name, such as vip-2027')
    .argument('<file>', "the file; '-' is standard input")
    .requiredOption(...SERVICE)
    .option('--expires <days>', 'days for which campaigns may be published to it, 1 to 366 [90]', wholeNumber)
    .addOption(FORMAT)
    .action(async (name: string, file: string, options: PutAudienceOptions) =>
      (await import('./put-audience.js')).putAudience(name, file, options),
    );
  withJson(audiences.command('show'))
    .description('print the versions of a list, its zones, and uploads under way')
    .argument('<name>', 'its name')
    .requiredOption(...SERVICE)
    .action(async (name: string, options: AudienceOptions) =>
      (await import('./show-audiences.js')).showAudience(name, options),
    );
  withJson(audiences.command('delete'))
    .description('delete a list; open campaigns keep the version that they go to')
    .argument('<name>', 'its name')
    .requiredOption(...SERVICE)
    .action(async (name: string, options: AudienceOptions) =>
      (await import('./show-audiences.js')).deleteAudience(name, options),
    );
}

export function addRecipients(program: Command): void {
  const recipients = program.command('recipients').description('single users');
  withJson(recipients.command('erase'))
    .description("delete a user's id wherever it is kept; it cannot be undone")
    .argument('<userId>', 'the user, as campaigns name it')
    .requiredOption(...SERVICE)
    .option('--wait', 'wait until it is done, and print the certificate')
    .action(async (userId: string, options: EraseOptions) =>
      (await import('./erase-recipient.js')).eraseRecipient(userId, options),
    );
}
