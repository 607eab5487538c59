// carillon projects add, set and keys: change push projects by HTTP. A secret comes from standard input or the environment.
import { z } from 'zod';
import { createProjectBody, keyBody, patchProjectBody } from '../../scheduler/admin/projects/project-body.js';
import { fromShell, readSecretKey } from '../shell/from-shell.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { UsageError } from '../shell/usage-error.js';

export interface AddOptions extends JsonOption {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly source: readonly string[];
  readonly set: readonly string[];
}

const Project = z.looseObject({
  serviceId: z.string(),
  baseUrl: z.string(),
  warnings: z.array(z.string()),
  keys: z.array(z.looseObject({ accessKey: z.string() })),
});
type Project = z.output<typeof Project>;

const admin = (): ReturnType<typeof schedulerApi> => schedulerApi({ role: 'admin' });
const pathOf = (serviceId: string): string => `/v1/projects/${encodeURIComponent(serviceId)}`;

/** Takes what POST /v1/projects takes. */
export async function addProject(serviceId: string, options: AddOptions): Promise<void> {
  const api = admin();
  const further = readSettings(options.set);
  const secretKey = await readSecretKey();
  const body = {
    ...further,
    serviceId,
    baseUrl: options.baseUrl,
    sources: options.source,
    key: { accessKey: options.accessKey, secretKey },
  };
  fromShell(createProjectBody, body);
  const view = await callScheduler(api, '/v1/projects', Project, JSON.stringify(body));
  printProject(options, view, `Added the push project ${serviceId} at ${view.baseUrl}.`);
}

/** Takes what PATCH /v1/projects/{id} takes, except for secrets: every user of the machine can read arguments. */
export async function setProject(
  serviceId: string,
  given: readonly string[],
  options: JsonOption,
): Promise<void> {
  const body = readSettings(given);
  fromShell(patchProjectBody.omit({ apiKey: true }), body);
  const view = await callScheduler(admin(), `PATCH ${pathOf(serviceId)}`, Project, JSON.stringify(body));
  printProject(options, view, `Set ${Object.keys(body).join(', ')} of ${serviceId}.`);
}

/** The new key is tried first; the former first key signs where the gateway refuses the new one. */
export async function addProjectKey(
  serviceId: string,
  options: JsonOption & { readonly accessKey: string },
): Promise<void> {
  const api = admin();
  const { accessKey } = options;
  const key = fromShell(keyBody, { accessKey, secretKey: await readSecretKey() });
  const body = JSON.stringify({ accessKey, secretKey: key.secretKey.reveal() });
  const view = await callScheduler(api, `${pathOf(serviceId)}/keys`, Project, body);
  print(options, view.keys, `${serviceId} signs with ${accessKey} first. ${keysOf(view)}`);
}

export async function removeProjectKey(
  serviceId: string,
  accessKey: string,
  options: JsonOption,
): Promise<void> {
  const path = `DELETE ${pathOf(serviceId)}/keys/${encodeURIComponent(accessKey)}`;
  const view = await callScheduler(admin(), path, Project);
  print(options, view.keys, `Removed ${accessKey} of ${serviceId}. ${keysOf(view)}`);
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

function printProject(options: JsonOption, view: Project, done: string): void {
  const notes = view.warnings.map((warning) => `\nWarning: ${warning}.`).join('');
  print(options, view, `${done}${notes}`);
}

function keysOf({ keys }: Project): string {
  return `Its keys, the first first: ${keys.map(({ accessKey }) => accessKey).join(', ')}.`;
}
