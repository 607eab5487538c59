#!/usr/bin/env node
// The carillon-push command, for the push service: its services, keys, limits, provider credentials and schedules, over its
// management API. Prints JSON, so that scripts can read it.
import { Option, InvalidArgumentError, type Command } from 'commander';
import { credentialOf } from './credential-file.js';
import { callManagement, type Body } from './shell/management-client.js';
import { programOf, run } from './shell/run-command.js';
import { SECRET_VARIABLE } from './shell/usage-error.js';

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

/**
 * A command that makes one request, `PATCH /v1/…`. Arguments fill the placeholders of its path by their names. Arguments without a
 * placeholder, and the options, are the body; if there are none, `fixed` is the body.
 */
function calls(group: Command, nameAndArguments: string, request: string, fixed?: Body): Command {
  const command = group.command(nameAndArguments);
  const [method = '', path = ''] = request.split(' ');
  return command.action(async () => {
    const given = command.registeredArguments.map((one, at) => [one.name(), command.args[at] ?? ''] as const);
    const further = given.filter(([name]) => !path.includes(`<${name}>`));
    const hasBody = command.options.length + further.length > 0;
    const body = hasBody ? { ...Object.fromEntries(further), ...command.opts<Body>() } : fixed;
    const answer = await callManagement(method, filled(path, Object.fromEntries(given)), body);
    if (answer !== undefined) printJson(answer);
  });
}

function filled(path: string, gaps: Readonly<Record<string, string>>): string {
  return path.replaceAll(/<(\w+)>/g, (_, name: string) => encodeURIComponent(gaps[name] ?? ''));
}

function printJson(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
}

/** The settings of a service; options that are not given are left out of the request. */
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
withSettings(calls(services, 'create', `POST ${SERVICES}`))
  .description(
    'make a service; prints the first key pair of a new account, whose secret is shown only this once',
  )
  .option('--service-id <id>')
  .option('--account-id <id>', 'an account whose keys may use it');
calls(services, 'list', `GET ${SERVICES}`);
calls(services, 'show <serviceId>', `GET ${SERVICE}`);
withSettings(calls(services, 'change <serviceId>', `PATCH ${SERVICE}`)).description(
  'change settings and limits',
);
calls(services, 'suspend <serviceId>', `PATCH ${SERVICE}`, { suspended: true }).description(
  'answer 403 to every request',
);
calls(services, 'resume <serviceId>', `PATCH ${SERVICE}`, { suspended: false });
calls(services, 'remove <serviceId>', `DELETE ${SERVICE}`).description(
  'remove it with its users, channels, messages and schedules, for ever',
);
calls(services, 'totals <serviceId> <from> <to>', `GET ${SERVICE}/totals?from=<from>&to=<to>`).description(
  'the messages it took by UTC day, before <to>, and what became of them; at most 31 days',
);

const MESSAGES = `${SERVICE}/messages`;
const messages = program.command('messages').description('the messages that a service took');
messages
  .command('list <serviceId>')
  .description(
    'newest first, by default of the last day: when, under which key, by which access key, to whom, and its state',
  )
  .option('--from <instant>', 'from this instant on, such as 2026-11-16T00:00:00Z')
  .option('--to <instant>', 'before this instant')
  .option('--key <key>', 'the message under this Idempotency-Key')
  .option('--q <text>', 'a part of the request')
  .option('--before <requestId>', 'the next page: nextBefore of the last one')
  .option('--limit <n>', 'at most so many, 1 to 100')
  .action(async (serviceId: string, query: Record<string, string>) => {
    const path = `${filled(MESSAGES, { serviceId })}?${new URLSearchParams(query).toString()}`;
    printJson(await callManagement('GET', path));
  });

calls(messages, 'show <serviceId> <requestId>', `GET ${MESSAGES}/<requestId>`).description(
  'a message with the request as it is kept, and what became of it so far',
);

calls(
  program.command('users').description('the users that registered'),
  'show <serviceId> <userId>',
  `GET ${SERVICE}/users/<userId>`,
).description('consents, offset and devices of a user: why somebody got nothing');

program
  .command('status')
  .description(
    'say whether the push service is well; exit code 0: it is, 1: something is wrong, 2: it does not answer',
  )
  .option('--json', 'the whole answer')
  .action(async (options: { json?: true }) =>
    (await import('./push/push-status.js')).printPushStatus(options),
  );

program
  .command('sign-check [file]')
  .description(
    'say what is wrong with a signed request: clock, key, path or signature. Reads its head, as sent or as curl -v shows it, from ' +
      `a file or standard input; the secret key from ${SECRET_VARIABLE}. Exit code 1 if something is wrong`,
  )
  .action(async (file?: string) => (await import('./push/print-sign-check.js')).printSignCheck(file));

const keys = program.command('key').description('access keys: at most two an account');
calls(keys, 'create <accountId>', `POST ${ACCOUNT_KEYS}`);
calls(keys, 'list <accountId>', `GET ${ACCOUNT_KEYS}`);
calls(keys, 'enable <accessKey>', `PATCH ${ACCESS_KEY}`, { enabled: true });
calls(keys, 'disable <accessKey>', `PATCH ${ACCESS_KEY}`, { enabled: false });
calls(keys, 'delete <accessKey>', `DELETE ${ACCESS_KEY}`);

const apiKeys = program.command('api-key').description('API keys of a service: primary and secondary');
calls(apiKeys, 'list <serviceId>', `GET ${API_KEYS}`);
calls(apiKeys, 'make <serviceId> <slot>', `PUT ${API_KEY}`).description(
  'replace the key with a new one, which is shown only this once',
);
calls(apiKeys, 'activate <serviceId> <slot>', `PATCH ${API_KEY}`, { active: true });
calls(apiKeys, 'deactivate <serviceId> <slot>', `PATCH ${API_KEY}`, { active: false });
calls(apiKeys, 'delete <serviceId> <slot>', `DELETE ${API_KEY}`);

const credentials = program
  .command('credential')
  .description('the credentials with which FCM and APNs are called');
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
    printJson(await callManagement('PUT', filled(CREDENTIAL, { serviceId, kind }), body));
  });
calls(credentials, 'list <serviceId>', `GET ${CREDENTIALS}`);
credentials
  .command('check <serviceId> <kind>')
  .description('ask the provider whether it takes the credential; exit code 1 if not')
  .action(async (serviceId: string, kind: string) => {
    const answer = await callManagement('POST', `${filled(CREDENTIAL, { serviceId, kind })}/check`);
    const { checkGood, checkSays } = answer as { checkGood: boolean; checkSays: string };
    process.stdout.write(`${checkSays}\n`);
    if (!checkGood) process.exitCode = 1;
  });
calls(credentials, 'remove <serviceId> <kind>', `DELETE ${CREDENTIAL}`);

const schedules = program.command('schedule').description('schedules that messages are registered under');
withTimes(calls(schedules, 'create <serviceId> <scheduleCode>', `POST ${SCHEDULES}`));
withTimes(calls(schedules, 'change <serviceId> <scheduleCode>', `PUT ${SCHEDULE}`));
calls(schedules, 'list <serviceId>', `GET ${SCHEDULES}`);
calls(schedules, 'show <serviceId> <scheduleCode>', `GET ${SCHEDULE}`);
calls(schedules, 'delete <serviceId> <scheduleCode>', `DELETE ${SCHEDULE}`);

await run(program);
