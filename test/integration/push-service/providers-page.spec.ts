// docs/operate/providers.md as a newcomer follows it, its shell blocks pasted as they stand, against peers of FCM and APNs that
// verify keys by other means than ours; and each answer of a check that the page explains, provoked at the peers.
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApnsPeer, apnsError } from '../../../tools/peers/apns-peer.js';
import { fcmError, FcmPeer } from '../../../tools/peers/fcm-peer.js';
import { projectRoot } from '../../../tools/project.js';
import { eventually } from '../../support/eventually.js';
import { carillonPush } from '../../contract/push-service/support/carillon-push.js';
import { Management, type Client } from '../../contract/push-service/support/client.js';
import {
  APNS_PUBLIC_KEY,
  apnsCredential,
  FCM_PUBLIC_KEY,
  pemOf,
  serviceAccount,
} from '../../contract/push-service/support/credentials.js';
import { query } from '../../contract/push-service/support/replica.js';
import { finalResult, message, send } from '../../contract/push-service/support/stage.js';
import { startOwn, type Target } from '../../contract/push-service/support/target.js';

const page = readFileSync(join(projectRoot, 'docs', 'operate', 'providers.md'), 'utf8');
const files = mkdtempSync(join(tmpdir(), 'carillon providers '));
const { key: p8, ...apple } = apnsCredential();
const ZEROS = '0'.repeat(64);
const NO_DEVICE = 'no-device';

let fcm: FcmPeer;
let apns: ApnsPeer;
let target: Target;
let management: Management;
let client: Client;

beforeAll(async () => {
  const account = { projectId: 'shop', clientEmail: 'push@shop.iam.gserviceaccount.com', privateKeyId: 'k1' };
  fcm = await FcmPeer.open({ ...account, publicKey: FCM_PUBLIC_KEY });
  apns = await ApnsPeer.open({ ...apple, publicKey: APNS_PUBLIC_KEY });
  // The certificates of both, as a file of authorities holds them.
  const authorities = fcm.peer.ca + apns.peer.ca;
  target = await startOwn({
    CARILLON_SANDBOX: 'false',
    PUSH_FCM_URL: fcm.peer.origin,
    PUSH_FCM_TOKEN_URL: `${fcm.peer.origin}/token`,
    PUSH_APNS_URL: apns.peer.origin,
    PUSH_PROVIDER_CA: authorities,
  });
  management = new Management(target);
  client = await management.newService();
  writeFileSync(join(files, 'service-account.json'), JSON.stringify(serviceAccount()));
  writeFileSync(join(files, 'AuthKey_ABCDE12345.p8'), p8);
});
afterAll(async () => {
  await target.close();
  await Promise.all([fcm.peer.close(), apns.peer.close()]);
  rmSync(files, { recursive: true });
});

