// What carillon project add does: a push project with its key straight into the database. It takes what
// POST /v1/projects takes.
import { SystemClock } from '../platform/clock.js';
import { processEnvironment, readConfig } from '../platform/env.js';
import { Sealer } from '../platform/sealed.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { ChangeProject } from '../scheduler/admin/change-project.js';
import { createProjectBody, projectWarnings } from '../scheduler/admin/project-body.js';
import { GatewayHosts } from '../scheduler/push-client/gateway-hosts.js';
import { schedulerEnvironment } from '../scheduler/scheduler.config.js';
import { withDatabase } from './cli-database.js';
import { fromShell, readSecretKey, shellUser } from './from-shell.js';
import { print, type JsonOption } from './output.js';
import { UsageError } from './usage-error.js';

export interface AddOptions extends JsonOption {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly source: readonly string[];
  readonly set: readonly string[];
}

export async function addProject(serviceId: string, options: AddOptions): Promise<void> {
  const settings = readConfig(
    schedulerEnvironment.pick({
      CARILLON_MASTER_KEY: true,
      TZDATA_DIR: true,
      DATABASE_URL: true,
      CARILLON_GATEWAY_HOSTS: true,
    }),
    processEnvironment(),
  );
  const further = Object.fromEntries(options.set.map(readSetting));
  const secretKey = await readSecretKey();
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
      hosts: new GatewayHosts(settings.CARILLON_GATEWAY_HOSTS),
    }).create(body, shellUser()),
  );
  const warnings = projectWarnings(view);
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
