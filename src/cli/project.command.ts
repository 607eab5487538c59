// carillon project add: a push project with its key, straight into the database, for the first production start. What
// it takes is what POST /v1/projects takes.
import { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { processEnvironment, readConfig } from '../platform/env.js';
import { Sealer } from '../platform/sealed.js';
import { loadZoneRules } from '../platform/zone-rules.js';
import { ChangeProject } from '../scheduler/admin/change-project.js';
import { addressWarnings, createProjectBody } from '../scheduler/admin/project-body.js';
import { schedulerEnvironment } from '../scheduler/scheduler.config.js';
import { collect, fromShell } from './arguments.js';
import { withDatabase } from './cli-database.js';
import { print, withJson, type JsonOption } from './output.js';
import { readSecret } from './read-secret.js';
import { shellUser } from './shell-user.js';
import { UsageError } from './usage-error.js';

/** Read where standard input is not at hand. */
export const SECRET_VARIABLE = 'CARILLON_SECRET_KEY';

interface AddOptions extends JsonOption {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly source: readonly string[];
  readonly set: readonly string[];
}

export function projectCommand(): Command {
  const add = new Command('add')
    .description(`add a push project; its secret key is read from standard input, or from ${SECRET_VARIABLE}`)
    .argument('<serviceId>', 'the push service’s id of it, and ours')
    .requiredOption('--base-url <url>', 'where its push gateway answers')
    .requiredOption('--access-key <key>', 'the access key that signs its requests')
    .option(
      '--source <source>',
      'an event source it takes over Kafka, exact or prefix/*; may be given several times',
      collect,
      [],
    )
    .option(
      '--set <name=value>',
      'any other setting of POST /v1/projects, its value as JSON or text',
      collect,
      [],
    );
  return new Command('project')
    .description('push projects')
    .addCommand(
      withJson(add).action((serviceId: string, options: AddOptions) => addProject(serviceId, options)),
    );
}

async function addProject(serviceId: string, options: AddOptions): Promise<void> {
  const settings = readConfig(
    schedulerEnvironment.pick({ CARILLON_MASTER_KEY: true, TZDATA_DIR: true, DATABASE_URL: true }),
    processEnvironment(),
  );
  const further = Object.fromEntries(options.set.map(readSetting));
  const secretKey = await readSecret('secret key', SECRET_VARIABLE);
  const body = fromShell(createProjectBody, {
    ...further,
    serviceId,
    baseUrl: options.baseUrl,
    sources: options.source,
    key: { accessKey: options.accessKey, secretKey },
  });
  const view = await withDatabase((database) =>
    new ChangeProject({
      database,
      sealer: new Sealer(settings.CARILLON_MASTER_KEY),
      clock: new SystemClock(),
      rules: loadZoneRules({ directory: settings.TZDATA_DIR }),
    }).create(body, shellUser()),
  );
  const warnings = addressWarnings(view.baseUrl);
  const notes = warnings.map((warning) => `\nWarning: ${warning}.`).join('');
  print(options, { ...view, warnings }, `Added the push project ${serviceId} at ${view.baseUrl}.${notes}`);
}

function readSetting(given: string): [name: string, value: unknown] {
  const cut = given.indexOf('=');
  if (cut < 1) throw new UsageError(`--set takes name=value, not ${given}`);
  const value = given.slice(cut + 1);
  try {
    return [given.slice(0, cut), JSON.parse(value)];
  } catch {
    return [given.slice(0, cut), value];
  }
}