describe('the page', () => {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const command = join(projectRoot, 'dist', 'src', 'cli', 'carillon-push.js');

  /** Pastes the blocks that hold these words into one shell, a value in the place of each `NAME=…`; what it printed. */
  async function paste(words: readonly string[], given: Readonly<Record<string, string>>): Promise<string> {
    const script = words.map((word) => {
      const block = blocks.find((candidate) => candidate.includes(word));
      if (block === undefined) throw new Error(`no block has ${word}`);
      return block
        .replaceAll('npm run --silent carillon-push --', `'${process.execPath}' '${command}'`)
        .replaceAll('http://127.0.0.1:3200', target.url)
        .replaceAll(/\b([A-Z_]+)=…/g, (_, name: string) => `${name}='${given[name] ?? ''}'`)
        .replaceAll('=shop-app', `='${client.serviceId}'`);
    });
    const env = { ...process.env, MANAGEMENT_URL: target.managementUrl };
    const { stdout } = await promisify(execFile)('bash', ['-ec', script.join('\n')], { cwd: files, env });
    return stdout;
  }

  const APPLE_TOKEN = 'a0'.repeat(32);
  const given = (): Record<string, string> => ({
    MANAGEMENT_TOKEN: target.managementToken,
    ACCESS_KEY: client.keys.accessKey,
    SECRET_KEY: client.keys.secretKey,
    ANDROID_TOKEN: 'android-device',
    APPLE_TOKEN,
  });

  it('leads from the two keys to checks that are good', async () => {
    const out = await paste(['MANAGEMENT_TOKEN=', 'add "$SERVICE" fcm', 'add "$SERVICE" apns'], given());
    expect(out).toContain('FCM takes messages for the project shop.');
    expect(out).toContain('APNs (production) takes the key ABCDE12345');
    const listed = await management.ask('GET', path(''));
    expect(listed.list()).toMatchObject([
      { kind: 'apns', version: 1, settings: apple, checkGood: true },
      { kind: 'fcm', version: 1, settings: { projectId: 'shop' }, checkGood: true },
    ]);
    // No device was reached by that.
    expect([...fcm.tally.all, ...apns.tally.all]).toEqual([]);
  });

  it('leads on to a push on both devices, once each', async () => {
    const linesOf = async (words: readonly string[], more: Readonly<Record<string, string>>) =>
      (await paste(['MANAGEMENT_TOKEN=', 'call() {', ...words], { ...given(), ...more })).trim().split('\n');
    const [sent = ''] = (await linesOf(['call POST messages'], {})).slice(-1);
    const { requestId: REQUEST_ID } = JSON.parse(sent) as { requestId: string };
    const [result, breakdown] = await eventually(async () => {
      const lines = await linesOf(['call GET "messages/'], { REQUEST_ID });
      return !lines[0]?.includes('processing') && lines;
    });
    expect(JSON.parse(result ?? '')).toMatchObject({ statusName: 'success', targetCount: 2, sentCount: 2 });
    expect(breakdown?.match(/"outcome":"sent"/g)).toHaveLength(2);
    expect([...fcm.tally.all, ...apns.tally.all]).toEqual([
      ['android-device', 1],
      [APPLE_TOKEN, 1],
    ]);
    expect(fcm.messages).toMatchObject([{ data: { content: 'Hello' }, notification: { title: 'Shop' } }]);
    expect(apns.pushes).toMatchObject([
      { body: '{"aps":{"alert":"Hello"}}', headers: { 'apns-topic': apple.topic } },
    ]);
    // A push that was accepted is what proves the topic.
    const listed = (await management.ask('GET', path(''))).list();
    expect(listed.map(({ provenAt }) => typeof provenAt)).toEqual(['string', 'string']);
  });
});

const path = (kind: string): string =>
  `/v1/services/${encodeURIComponent(client.serviceId)}/credentials${kind === '' ? '' : `/${kind}`}`;

/** The words between backticks in the table of what a check says. */
const [, checks = ''] = /^## What a check says\n([\s\S]*?)^## /m.exec(page) ?? [];
const explained = [...checks.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words.split(' … ')),
);

