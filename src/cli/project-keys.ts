// What carillon project keys does: a rotation's two ends, straight in the database, as POST and DELETE of the API do.
import { keyBody } from '../scheduler/admin/project-body.js';
import type { ProjectView } from '../scheduler/admin/project-write.store.js';
import { projectChanges } from './changing-project.js';
import { fromShell, readSecretKey, shellUser } from './from-shell.js';
import { print, type JsonOption } from './output.js';

/** The new key goes first; the former first one signs where the new one is refused. */
export async function addProjectKey(
  serviceId: string,
  options: JsonOption & { readonly accessKey: string },
): Promise<void> {
  const { accessKey } = options;
  const secretKey = await readSecretKey();
  const key = fromShell(keyBody, { accessKey, secretKey });
  const view = await projectChanges()((change) => change.addKey(serviceId, key, shellUser()));
  print(options, view.keys, `${serviceId} signs with ${accessKey} first. ${keysOf(view)}`);
}

export async function removeProjectKey(
  serviceId: string,
  accessKey: string,
  options: JsonOption,
): Promise<void> {
  const view = await projectChanges()((change) => change.removeKey(serviceId, accessKey, shellUser()));
  print(options, view.keys, `Removed ${accessKey} of ${serviceId}. ${keysOf(view)}`);
}

function keysOf({ keys }: ProjectView): string {
  return `Its keys, the first first: ${keys.map(({ accessKey }) => accessKey).join(', ')}.`;
}
