// Sets the stage: services with keys at the push service, their channels, schedules and users over the signed
// interface, and a push project at the scheduler for each.
import { channelsPath, channelUserPath, schedulesPath, usersPath } from '../../src/push-contract/paths.js';
import type { Endpoints } from '../endpoints.js';
import type { DemoService, DemoUser } from './examples.js';
import { Management } from './management.js';
import { callPush, callWithToken, type KeyPair } from './push-client.js';

/** Sources that the demo's projects take events from over Kafka. */
const SOURCES = ['/shop/*', '/newsroom/*', '/demo/*'];

/** A minute ahead must be reservable, or the demo would never end. */
const MIN_RESERVE_LEAD_MS = 20_000;

export type SeededService = KeyPair & { serviceId: string };
type Stage = Pick<Endpoints, 'pushUrl' | 'schedulerUrl' | 'managementUrl' | 'tokens'>;

/** Returns the services in their order, each with its key pair. */
export async function seed(
  stage: Stage,
  services: readonly DemoService[],
  say: (sentence: string) => void,
): Promise<SeededService[]> {
  const management = new Management(stage);
  const admin = { url: stage.schedulerUrl, token: stage.tokens.admin };
  const seeded: SeededService[] = [];
  for (const service of services) {
    const keys = await management.createService(service.serviceId);
    await register(stage.pushUrl, keys, service);
    await callWithToken(admin, 'POST', '/v1/projects', {
      serviceId: service.serviceId,
      baseUrl: stage.pushUrl,
      sources: SOURCES,
      minReserveLeadMs: MIN_RESERVE_LEAD_MS,
      key: keys,
    });
    // So the first campaign is planned with what the gateway offers.
    await callWithToken(admin, 'POST', `/v1/projects/${service.serviceId}/check`);
    const devices = service.users.reduce((sum, user) => sum + user.devices.length, 0);
    say(`registered ${service.users.length} users with ${devices} devices at ${service.serviceId}`);
    seeded.push({ serviceId: service.serviceId, ...keys });
  }
  return seeded;
}

async function register(pushUrl: string, keys: KeyPair, service: DemoService): Promise<void> {
  const { serviceId } = service;
  const account = { url: pushUrl, ...keys };
  const call = (method: string, path: string, body?: unknown) => callPush(account, method, path, body);
  for (const channelName of service.channels) await call('POST', channelsPath(serviceId), { channelName });
  for (const schedule of service.schedules) await call('POST', schedulesPath(serviceId), schedule);
  for (const user of service.users) {
    for (const device of user.devices) await call('POST', usersPath(serviceId), registration(user, device));
    for (const channel of user.channels) await call('POST', channelUserPath(serviceId, channel, user.userId));
  }
}

/** push-interface.md §2.1: the body of POST users. */
function registration(user: DemoUser, device: DemoUser['devices'][number]) {
  const { userId, country, language, timezone, consent } = user;
  return {
    userId,
    country,
    language,
    timezone,
    ...device,
    isNotificationAgreement: consent.notification,
    isAdAgreement: consent.ad,
    isNightAdAgreement: consent.nightAd,
  };
}
