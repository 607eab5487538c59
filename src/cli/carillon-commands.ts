// The commands of carillon (not carillon-push) and what each takes. The code of a command is loaded only when it is called, so that
// --help is quick.
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ActOptions } from './campaign/act-on-campaign.js';
import type { CreateOptions } from './create-token.js';
import type { EraseOptions } from './erase-recipient.js';
import type { PutListOptions } from './lists/put-list.js';
import type { ListOptions } from './lists/show-lists.js';
import type { LedgerOptions } from './ledger/print-ledger.js';
import type { JsonOption } from './shell/output.js';
import type { AlertOptions } from './operations/show-alerts.js';
import type { StatusOptions } from './operations/show-status.js';
import type { PlanOptions } from './plan/explain-plan.js';
import type { ForecastOptions } from './print-forecast.js';
import type { RetentionOptions } from './print-retention.js';
import type { AddOptions } from './projects.js';
import type { StopOptions } from './stop-projects.js';
import type { PublishOptions } from './publish/publish-events.js';
import type { ZoneRulesOptions } from './tz/print-zone-rules.js';
import { programOf } from './shell/run-command.js';
import { SECRET_VARIABLE } from './shell/usage-error.js';

export function carillon(): Command {
  const program = programOf('carillon', 'Carillon, the campaign scheduler for push notifications');
  addMigrate(program);
  addToken(program);
  addProject(program);
  addPublish(program);
  addPlan(program);
  addCampaign(program);
  addLists(program);
  addRecipient(program);
  addStatus(program);
  addAlerts(program);
  addDoctor(program);
  addForecast(program);
  addLedger(program);
  addRetention(program);
  addZoneRules(program);
  addOpenApi(program);
  return program;
}

/** Any number of processes may run it at once; one does the work. */
function addMigrate(program: Command): void {
  withJson(program.command('migrate'))
    .description('create or update the schema in the database of DATABASE_URL')
    .action(async (options: JsonOption) => (await import('./migrate.js')).migrate(options));
}

function addToken(program: Command): void {
  withJson(program.command('token').description('API tokens').command('create'))
    .description('make an API token; it is shown this once')
    .addOption(several('--role <role>', 'publisher, analyst, operator or admin'))
    .addOption(several('--service <serviceId>', "a serviceId it holds, or '*' for every"))
    .addOption(several('--source <source>', 'events it brings over HTTP, exact or as prefix/* [any]'))
    .option(
      '--name <name>',
      'shown in lists and in the audit log; unique among live tokens [cli- and a random suffix]',
    )
    .option('--expires <days>', 'days until it expires, 1 to 366 [90]', wholeNumber)
    .action(async (options: CreateOptions) => (await import('./create-token.js')).createToken(options));
}

function addProject(program: Command): void {
  const project = program.command('project').description('push projects');
  withJson(project.command('add'))
    .description(`add a push project; its secret key is read from standard input, or from ${SECRET_VARIABLE}`)
    .argument('<serviceId>', 'the push service’s id of it, and ours')
    .requiredOption('--base-url <url>', 'where its push gateway answers')
    .requiredOption('--access-key <key>', 'the access key that signs its requests')
    .addOption(several('--source <source>', 'an event source it takes over Kafka, exact or prefix/*'))
    .addOption(
      several('--set <name=value>', 'any other setting of POST /v1/projects, its value as JSON or text'),
    )
    .action(async (serviceId: string, options: AddOptions) =>
      (await import('./projects.js')).addProject(serviceId, options),
    );
  withJson(project.command('set'))
    .description('change settings of a push project')
    .argument('<serviceId>', 'the push project')
    .argument(
      '<name=value...>',
      'settings of PATCH /v1/projects/{id}, values as JSON or text, such as rejectionsTopic=shop.rejections',
    )
    .action(async (serviceId: string, given: string[], options: JsonOption) =>
      (await import('./projects.js')).setProject(serviceId, given, options),
    );
  addStops(program, project);
  addKeys(project.command('keys').description('the access keys of a push project, two at most'));
}

