#!/usr/bin/env node
// The carillon-push command: services, keys, limits, provider credentials and schedules of the push service, over its
// management API. Prints JSON, so that scripts can read it.
import { Option, InvalidArgumentError, type Command } from 'commander';
import { credentialOf } from './credential-file.js';
import { callManagement, type Body } from './management-client.js';
import { programOf, run } from './run-command.js';

const SERVICES = '/v1/services';
const SERVICE = `${SERVICES}/<serviceId>`;
const ACCOUNT_KEYS = '/v1/accounts/<accountId>/access-keys';
const ACCESS_KEY = '/v1/access-keys/<accessKey>';
const API_KEYS = `${SERVICE}/api-keys`;
const API_KEY = `${API_KEYS}/<slot>`;
const CREDENTIALS = `${SERVICE}/credentials`;
const CREDENTIAL = `${CREDENTIALS}/<kind>`;
const SCHEDULES = `${SERVICE}/schedules`;
const SCHEDULE = `${SCHEDULES}/<scheduleCode>`;

/** A limit: a whole number, or "none", which JSON writes as null. */
function limit(text: string): number {
  if (text === 'none') return Number.NaN;
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, or none.');
  return Number(text);
}

function flag(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.');
  return text === 'true';
}

/** Arguments fill the gaps of `path` by their names; those without a gap, the options and `fixed` are the body. */
function calls(command: Command, method: string, path: string, fixed?: Body): void {
  command.action(async () => {
    const given = command.registeredArguments.map((one, at) => [one.name(), command.args[at] ?? ''] as const);
    const gaps = new Map(given);
    const target = filled(path, gaps);
    const further = given.filter(([name]) => !path.includes(`<${name}>`));
    const hasBody = command.options.length + further.length > 0;
    const body = hasBody ? { ...Object.fromEntries(further), ...command.opts<Body>() } : fixed;
    const answer = await callManagement(method, target, body);
    if (answer !== undefined) printJson(answer);
  });
}

function filled(path: string, gaps: ReadonlyMap<string, string>): string {
  return path.replaceAll(/<(\w+)>/g, (_, name: string) => encodeURIComponent(gaps.get(name) ?? ''));
}

function printJson(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
}

/** What a service may be given; options that are not given are left out of the request. */
function withSettings(command: Command): Command {
  const form = new Option('--answer-times <form>', 'date-times without or with an offset');
  return command
    .option('--description <text>')
    .option('--zone <name>', 'zone of the date-times in answers')
    .addOption(form.choices(['local', 'offset']))
    .option('--api-key-required <flag>', 'true or false', flag)
    .option('--strict-options <flag>', 'true or false: refuse options no provider knows', flag)
    .option('--rate-per-second <n>', 'requests a second of each access key, or none', limit)
    .option('--rate-burst <n>', 'requests at once, or none', limit)
    .option('--quota-per-day <n>', 'requests of a day (UTC) of all keys, or none', limit);
}

function withTimes(command: Command): Command {
  return command
    .requiredOption('--schedule-time <HH:mm>')
    .option('--schedule-time-zone <name>', 'an IANA name, or LOCALTIME for each user’s own clock')
    .option('--schedule-desc <text>')
    .option('--start-date <yyyy-MM-dd>')
    .option('--end-date <yyyy-MM-dd>')
    .option('--day-of-weeks <days...>', 'ALL, or MON TUE WED THU FRI SAT SUN');
}

const program = programOf(
  'carillon-push',
  'The push service’s services, keys, limits, provider credentials and schedules (MANAGEMENT_URL, MANAGEMENT_TOKEN)',
);

const services = program.command('service').description('the projects of the interface');
const create = withSettings(services.command('create'))
  .description('make a service; prints the first key pair of a new account, the secret for this once')
  .option('--service-id <id>')
  .option('--account-id <id>', 'an account whose keys may use it');
