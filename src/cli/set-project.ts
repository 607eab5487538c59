// What carillon project set does: settings of a push project, straight in the database. It takes what PATCH /v1/projects/{id}
// takes, but for secrets: arguments are no place for them.
import { patchProjectBody, projectWarnings } from '../scheduler/admin/project-body.js';
import { projectChanges, readSetting } from './changing-project.js';
import { fromShell, shellUser } from './from-shell.js';
import { print, type JsonOption } from './output.js';

export async function setProject(
  serviceId: string,
  given: readonly string[],
  options: JsonOption,
): Promise<void> {
  const body = fromShell(patchProjectBody.omit({ apiKey: true }), Object.fromEntries(given.map(readSetting)));
  const view = await projectChanges()((change) => change.patch(serviceId, body, shellUser()));
  const warnings = projectWarnings(view);
  const notes = warnings.map((warning) => `\nWarning: ${warning}.`).join('');
  print(options, { ...view, warnings }, `Set ${Object.keys(body).join(', ')} of ${serviceId}.${notes}`);
}