describe('a check says what the page explains', () => {
  afterEach(() => {
    fcm.tokenAct = undefined;
    fcm.tally.script(NO_DEVICE);
    apns.tally.script(ZEROS);
  });

  const seen = new Set<readonly string[]>();

  /** Asks for a check; what it says has to be in the page. */
  async function checked(kind: 'fcm' | 'apns'): Promise<{ good: unknown; says: string }> {
    const { checkGood, checkSays } = (await management.ask('POST', `${path(kind)}/check`)).json();
    const says = String(checkSays);
    const rows = explained.filter((parts) => parts.every((part) => says.includes(part)));
    expect([says, rows.length > 0]).toEqual([says, true]);
    for (const row of rows) seen.add(row);
    expect(says).not.toContain('BEGIN');
    return { good: checkGood, says };
  }

  async function refusal(kind: 'fcm' | 'apns', body: object): Promise<string> {
    await management.ask('PUT', path(kind), body);
    const { good, says } = await checked(kind);
    expect(good).toBe(false);
    return says;
  }

  it('of good ones', async () => {
    await management.ask('PUT', path('fcm'), { serviceAccount: serviceAccount() });
    await management.ask('PUT', path('apns'), apnsCredential());
    expect([(await checked('fcm')).good, (await checked('apns')).good]).toEqual([true, true]);
  });

  const stranger = pemOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }));
  const refused = (description: string) => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: description },
  });

  it.each<[string, Readonly<Record<string, unknown>>, (() => void) | undefined, string]>([
    [
      'a key that is not the account’s',
      { private_key: stranger },
      undefined,
      'the key k1 is no key of push@shop',
    ],
    ['another account', { client_email: 'a@b.example' }, undefined, 'Google refuses the service account'],
    [
      'an account that is gone',
      {},
      () => (fcm.tokenAct = refused('Invalid grant: account not found')),
      'there is no service account push@shop',
    ],
    [
      'a clock that is off',
      {},
      () =>
        (fcm.tokenAct = refused(
          'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
        )),
      'the clock of this machine is wrong',
    ],
    ['another project', { project_id: 'other' }, undefined, 'FCM knows no project other'],
    [
      'an account without the role',
      {},
      () => fcm.tally.script(NO_DEVICE, fcmError(403, 'PERMISSION_DENIED')),
      'push@shop.iam.gserviceaccount.com may not send for the project shop',
    ],
    [
      'trouble at the token endpoint',
      {},
      () => (fcm.tokenAct = { status: 503 }),
      'Google gives no access token',
    ],
    [
      'an access token that it does not know',
      {},
      () => fcm.tally.script(NO_DEVICE, fcmError(401, 'UNAUTHENTICATED')),
      'FCM refuses the access token of push@shop',
    ],
    [
      'a connection that is cut',
      {},
      () => fcm.tally.script(NO_DEVICE, { cut: true }),
      'FCM does not answer at',
    ],
    ['trouble at FCM', {}, () => fcm.tally.script(NO_DEVICE, { status: 503 }), 'FCM answered 503'],
  ])('FCM, %s', async (_name, members, arrange, says) => {
    arrange?.();
    expect(await refusal('fcm', { serviceAccount: serviceAccount(members) })).toContain(says);
  });

  const STATUS: Readonly<Record<string, number>> = {
    TooManyProviderTokenUpdates: 429,
    ServiceUnavailable: 503,
  };
  const otherP8 = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  it.each<[string, Record<string, string>, string | undefined, string]>([
    ['another key’s file', { key: otherP8 }, undefined, 'APNs does not know the key: ABCDE12345'],
    ['another Key ID', { keyId: 'ZZZZZ12345' }, undefined, 'APNs does not know the key: ZZZZZ12345'],
    ['another team', { teamId: 'TEAM654321' }, undefined, 'is no key of team TEAM654321'],
    [
      'another topic',
      { topic: 'com.example.other' },
      undefined,
      'may not send for the topic com.example.other',
    ],
    ['a clock that is behind', {}, 'ExpiredProviderToken', 'APNs finds the token too old'],
    [
      'a key of the other environment',
      {},
      'BadEnvironmentKeyInToken',
      'is not for the environment production',
    ],
    ['a key of no relation', {}, 'UnrelatedKeyIdInToken', 'belongs to another team than TEAM123456'],
    ['too many tokens', {}, 'TooManyProviderTokenUpdates', 'APNs was given too many tokens'],
    ['trouble at APNs', {}, 'ServiceUnavailable', 'APNs answered 503'],
    ['an environment nobody answers at', { environment: 'sandbox' }, undefined, 'APNs does not answer'],
  ])('APNs, %s', async (_name, members, reason, says) => {
    if (reason !== undefined) apns.tally.script(ZEROS, apnsError(STATUS[reason] ?? 403, reason));
    expect(await refusal('apns', apnsCredential(members))).toContain(says);
  });

  it('APNs, a topic that only a push has shown to be wrong', async () => {
    await management.ask('PUT', path('apns'), apnsCredential());
    await query(
      target.databaseUrl ?? '',
      `update provider_credential set fault = 'DeviceTokenNotForTopic', fault_since = now() where kind = 'apns'`,
    );
    const { good, says } = await checked('apns');
    expect(good).toBe(false);
    expect(says).toContain('But a push was refused');
    const [standing] = (await management.ask('GET', path(''))).list();
    expect(standing).toMatchObject({ kind: 'apns', fault: 'DeviceTokenNotForTopic' });
  });

  it('one that this process cannot open', async () => {
    await management.ask('PUT', path('fcm'), { serviceAccount: serviceAccount() });
    await query(
      target.databaseUrl ?? '',
      `update provider_credential set secret_sealed = 'other.AAAA' where kind = 'fcm'`,
    );
    expect((await checked('fcm')).says).toMatch(/^This process cannot open it/);
  });

  it('and the page explains nothing that a check does not say', () => {
    const never = explained.filter((row) => !seen.has(row)).map((row) => row.join(' … '));
    // Of 15 seconds without an answer.
    expect(never).toEqual(['The provider did not']);
  });

  it('asks APNs once a minute, and shows the last answer within it', async () => {
    const asked = (): number => apns.peer.connected;
    await management.ask('PUT', path('apns'), apnsCredential());
    const first = (await management.ask('POST', `${path('apns')}/check`)).json();
    const before = asked();
    expect((await management.ask('POST', `${path('apns')}/check`)).json()).toEqual(first);
    expect(asked()).toBe(before);
    // Of a new version something new is to be learned. Whoever asks while that goes on has to come again.
    await management.ask('PUT', path('apns'), apnsCredential());
    apns.tally.script(ZEROS, { ...apnsError(400, 'BadDeviceToken'), afterMs: 500 });
    const both = await Promise.all([1, 2].map(() => management.call('POST', `${path('apns')}/check`)));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429]);
    expect(asked()).toBe(before + 1);
  });
});

