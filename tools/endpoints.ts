// .carillon/endpoints.json: what a client of the Carillon that runs here needs, secrets included. There while it is
// up, gone when it has stopped in good order; only the user who started it can read it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './process/private-file.js';
import { stateRoot } from './project.js';

const Endpoints = z.object({
  schedulerUrl: z.url(),
  /** Where a browser finds the dashboard. */
  dashboardUrl: z.url(),
  /** The address of the signed interface, without a path. */
  pushUrl: z.url(),
  managementUrl: z.url(),
  /** host:port each; empty when events come over HTTP alone. */
  kafkaBrokers: z.array(z.string()),
  databaseUrl: z.url(),
  serviceId: z.string(),
  accessKey: z.string(),
  secretKey: z.string(),
  /** Bearer tokens of the scheduler by role, and the push service's management token. */
  tokens: z.object({
    publisher: z.string(),
    analyst: z.string(),
    operator: z.string(),
    admin: z.string(),
    management: z.string(),
  }),
});
export type Endpoints = z.output<typeof Endpoints>;

export const endpointsFile = join(stateRoot, 'endpoints.json');

/** Replaces the file as a whole, mode 0600: a reader sees the old one or the new one. */
export function writeEndpoints(endpoints: Endpoints, file = endpointsFile): void {
  writePrivateJson(file, Endpoints.parse(endpoints));
}

/** The endpoints of what runs here, or undefined when nothing runs. Throws when the file has another form. */
export function readEndpoints(file = endpointsFile): Endpoints | undefined {
  const found = readJson(file);
  return found === undefined ? undefined : Endpoints.parse(found);
}

export function removeEndpoints(file = endpointsFile): void {
  rmSync(file, { force: true });
}
