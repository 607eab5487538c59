// What carillon project keys does: a rotation's two ends, straight in the database, as POST and DELETE of the API do.
import { SystemClock } from '../platform/clock.js';
import { processEnvironment, readConfig } from '../platform/env.js';
import { Sealer } from '../platform/sealed.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { ChangeProject } from '../scheduler/admin/change-project.js';
import { keyBody } from '../scheduler/admin/project-body.js';
import type { ProjectView } from '../scheduler/admin/project-write.store.js';
import { GatewayHosts } from '../scheduler/push-client/gateway-hosts.js';
import { schedulerEnvironment } from '../scheduler/scheduler.config.js';
import { withDatabase } from './cli-database.js';
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
  const view = await changing((change) => change.addKey(serviceId, key, shellUser()));
  print(options, view.keys, `${serviceId} signs with ${accessKey} first. ${keysOf(view)}`);
}

export async function removeProjectKey(
  serviceId: string,
  accessKey: string,
  options: JsonOption,
): Promise<void> {
  const view = await changing((change) => change.removeKey(serviceId, accessKey, shellUser()));
  print(options, view.keys, `Removed ${accessKey} of ${serviceId}. ${keysOf(view)}`);
}

async function changing(work: (change: ChangeProject) => Promise<ProjectView>): Promise<ProjectView> {
  const settings = readConfig(
    schedulerEnvironment.pick({ CARILLON_MASTER_KEY: true, TZDATA_DIR: true, DATABASE_URL: true }),
    processEnvironment(),
  );
  return withDatabase((database) =>
    work(
      new ChangeProject({
        database,
        sealer: new Sealer(settings.CARILLON_MASTER_KEY),
        clock: new SystemClock(),
        rules: loadZoneRules({ directory: settings.TZDATA_DIR }),
        hosts: new GatewayHosts(),
      }),
    ),
  );
}

function keysOf({ keys }: ProjectView): string {
  return `Its keys, the first first: ${keys.map(({ accessKey }) => accessKey).join(', ')}.`;
}
