// The commands of carillon (not carillon-push) and what each takes; those of a group are in the files that it names. The code of a
// command is loaded only when it is called, so that --help is quick.
import completion from '@bomb.sh/tab/commander';
import { Option, type Command } from 'commander';
import { addAudiences, addRecipients } from './audiences/audiences-commands.js';
import { addAudit } from './audit/audit-command.js';
import { addCampaigns, addPlan, addPublish } from './campaigns/campaigns-commands.js';
import type { LedgerOptions } from './ledger/print-ledger.js';
import { addExamples } from './examples.js';
import { addLogin } from './login/login-commands.js';
import { addAlerts, addForecast, addStatus } from './operations-commands.js';
import type { RetentionOptions } from './print-retention.js';
import { addProjects } from './projects/projects-commands.js';
import { addRejections } from './rejections/rejections-commands.js';
import { addFailures, addSends, addUncertain } from './sends/sends-commands.js';
import { addResolves, addRetries } from './sets/sets-commands.js';
import { secondsBetween, several, withJson } from './shell/command-options.js';
import type { JsonOption } from './shell/output.js';
import { programOf } from './shell/run-command.js';
import { addTokens } from './tokens/tokens-commands.js';
import type { ZoneRulesOptions } from './tz/print-zone-rules.js';
import type { UseZoneRulesOptions } from './tz/use-zone-rules.js';
import { addZones } from './zones/zones-commands.js';

/** The groups in the order of --help: what an operator calls daily comes first. */
const GROUPS = [
  addStatus,
  addAlerts,
  addCampaigns,
  addSends,
  addFailures,
  addUncertain,
  addRetries,
  addResolves,
  addRejections,
  addProjects,
  addPublish,
  addPlan,
  addForecast,
  addAudiences,
  addRecipients,
  addZones,
  addZoneRules,
  addTokens,
  addAudit,
  addLogin,
  addLedger,
  addDoctor,
  addRetention,
  addMigrate,
  addOpenApi,
] as const satisfies readonly ((program: Command) => void)[];

export function carillon(): Command {
  const program = programOf('carillon', 'Carillon, the campaign scheduler for push notifications');
  for (const add of GROUPS) add(program);
  program.addHelpText(
    'after',
    '\nCommands ask the scheduler at CARILLON_URL with CARILLON_TOKEN, or that of "carillon login"; ' +
      'migrate, tokens create --first,\nretention, ledger, doctor, tz --compare and tz use use the database of DATABASE_URL.',
  );
  completion(program);
  addExamples(program);
  return program;
}

/** Any number of processes may run it at once; one does the work. */
function addMigrate(program: Command): void {
  withJson(program.command('migrate'))
    .description('create or update the schema in the database of DATABASE_URL')
    .action(async (options: JsonOption) => (await import('./migrate.js')).migrate(options));
}

function addDoctor(program: Command): void {
  withJson(program.command('doctor'))
    .description(
      'check configuration, database, migrations, Kafka, push gateways, clock and zone rules; exit code 1 if a check fails; a fault of a push gateway is only noted',
    )
    .action(async (options: JsonOption) => (await import('./doctor.js')).doctor(options));
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
  const tz = program.command('tz').description('the zone rules that plans are made by');
  withJson(tz.command('show', { isDefault: true }))
    .description('print source, version and age of the zone rules (TZDATA_DIR, else the newest found)')
    .option(
      '--compare <dir>',
      'also what the rules in that folder would move of what is planned (DATABASE_URL)',
    )
    .action(async (options: ZoneRulesOptions) =>
      (await import('./tz/print-zone-rules.js')).printZoneRules(options),
    );
  withJson(tz.command('use [version]'))
    .description(
      'put a version of the zone rules in force, and say what that moves of what is planned (DATABASE_URL)',
    )
    .option(
      '--bundled',
      "this machine's version; newer rules of a process come into force again by themselves",
    )
    .option('--from <dir>', 'the folder of a version that this machine lacks, to count what moves')
    .option('--preview', 'only count what it would move')
    .action(async (version: string | undefined, options: UseZoneRulesOptions) =>
      (await import('./tz/use-zone-rules.js')).chooseZoneRules(version, options),
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