calls(create, 'POST', SERVICES);
calls(services.command('list'), 'GET', SERVICES);
calls(services.command('show <serviceId>'), 'GET', SERVICE);
const change = withSettings(services.command('change <serviceId>')).description('change settings and limits');
calls(change, 'PATCH', SERVICE);
const suspend = services.command('suspend <serviceId>').description('answer 403 to every request');
calls(suspend, 'PATCH', SERVICE, { suspended: true });
calls(services.command('resume <serviceId>'), 'PATCH', SERVICE, { suspended: false });
const remove = services
  .command('remove <serviceId>')
  .description('remove it with its users, channels, messages and schedules, for ever');
calls(remove, 'DELETE', SERVICE);
const totals = services
  .command('totals <serviceId> <from> <to>')
  .description('what it took by day of UTC, before <to>, and what became of that; at most 31 days');
calls(totals, 'GET', `${SERVICE}/totals?from=<from>&to=<to>`);

const keys = program.command('key').description('access keys: at most two an account');
calls(keys.command('create <accountId>'), 'POST', ACCOUNT_KEYS);
calls(keys.command('list <accountId>'), 'GET', ACCOUNT_KEYS);
calls(keys.command('enable <accessKey>'), 'PATCH', ACCESS_KEY, { enabled: true });
calls(keys.command('disable <accessKey>'), 'PATCH', ACCESS_KEY, { enabled: false });
calls(keys.command('delete <accessKey>'), 'DELETE', ACCESS_KEY);

const apiKeys = program.command('api-key').description('API keys of a service: primary and secondary');
calls(apiKeys.command('list <serviceId>'), 'GET', API_KEYS);
const make = apiKeys
  .command('make <serviceId> <slot>')
  .description('a new key in the place of the old one; shown this once');
calls(make, 'PUT', API_KEY);
calls(apiKeys.command('activate <serviceId> <slot>'), 'PATCH', API_KEY, { active: true });
calls(apiKeys.command('deactivate <serviceId> <slot>'), 'PATCH', API_KEY, { active: false });
calls(apiKeys.command('delete <serviceId> <slot>'), 'DELETE', API_KEY);

const credentialPath = (serviceId: string, kind: string): string =>
  filled(
    CREDENTIAL,
    new Map([
      ['serviceId', serviceId],
      ['kind', kind],
    ]),
  );
const credentials = program.command('credential').description('what FCM and APNs are sent to by');
credentials
  .command('add <serviceId> <kind>')
  .description('set up, or replace, the credential for GCM devices (fcm) or APNS devices (apns)')
  .option('--file <path>', 'the service account’s JSON, or the .p8 file; without it, standard input')
  .option('--key-id <id>', 'apns: the Key ID of the .p8 file')
  .option('--team-id <id>', 'apns: the Team ID')
  .option('--topic <bundleId>', 'apns: the bundle id of the app')
  .option('--environment <name>', 'apns: production, or sandbox for apps that Xcode installed')
  .action(async (serviceId: string, kind: string, { file, ...settings }: Body & { file?: string }) => {
    const body = await credentialOf(kind, file, settings);
    printJson(await callManagement('PUT', credentialPath(serviceId, kind), body));
  });
calls(credentials.command('list <serviceId>'), 'GET', CREDENTIALS);
credentials
  .command('check <serviceId> <kind>')
  .description('ask the provider whether it takes it; exit code 1 if not')
  .action(async (serviceId: string, kind: string) => {
    const answer = await callManagement('POST', `${credentialPath(serviceId, kind)}/check`);
    const { checkGood, checkSays } = answer as { checkGood: boolean; checkSays: string };
    process.stdout.write(`${checkSays}\n`);
    if (!checkGood) process.exitCode = 1;
  });
calls(credentials.command('remove <serviceId> <kind>'), 'DELETE', CREDENTIAL);

const schedules = program.command('schedule').description('schedules that messages are registered under');
calls(withTimes(schedules.command('create <serviceId> <scheduleCode>')), 'POST', SCHEDULES);
calls(withTimes(schedules.command('change <serviceId> <scheduleCode>')), 'PUT', SCHEDULE);
calls(schedules.command('list <serviceId>'), 'GET', SCHEDULES);
calls(schedules.command('show <serviceId> <scheduleCode>'), 'GET', SCHEDULE);
calls(schedules.command('delete <serviceId> <scheduleCode>'), 'DELETE', SCHEDULE);

await run(program);
