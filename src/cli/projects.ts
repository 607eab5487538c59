// carillon project add, set and keys: make the API's changes of push projects, straight in the database.
import { processEnvironment, readConfig } from '../platform/env.js';
import { Sealer } from '../platform/secrets/sealed.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { ChangeProject } from '../scheduler/admin/projects/change-project.js';
import {
  createProjectBody,
  keyBody,
  patchProjectBody,
  projectWarnings,
} from '../scheduler/admin/projects/project-body.js';
import type { ProjectView } from '../scheduler/admin/projects/project-write.store.js';
import { GatewayHosts } from '../scheduler/push-client/gateway-hosts.js';
import { schedulerEnvironment } from '../scheduler/scheduler.config.js';
import { commandClock } from './shell/command-clock.js';
import { withDatabase } from './shell/cli-database.js';
import { fromShell, readSecretKey, shellUser } from './shell/from-shell.js';
import { print, type JsonOption } from './shell/output.js';
import { UsageError } from './shell/usage-error.js';

export interface AddOptions extends JsonOption {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly source: readonly string[];
  readonly set: readonly string[];
}

/** Takes what POST /v1/projects takes. */
export async function addProject(serviceId: string, options: AddOptions): Promise<void> {
  const changing = projectChanges();
  const further = readSettings(options.set);
  const secretKey = await readSecretKey();
  const body = fromShell(createProjectBody, {
    ...further,
    serviceId,
    baseUrl: options.baseUrl,
    sources: options.source,
    key: { accessKey: options.accessKey, secretKey },
  });
  const view = await changing((change, by) => change.create(body, by));
  printProject(options, view, `Added the push project ${serviceId} at ${view.baseUrl}.`);
}

/** Takes what PATCH /v1/projects/{id} takes, except for secrets: every user of the machine can read arguments. */
export async function setProject(
  serviceId: string,
  given: readonly string[],
  options: JsonOption,
): Promise<void> {
  const body = fromShell(patchProjectBody.omit({ apiKey: true }), readSettings(given));
  const view = await projectChanges()((change, by) => change.patch(serviceId, body, by, true));
  printProject(options, view, `Set ${Object.keys(body).join(', ')} of ${serviceId}.`);
}

/** The new key is tried first; the former first key signs where the gateway refuses the new one. */
export async function addProjectKey(
  serviceId: string,
  options: JsonOption & { readonly accessKey: string },
): Promise<void> {
  const { accessKey } = options;
  const secretKey = await readSecretKey();
  const key = fromShell(keyBody, { accessKey, secretKey });
  const view = await projectChanges()((change, by) => change.addKey(serviceId, key, by));
  print(options, view.keys, `${serviceId} signs with ${accessKey} first. ${keysOf(view)}`);
}

export async function removeProjectKey(
  serviceId: string,
  accessKey: string,
  options: JsonOption,
): Promise<void> {
  const view = await projectChanges()((change, by) => change.removeKey(serviceId, accessKey, by));
  print(options, view.keys, `Removed ${accessKey} of ${serviceId}. ${keysOf(view)}`);
}

/** Throws ConfigError at once, before the caller asks for a secret. */
function projectChanges() {
  const settings = readConfig(
    schedulerEnvironment.pick({
      CARILLON_MASTER_KEY: true,
      TZDATA_DIR: true,
      DATABASE_URL: true,
      CARILLON_GATEWAY_HOSTS: true,
      CARILLON_REJECTION_TOPICS: true,
      KAFKA_EVENTS_TOPIC: true,
      KAFKA_OUTCOMES_TOPIC: true,
      KAFKA_DEAD_TOPIC: true,
    }),
    processEnvironment(),
  );
  return (work: (change: ChangeProject, by: string) => Promise<ProjectView>): Promise<ProjectView> =>
    withDatabase((database) => {
      const change = new ChangeProject({
        database,
        sealer: new Sealer(settings.CARILLON_MASTER_KEY),
        clock: commandClock(),
        rules: loadZoneRules({ directory: settings.TZDATA_DIR }),
        hosts: new GatewayHosts(settings.CARILLON_GATEWAY_HOSTS),
        rejectionTopics: settings.CARILLON_REJECTION_TOPICS ?? [],
        topics: [settings.KAFKA_EVENTS_TOPIC, settings.KAFKA_OUTCOMES_TOPIC, settings.KAFKA_DEAD_TOPIC],
      });
      return work(change, shellUser());
    });
}

/** Each is `name=value`; the value is JSON, or else text. */
function readSettings(given: readonly string[]): Record<string, unknown> {
  const settings = given.map((one) => {
    const cut = one.indexOf('=');
    if (cut < 1) throw new UsageError(`a setting is name=value, not ${one}`);
    return [one.slice(0, cut), jsonOrText(one.slice(cut + 1))] as const;
  });
  return Object.fromEntries(settings);
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function printProject(options: JsonOption, view: ProjectView, done: string): void {
  const warnings = projectWarnings(view);
  const notes = warnings.map((warning) => `\nWarning: ${warning}.`).join('');
  print(options, { ...view, warnings }, `${done}${notes}`);
}

function keysOf({ keys }: ProjectView): string {
  return `Its keys, the first first: ${keys.map(({ accessKey }) => accessKey).join(', ')}.`;
}
