#!/usr/bin/env node
// The carillon-push command: services, keys, limits and schedules of the push service, over its management API. Prints
// JSON, so that scripts can read it. Exit codes: 0 done, 1 refused or no answer, 2 the call cannot be used.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { processEnvironment } from '../platform/env.js';
import { managementClient, type Body } from './management-client.js';
import { UsageError } from './usage-error.js';

const segment = encodeURIComponent;

async function run(method: string, path: string, body?: Body): Promise<void> {
  const answer = await managementClient(processEnvironment()).call(method, path, body);
  if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
}

/** A limit: a whole number, or "none". */
function limit(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, or none.');
  return Number(text);
}

/** Commander takes no null from a parser, so that `none` becomes one here. */
function settingsOf(options: Body): Body {
  const limits = ['ratePerSecond', 'rateBurst', 'quotaPerDay'].filter((name) => options[name] === 'none');
  return { ...options, ...Object.fromEntries(limits.map((name) => [name, null])) };
}

function flag(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.');
  return text === 'true';
}

/** What a service may be given; options that are not given are left out of the request. */
function withSettings(command: Command): Command {
  return command
    .option('--description <text>')
    .option('--zone <name>', 'zone of the date-times in answers')
    .addOption(
      new Option('--answer-times <form>', 'date-times without or with an offset').choices([
        'local',
        'offset',
      ]),
    )
    .option('--api-key-required <flag>', 'true or false', flag)
    .option('--strict-options <flag>', 'true or false: refuse options no provider knows', flag)
    .option('--rate-per-second <n>', 'requests a second of each access key, or none', limit)
    .option('--rate-burst <n>', 'requests at once, or none', limit)
    .option('--quota-per-day <n>', 'requests of a day (UTC) of all keys, or none', limit);
}

const services = new Command('service').description('the projects of the interface');
withSettings(services.command('create'))
  .description('make a service; prints the first key pair of a new account, the secret for this once')
  .option('--service-id <id>')
  .option('--account-id <id>', 'an account whose keys may use it')
  .action((options: Body) => run('POST', '/v1/services', settingsOf(options)));
services.command('list').action(() => run('GET', '/v1/services'));
services.command('show <serviceId>').action((id: string) => run('GET', `/v1/services/${segment(id)}`));
withSettings(services.command('change <serviceId>'))
  .description('change settings and limits')
  .action((id: string, options: Body) => run('PATCH', `/v1/services/${segment(id)}`, settingsOf(options)));
services
  .command('suspend <serviceId>')
  .description('answer 403 to every request')
  .action((id: string) => run('PATCH', `/v1/services/${segment(id)}`, { suspended: true }));
services
  .command('resume <serviceId>')
  .action((id: string) => run('PATCH', `/v1/services/${segment(id)}`, { suspended: false }));
services
  .command('remove <serviceId>')
  .description('remove it with its users, channels, messages and schedules, for ever')
  .action((id: string) => run('DELETE', `/v1/services/${segment(id)}`));

const keys = new Command('key').description('access keys: at most two an account');
keys
  .command('create <accountId>')
  .action((id: string) => run('POST', `/v1/accounts/${segment(id)}/access-keys`));
keys
  .command('list <accountId>')
  .action((id: string) => run('GET', `/v1/accounts/${segment(id)}/access-keys`));
keys
  .command('enable <accessKey>')
  .action((key: string) => run('PATCH', `/v1/access-keys/${segment(key)}`, { enabled: true }));
keys
  .command('disable <accessKey>')
  .action((key: string) => run('PATCH', `/v1/access-keys/${segment(key)}`, { enabled: false }));
keys.command('delete <accessKey>').action((key: string) => run('DELETE', `/v1/access-keys/${segment(key)}`));

const apiKeys = new Command('api-key').description('API keys of a service: primary and secondary');
const apiKeyPath = (id: string, slot: string): string =>
  `/v1/services/${segment(id)}/api-keys/${segment(slot)}`;
apiKeys
  .command('list <serviceId>')
  .action((id: string) => run('GET', `/v1/services/${segment(id)}/api-keys`));
apiKeys
  .command('make <serviceId> <slot>')
  .description('a new key in the place of the old one; shown this once')
  .action((id: string, slot: string) => run('PUT', apiKeyPath(id, slot)));
apiKeys
  .command('activate <serviceId> <slot>')
  .action((id: string, slot: string) => run('PATCH', apiKeyPath(id, slot), { active: true }));
apiKeys
  .command('deactivate <serviceId> <slot>')
  .action((id: string, slot: string) => run('PATCH', apiKeyPath(id, slot), { active: false }));
apiKeys
  .command('delete <serviceId> <slot>')
  .action((id: string, slot: string) => run('DELETE', apiKeyPath(id, slot)));

const schedules = new Command('schedule').description('schedules that messages are registered under');
const schedulesPath = (id: string): string => `/v1/services/${segment(id)}/schedules`;

function withTimes(command: Command): Command {
  return command
    .requiredOption('--schedule-time <HH:mm>')
    .option('--schedule-time-zone <name>', 'an IANA name, or LOCALTIME for each user’s own clock')
    .option('--schedule-desc <text>')
    .option('--start-date <yyyy-MM-dd>')
    .option('--end-date <yyyy-MM-dd>')
    .option('--day-of-weeks <days...>', 'ALL, or MON TUE WED THU FRI SAT SUN');
}

withTimes(schedules.command('create <serviceId> <scheduleCode>')).action(
  (id: string, scheduleCode: string, options: Body) =>
    run('POST', schedulesPath(id), { scheduleCode, ...options }),
);
withTimes(schedules.command('change <serviceId> <scheduleCode>')).action(
  (id: string, code: string, options: Body) => run('PUT', `${schedulesPath(id)}/${segment(code)}`, options),
);
schedules.command('list <serviceId>').action((id: string) => run('GET', schedulesPath(id)));
schedules
  .command('show <serviceId> <scheduleCode>')
  .action((id: string, code: string) => run('GET', `${schedulesPath(id)}/${segment(code)}`));
schedules
  .command('delete <serviceId> <scheduleCode>')
  .action((id: string, code: string) => run('DELETE', `${schedulesPath(id)}/${segment(code)}`));

const program = new Command('carillon-push')
  .description('The push service’s services, keys, limits and schedules (MANAGEMENT_URL, MANAGEMENT_TOKEN)')
  .addCommand(services)
  .addCommand(keys)
  .addCommand(apiKeys)
  .addCommand(schedules);

/** Commander ends the process with 1 for a wrong call; ours is 2, so it is asked to throw. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride().showHelpAfterError('(add --help for what it takes)');
  for (const child of command.commands) throwInsteadOfExit(child);
}

throwInsteadOfExit(program);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