const STOPS = {
  stop: 'nothing is sent from then on',
  start: 'what was held is sent; late sends follow the lateness of their policy',
} as const;

/** By HTTP (CARILLON_URL, CARILLON_TOKEN): a stop has to work where the database cannot be reached from. */
function addStops(program: Command, project: Command): void {
  withJson(project.command('show'))
    .description('print what blocks a push project and what is still delivered for it, by HTTP')
    .argument('<serviceId>', 'the push project')
    .action(async (serviceId: string, options: JsonOption) =>
      (await import('./stop-projects.js')).showProject(serviceId, options),
    );
  for (const act of ['stop', 'start'] as const) {
    const [one, all] = [project.command(act), program.command(act)];
    one
      .description(`${act} a push project, by HTTP: ${STOPS[act]}`)
      .argument('<serviceId>', 'the push project')
      .action(async (serviceId: string, options: StopOptions) =>
        (await import('./stop-projects.js')).stopOrStart(act, serviceId, options),
      );
    all
      .description(`${act} all push projects that the token holds, by HTTP: ${STOPS[act]}`)
      .action(async (options: StopOptions) =>
        (await import('./stop-projects.js')).stopOrStart(act, undefined, options),
      );
    for (const command of [withJson(one), withJson(all)]) {
      command
        .option('--reason <text>', 'shown to people')
        .option('--preview', 'only count what is held, and what is still delivered');
      if (act === 'stop')
        command.option(
          '--recall',
          'also ask the push service to give back what it holds; start puts it back',
        );
    }
  }
}

/** A rotation: add a key, wait until it signs, disable the old key at the gateway, remove it here. */
function addKeys(group: Command): void {
  withJson(group.command('add'))
    .description(
      `put a new key first; its secret key is read from standard input, or from ${SECRET_VARIABLE}`,
    )
    .argument('<serviceId>', 'the push project')
    .requiredOption('--access-key <key>', 'the access key that signs from now on')
    .action(async (serviceId: string, options: JsonOption & { accessKey: string }) =>
      (await import('./projects.js')).addProjectKey(serviceId, options),
    );
  withJson(group.command('remove'))
    .description('remove a key, but not the last one')
    .argument('<serviceId>', 'the push project')
    .argument('<accessKey>', 'the key that its gateway no longer takes')
    .action(async (serviceId: string, accessKey: string, options: JsonOption) =>
      (await import('./projects.js')).removeProjectKey(serviceId, accessKey, options),
    );
}

function addPublish(program: Command): void {
  withJson(program.command('publish'))
    .description(
      'publish events by HTTP (CARILLON_URL, CARILLON_TOKEN) or Kafka. Exit code 1: one was refused, or not seen; 2: the call or a file cannot be used',
    )
    .argument('<file...>', "CloudEvents as JSON, one, an array or one a line; '-' is standard input")
    .option('--kafka [brokers]', 'to Kafka, at host:port,… [KAFKA_BROKERS]')
    .option('--follow', 'wait for the outcome of each campaign; beside --kafka it asks CARILLON_URL')
    .option('--wait <seconds>', 'with --kafka --follow: how long an event may stay unseen [60]')
    .action(async (files: string[], options: PublishOptions) =>
      (await import('./publish/publish-events.js')).publishEvents(files, options),
    );
}

function addPlan(program: Command): void {
  withJson(program.command('plan'))
    .description(
      'explain what a campaign event would do, without database or network unless --online. Exit code 0: it can be planned; ' +
        '1: it would be rejected, or planning refuses it; 2: the call or the file cannot be used; 3: nothing would leave',
    )
    .argument('<file>', 'a campaign event as JSON, or its data alone')
    .option('--now <instant>', 'plan as if it were then, such as 2027-03-01T00:00:00Z [now]')
    .option(
      '--online',
      'let the scheduler at CARILLON_URL plan it (CARILLON_TOKEN), by its push project, and ask for unknown zones; the options below do not apply',
    )
    .option('--zone <zone>', 'the project’s default zone', 'Asia/Seoul')
    .addOption(several('--principal <country=zone>', 'a country’s principal zone'))
    .option('--max-to <ids>', 'userIds in one request', wholeNumber, 1_000)
    .option('--rate <requests>', 'requests a second', wholeNumber, 10)
    .option('--no-reservations', 'the project makes no reservations')
    .option('--min-reserve-lead <seconds>', 'nothing due sooner is reserved', wholeNumber, 180)
    .option('--horizon <days>', 'nothing due later is reserved yet', wholeNumber, 30)
    .action(async (file: string, options: PlanOptions) =>
      (await import('./plan/explain-plan.js')).explainPlan(file, options),
    );
}