describe('a credential that is refused', () => {
  afterEach(() => apns.tally.always(undefined));

  it('is named, stops no other type, goes on after a good check, and is gone at once when it is removed', async () => {
    const shop = await management.newService();
    const own = `/v1/services/${encodeURIComponent(shop.serviceId)}/credentials`;
    await management.ask('PUT', `${own}/fcm`, { serviceAccount: serviceAccount() });
    await management.ask('PUT', `${own}/apns`, apnsCredential());
    const [android, phone] = ['android-2', 'b0'.repeat(32)];
    await shop.register({ userId: 'a', deviceToken: android });
    await shop.register({ userId: 'b', deviceType: 'APNS', deviceToken: phone });
    apns.tally.always(apnsError(403, 'InvalidProviderToken'));
    await send(shop, message());
    await eventually(() => fcm.tally.taken(android) === 1);
    await eventually(async () => {
      const ready = (await management.ask('GET', '/health/ready')).text;
      return ready.includes(`apns of ${shop.serviceId} is refused since`);
    });
    expect(await (await fetch(target.metricsUrl ?? '')).text()).toContain(
      `carillon_push_credential_refused{service="${shop.serviceId}",kind="apns"} 1`,
    );
    expect(apns.tally.taken(phone)).toBe(0);

    apns.tally.always(undefined);
    const checked = (await management.ask('POST', `${own}/apns/check`)).json();
    expect(checked).toMatchObject({ version: 2, fault: null, checkGood: true });
    const toPhone = message({ target: { type: 'USER', to: ['b'] } });
    const sentNow = async () => (await finalResult(shop, await send(shop, toPhone)))['sentCount'];
    // Without the end of the pause, which is a minute at least.
    expect(await sentNow()).toBe(1);
    expect(await sentNow()).toBe(1);

    // Remembered for five seconds, and forgotten at the notification.
    await management.ask('DELETE', `${own}/apns`);
    const last = await send(shop, toPhone);
    expect(await finalResult(shop, last)).toMatchObject({ sentCount: 0 });
    expect((await shop.get(`messages/${last}/breakdown`)).text).toContain('PROVIDER_NOT_CONFIGURED');
  });
});

describe('carillon-push credential', () => {
  it('takes a key from standard input, says what is wrong with it, and ends a failed check with 1', async () => {
    const { serviceId } = await management.newService();
    const add = (kind: string, input: string, ...more: string[]) =>
      carillonPush(target, ['credential', 'add', serviceId, kind, ...more], input);
    const short = await add('apns', p8, '--key-id', 'short', '--team-id', 'TEAM123456');
    expect([short.code, short.err]).toEqual([
      1,
      expect.stringMatching(/\/keyId: must be the Key ID.*\/topic: must be.*\/environment: must be/s),
    ]);
    expect((await add('fcm', 'no JSON')).code).toBe(2);
    const gone = JSON.stringify(serviceAccount({ project_id: 'other' }));
    const added = await add('fcm', gone);
    expect([added.code, added.err]).toEqual([0, '']);
    expect(added.out).not.toContain('BEGIN');
    const checked = await carillonPush(target, ['credential', 'check', serviceId, 'fcm']);
    expect([checked.code, checked.out]).toEqual([1, expect.stringContaining('FCM knows no project other')]);
    expect((await carillonPush(target, ['credential', 'remove', serviceId, 'fcm'])).code).toBe(0);
  });
});
