// What carillon project add does: a push project with its key straight into the database. It takes what
// POST /v1/projects takes.
import { createProjectBody, projectWarnings } from '../scheduler/admin/project-body.js';
import { projectChanges, readSetting } from './changing-project.js';
import { fromShell, readSecretKey, shellUser } from './from-shell.js';
import { print, type JsonOption } from './output.js';

export interface AddOptions extends JsonOption {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly source: readonly string[];
  readonly set: readonly string[];
}

export async function addProject(serviceId: string, options: AddOptions): Promise<void> {
  const changing = projectChanges();
  const further = Object.fromEntries(options.set.map(readSetting));
  const secretKey = await readSecretKey();
  const body = fromShell(createProjectBody, {
    ...further,
    serviceId,
    baseUrl: options.baseUrl,
    sources: options.source,
    key: { accessKey: options.accessKey, secretKey },
  });
  const view = await changing((change) => change.create(body, shellUser()));
  const warnings = projectWarnings(view);
  const notes = warnings.map((warning) => `\nWarning: ${warning}.`).join('');
  print(options, { ...view, warnings }, `Added the push project ${serviceId} at ${view.baseUrl}.${notes}`);
}