const ACTS = {
  pause: 'hold all of a campaign that has not left, or one occurrence',
  resume: 'plan again what a pause holds; late sends follow the lateness of their policy',
  cancel: 'cancel all of a campaign that has not left, or one occurrence; it cannot be undone',
} as const;

/** By HTTP (CARILLON_URL, CARILLON_TOKEN). */
function addCampaign(program: Command): void {
  const campaign = program
    .command('campaign')
    .description('campaigns, by HTTP (CARILLON_URL, CARILLON_TOKEN)');
  const argument = ['<id>', 'our id of the campaign, as "carillon publish" prints it'] as const;
  withJson(campaign.command('show'))
    .description('print where a campaign stands')
    .argument(...argument)
    .action(async (id: string, options: JsonOption) =>
      (await import('./campaign/show-campaign.js')).showCampaign(id, options),
    );
  for (const [act, description] of Object.entries(ACTS)) {
    withJson(campaign.command(act))
      .description(description)
      .argument(...argument)
      .option('--occurrence <occurrence>', 'only this firing of a recurrence, such as 2027-03-01T09:00')
      .option('--reason <text>', 'shown to people')
      .option('--preview', 'only count what it would do')
      .action(async (id: string, options: ActOptions) =>
        (await import('./campaign/act-on-campaign.js')).actOnCampaign(act as keyof typeof ACTS, id, options),
      );
  }
  const saw = '"carillon campaign show" prints it';
  withJson(campaign.command('approve'))
    .description('release a campaign that awaits approval')
    .argument(...argument)
    .requiredOption('--revision <number>', `the revision that you looked at; ${saw}`, Number)
    .requiredOption('--hash <hash>', `the hash of what you looked at; ${saw}`)
    .option('--reason <text>', 'shown to people')
    .option('--preview', 'only count what it would do')
    .action(async (id: string, options: ActOptions) =>
      (await import('./campaign/act-on-campaign.js')).actOnCampaign('approve', id, options),
    );
  withJson(campaign.command('decline'))
    .description('refuse a campaign that awaits approval: it ends as canceled')
    .argument(...argument)
    .requiredOption('--reason <text>', 'shown to people')
    .option('--preview', 'only count what it would do')
    .action(async (id: string, options: ActOptions) =>
      (await import('./campaign/act-on-campaign.js')).actOnCampaign('decline', id, options),
    );
}

