// Providers for which devices wait long: the log says so once, health for as long as it lasts, and both its end. What waits goes
// on as soon as its credential is replaced.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SystemClock } from '../../../../src/platform/clock.js';
import { ApnsPeer, apnsError } from '../../../../tools/peers/apns-peer.js';
import { eventually } from '../../../support/eventually.js';
import { Management } from '../../../contract/push-service/support/client.js';
import {
  APNS_PUBLIC_KEY,
  apnsCredential,
  serviceAccount,
} from '../../../contract/push-service/support/credentials.js';
import { seedUsers } from '../../../contract/push-service/support/replica.js';
import { message, send } from '../../../contract/push-service/support/stage.js';
import { startOwn, type Target } from '../../../contract/push-service/support/target.js';

interface Line {
  readonly level: number;
  readonly kind?: string;
  readonly reason?: string;
  readonly msg: string;
}

const WARN = 40;
const INFO = 30;
const lines: Line[] = [];
let apns: ApnsPeer;
let target: Target;
let management: Management;

beforeAll(async () => {
  const { key: _, ...apple } = apnsCredential();
  apns = await ApnsPeer.open({ ...apple, publicKey: APNS_PUBLIC_KEY });
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  // FCM and its tokens are where nobody listens.
  const env = { PUSH_APNS_URL: apns.peer.origin, PUSH_PROVIDER_CA: apns.peer.ca };
  target = await startOwn(env, new SystemClock(), { log });
  management = new Management(target);
});
afterAll(async () => {
  await target.close();
  await apns.peer.close();
});

const linesOf = (kind: string): unknown[] =>
  lines
    .filter(({ msg }) => /devices wait for their provider|no device waits/.test(msg))
    .filter((line) => line.kind === kind)
    .map(({ level, reason }) => [level, reason]);

async function note(): Promise<string> {
  const answer = (await management.ask('GET', '/health/ready')).json() as {
    checks: { name: string; note?: true; text: string }[];
  };
  return answer.checks.find(({ name }) => name === 'providers')?.text ?? '';
}

it('are shown, with since when and why, and no longer once the credential was replaced and pushes are accepted', async () => {
  const refusal = 'TooManyProviderTokenUpdates';
  apns.tally.always(apnsError(429, refusal));
  const client = await management.newService();
  const path = `/v1/services/${encodeURIComponent(client.serviceId)}/credentials`;
  await management.ask('PUT', `${path}/fcm`, { serviceAccount: serviceAccount() });
  await management.ask('PUT', `${path}/apns`, apnsCredential());
  await seedUsers(target.databaseUrl ?? '', client.serviceId, 20, false);
  await send(client, message());
  await eventually(async () => {
    const text = await note();
    return text.includes('fcm of') && text.includes('apns of');
  });
  expect(await note()).toMatch(
    new RegExp(`apns of ${client.serviceId}: nothing is accepted since 20.+Z \\(${refusal}\\)`),
  );
  expect(await note()).toMatch(new RegExp(`fcm of ${client.serviceId}: .+ECONNREFUSED`));
  await eventually(() => linesOf('fcm').length > 0 && linesOf('apns').length > 0);
  expect(linesOf('apns')).toEqual([[WARN, refusal]]);
  expect(apns.tally.all.size).toBe(0);

  apns.tally.always(undefined);
  await management.ask('PUT', `${path}/apns`, apnsCredential());
  await eventually(() => apns.tally.all.size === 10);
  await eventually(() => linesOf('apns').length === 2);
  expect(linesOf('apns')).toEqual([
    [WARN, refusal],
    [INFO, refusal],
  ]);
  await eventually(async () => {
    const left = await note();
    expect([left.includes('apns of'), left.includes('fcm of')]).toEqual([false, true]);
  });
  expect(linesOf('fcm')).toHaveLength(1);
});