function addLists(program: Command): void {
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

/** By HTTP (CARILLON_URL, CARILLON_TOKEN). */
function addStatus(program: Command): void {
  withJson(program.command('status'))
    .description(
      'say whether all is well, and what needs a person, by HTTP (CARILLON_URL, CARILLON_TOKEN). Exit code 0: all is well; ' +
        '1: something needs a person; 2: the scheduler does not answer',
    )
    .addOption(
      new Option('--watch [seconds]', 'read it again and again until Ctrl-C')
        .argParser(secondsBetween)
        .preset('5'),
    )
    .action(async (options: StatusOptions) =>
      (await import('./operations/show-status.js')).showStatus(options),
    );
}

function addAlerts(program: Command): void {
  const alerts = program
    .command('alerts')
    .description('what needs a person, or did, by HTTP (CARILLON_URL, CARILLON_TOKEN)');
  withJson(alerts.command('list', { isDefault: true }))
    .description('print open alerts, the newest first')
    .option('--ended', 'those that have ended instead')
    .option('--all', 'both')
    .option('--service <serviceId>', 'only of this push project')
    .option('--limit <alerts>', 'how many, 1 to 500', wholeNumber, 50)
    .action(async (options: AlertOptions) =>
      (await import('./operations/show-alerts.js')).listAlerts(options),
    );
  withJson(alerts.command('acknowledge'))
    .description('say that you have taken an alert up; it ends only with its cause')
    .argument('<id>', '"carillon alerts" prints it')
    .action(async (id: string, options: JsonOption) =>
      (await import('./operations/show-alerts.js')).acknowledgeAlert(id, options),
    );
}

function addRecipient(program: Command): void {
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

function addDoctor(program: Command): void {
  withJson(program.command('doctor'))
    .description(
      'check configuration, database, migrations, Kafka, push gateways, clock and zone rules; exit code 1 if a check fails; a fault of a push gateway is only noted',
    )
    .action(async (options: JsonOption) => (await import('./doctor.js')).doctor(options));
}

function addForecast(program: Command): void {
  withJson(program.command('forecast'))
    .description(
      'say what is planned against the rates of projects, what is expected to be late, and what would help (CARILLON_URL, CARILLON_TOKEN)',
    )
    .option('--from <instant>', 'such as 2027-03-01T00:00:00Z [now]')
    .option('--to <instant>', 'until then [24 hours after --from]')
    .addOption(new Option('--step <length>', 'minute or hour').choices(['minute', 'hour']).default('hour'))
    .addOption(
      new Option('--by <key>', 'what a line is of')
        .choices(['zone', 'project', 'campaign'])
        .default('project'),
    )
    .option('--service <serviceId>', 'only this service [all that the token holds]')
    .option('--with <planHash>', 'as if this previewed plan were published')
    .action(async (options: ForecastOptions) => (await import('./print-forecast.js')).printForecast(options));
}

function addLedger(program: Command): void {
  withJson(program.command('ledger'))
    .description(
      'print the balance of events, sends and devices, and every row that is missing; with MANAGEMENT_TOKEN (and MANAGEMENT_URL) ' +
        'beside it what the push service itself took of the last 30 days; exit code 1 if a row is missing, or the two differ in what is final',
    )
    .addOption(several('--service <serviceId>', 'only this service [all]'))
    .addOption(
      new Option(
        '--watch [seconds]',
        'read it again and again until Ctrl-C, and print it when it has changed; the exit code is that of the last reading',
      )
        .argParser(secondsBetween)
        .preset('5'),
    )
    .action(async (options: LedgerOptions) =>
      (await import('./ledger/print-ledger.js')).printLedger(options),
    );
}

function addZoneRules(program: Command): void {
  withJson(program.command('tz'))
    .description('print source, version and age of the zone rules (TZDATA_DIR, else the newest found)')
    .option(
      '--compare <dir>',
      'also what the rules in that folder would move of what is planned (DATABASE_URL)',
    )
    .action(async (options: ZoneRulesOptions) =>
      (await import('./tz/print-zone-rules.js')).printZoneRules(options),
    );
}

function addRetention(program: Command): void {
  withJson(program.command('retention'))
    .description('print what is kept, since when, and how fast it grows')
    .option('--dry-run', 'also print what would go now, without removing it')
    .action(async (options: RetentionOptions) =>
      (await import('./print-retention.js')).printRetention(options),
    );
}

function addOpenApi(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI 3.1 document of the HTTP API; needs no server and no setting')
    .action(async () => (await import('./print-openapi.js')).printOpenApi());
}

function withJson(command: Command): Command {
  return command.option('--json', 'answer as one JSON document, for programs');
}

function several(flags: string, text: string): Option {
  const collect = (value: string, before: readonly string[]): string[] => [...before, value];
  return new Option(flags, `${text}; may be given several times`).argParser(collect).default([]);
}

function secondsBetween(value: string): number {
  const seconds = wholeNumber(value);
  if (seconds < 1 || seconds > 3_600) throw new InvalidArgumentError('It must be 1 to 3600 seconds.');
  return seconds;
}

function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
