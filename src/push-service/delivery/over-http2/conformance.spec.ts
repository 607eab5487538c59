// What both adapters promise by the port, each against a peer of its own that verifies keys and headers with other means
// than ours. The contract: provider-port.ts.
import { generateKeyPairSync } from 'node:crypto';
import { constants } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { ApnsPeer, apnsError } from '../../../../tools/peers/apns-peer.js';
import { fcmError, FcmPeer } from '../../../../tools/peers/fcm-peer.js';
import type { Http2Peer, PeerAct } from '../../../../tools/peers/http2-peer.js';
import type { Tally } from '../../../../tools/peers/tally.js';
import { SteppedClock } from '../../../platform/clock.js';
import { HTTP2_LIMITS } from '../../../platform/http/http2-limits.js';
import { createLog } from '../../../platform/log.js';
import { ApnsProvider } from '../apns/apns-provider.js';
import { FcmProvider } from '../fcm/fcm-provider.js';
import type {
  CredentialNews,
  CredentialRef,
  CredentialShelf,
  Job,
  OpenedCredential,
  Outcome,
  Target,
} from '../provider-port.js';
import type { Http2Provider } from './http2-provider.js';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const LIMITS = { ...HTTP2_LIMITS, tickMs: 10, gapMs: 20, backOffMs: 50, requestMs: 5_000 };
const log = createLog('spec', 'silent');

interface Stage {
  readonly kind: 'fcm' | 'apns';
  readonly provider: Http2Provider;
  readonly peer: Http2Peer;
  readonly tally: Tally;
  /** An answer that says that the credential is wrong. */
  readonly wrongCredential: PeerAct;
  readonly messageRefused: PeerAct;
  readonly badToken: PeerAct;
}

class Shelf implements CredentialShelf {
  readonly news: CredentialNews[] = [];
  opened: OpenedCredential | undefined;
  open(): Promise<OpenedCredential | undefined> {
    return Promise.resolve(this.opened);
  }
  learned(_credential: CredentialRef, news: CredentialNews): void {
    this.news.push(news);
  }
}

async function fcmStage(shelf: Shelf, clock: SteppedClock): Promise<Stage> {
  const account = { projectId: 'shop', clientEmail: 'push@shop.iam.gserviceaccount.com', privateKeyId: 'k1' };
  const fcm = await FcmPeer.open({ ...account, publicKey: RSA.publicKey });
  const { origin, ca } = fcm.peer;
  shelf.opened = {
    secret: JSON.stringify({
      project_id: account.projectId,
      client_email: account.clientEmail,
      private_key_id: account.privateKeyId,
      private_key: RSA.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: 'https://elsewhere.example/token',
    }),
    settings: {},
    isProven: false,
  };
  const addresses = { origin, tokenUrl: `${origin}/token`, ca, limits: LIMITS, perSecond: 9_000 };
  const provider = new FcmProvider({ ...addresses, shelf, clock, log, abortMs: 200 });
  const wrong = 'INVALID_ARGUMENT';
  return {
    kind: 'fcm',
    provider,
    peer: fcm.peer,
    tally: fcm.tally,
    wrongCredential: fcmError(403, 'PERMISSION_DENIED'),
    messageRefused: fcmError(400, wrong, wrong),
    badToken: fcmError(400, wrong, wrong, { fieldViolations: [{ field: 'message.token' }] }),
  };
}

async function apnsStage(shelf: Shelf, clock: SteppedClock): Promise<Stage> {
  const settings = { keyId: 'ABCDE12345', teamId: 'TEAM123456', topic: 'com.example.shop' };
  const apns = await ApnsPeer.open({ ...settings, publicKey: EC.publicKey });
  const { origin, ca } = apns.peer;
  const secret = EC.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  shelf.opened = { secret, settings: { ...settings, environment: 'production' }, isProven: false };
  const origins = { production: origin, sandbox: 'https://127.0.0.1:9' };
  const provider = new ApnsProvider({ origins, ca, limits: LIMITS, shelf, clock, log, abortMs: 200 });
  return {
    kind: 'apns',
    provider,
    peer: apns.peer,
    tally: apns.tally,
    wrongCredential: apnsError(403, 'InvalidProviderToken'),
    messageRefused: apnsError(413, 'PayloadTooLarge'),
    badToken: apnsError(400, 'BadDeviceToken'),
  };
}

describe.each([
  ['FCM', fcmStage],
  ['APNs', apnsStage],
] as const)('%s', (_name, open) => {
  let shelf: Shelf;
  let clock: SteppedClock;
  let stage: Stage;
  const unhandled: unknown[] = [];
  const notice = (reason: unknown): void => void unhandled.push(reason);

  beforeEach(async () => {
    process.on('unhandledRejection', notice);
    shelf = new Shelf();
    clock = new SteppedClock('2027-03-01T00:00:00Z');
    stage = await open(shelf, clock);
  });
  afterEach(async () => {
    await stage.provider.close(0);
    await stage.peer.close();
    process.off('unhandledRejection', notice);
    // No assertion belongs here; a throw fails the test as well.
    if (unhandled.length > 0) throw new Error('an error was nobody’s', { cause: unhandled.splice(0) });
  });

  const credential = (): CredentialRef => ({ id: 'c1', version: 1, kind: stage.kind });
  const jobOf = (more: Partial<Job> = {}): Job => ({
    firingId: '71',
    requestId: 'r1',
    serviceId: 's1',
    credential: credential(),
    variants: [
      stage.kind === 'fcm'
        ? { deviceType: 'GCM', language: 'ko', headers: {}, body: '{"data":{"content":"hello"}}' }
        : {
            deviceType: 'APNS',
            language: 'ko',
            headers: { 'apns-push-type': 'alert', 'apns-collapse-id': 'order-7' },
            body: '{"aps":{"alert":"hello"}}',
          },
    ],
    notAfter: undefined,
    ...more,
  });
  const targets = (count: number, prefix = 'd'): Target[] =>
    Array.from({ length: count }, (_, place) => ({
      place,
      deviceId: `${prefix}${place}`,
      token: `${prefix}${place}`,
      variant: 0,
    }));

  /** Delivers, and fails if a target is told twice. */
  async function deliver(job: Job, to: readonly Target[], signal = new AbortController().signal) {
    const told = new Map<number, Outcome>();
    await stage.provider.deliver(job, to, {
      signal,
      told: (place, outcome) => {
        expect(told.has(place), `place ${place} was told twice`).toBe(false);
        told.set(place, outcome);
      },
    });
    expect([...told.keys()].sort((a, b) => a - b)).toEqual(to.map(({ place }) => place));
    return to.map(({ place }) => told.get(place));
  }
  const kindsOf = (outcomes: readonly (Outcome | undefined)[]) => outcomes.map((one) => one?.kind);

  it('hands each target over once, and tells it once, many slices at once', async () => {
    const slices = ['a', 'b', 'c'].map((prefix) => targets(400, prefix));
    const outcomes = await Promise.all(slices.map((slice) => deliver(jobOf(), slice)));
    expect(new Set(kindsOf(outcomes.flat()))).toEqual(new Set(['sent']));
    expect(stage.tally.all.size).toBe(1_200);
    expect(new Set(stage.tally.all.values())).toEqual(new Set([1]));
    expect(shelf.news).toEqual([{ kind: 'proven' }]);
  });

  it('begins with one request, and has room for more once it was taken', async () => {
    expect(stage.provider.room(credential())).toBe(1);
    await stage.provider.waitForRoom(credential(), new AbortController().signal);
    await deliver(jobOf(), targets(1));
    expect(stage.provider.room(credential())).toBe(50);
  });

  it('goes once more where a request was not taken, and no more than that', async () => {
    await deliver(jobOf(), targets(1, 'first'));
    const refused = { reset: constants.NGHTTP2_REFUSED_STREAM };
    stage.tally.script('d0', refused);
    stage.tally.script('d1', refused, refused);
    expect(await deliver(jobOf(), targets(2))).toEqual([
      { kind: 'sent' },
      { kind: 'retry', reason: 'NOT_TAKEN', afterMs: 0 },
    ]);
    expect([stage.tally.taken('d0'), stage.tally.taken('d1')]).toEqual([1, 0]);
  });

  it('tells unknown, and repeats nothing, where the connection is cut before the answer', async () => {
    await deliver(jobOf(), targets(1, 'first'));
    stage.tally.script('d0', { cut: true });
    expect(await deliver(jobOf(), targets(1))).toEqual([{ kind: 'unknown', reason: 'NO_ANSWER' }]);
  });

  it('loses none and doubles none through GOAWAYs, refused streams and cuts', async () => {
    await deliver(jobOf(), targets(1, 'first'));
    const all = targets(1_000);
    const acts: PeerAct[] = [{ goaway: 0 }, { goaway: 1 }, { reset: 7 }, { cut: true }];
    for (let at = 50; at < 1_000; at += 100)
      stage.tally.script(`d${at}`, acts[(at / 50) % 4] ?? { reset: 7 });
    let left = all;
    const ends = new Map<string, string>();
    while (left.length > 0) {
      const outcomes = await deliver(jobOf(), left);
      for (const [at, { token }] of left.entries()) ends.set(token, outcomes[at]?.kind ?? '');
      left = left.filter(({ token }) => ends.get(token) === 'retry');
      await stage.provider.waitForRoom(credential(), new AbortController().signal);
    }
    expect(new Set(ends.values())).toEqual(new Set(['sent', 'unknown']));
    for (const { token } of all) {
      const taken = stage.tally.taken(token);
      expect(ends.get(token) === 'sent' ? [1] : [0, 1]).toContain(taken);
    }
  });

  it('begins nothing more once aborted, and waits for what is open', async () => {
    await deliver(jobOf(), targets(1, 'first'));
    const stop = new AbortController();
    stage.tally.always({ status: 200, afterMs: 100 });
    const delivered = deliver(jobOf(), targets(200), stop.signal);
    await eventually(() => stage.tally.all.size > 10, { everyMs: 1 });
    stop.abort();
    const outcomes = await delivered;
    expect(new Set(kindsOf(outcomes))).toEqual(new Set(['sent', 'retry']));
    const sent = kindsOf(outcomes).filter((kind) => kind === 'sent').length;
    expect(sent).toBe(stage.tally.all.size - 1);
    expect(outcomes.at(-1)).toEqual({ kind: 'retry', reason: 'STOPPED', afterMs: 0 });
  });

  it('tells unknown what is not answered in time once aborted', async () => {
    await deliver(jobOf(), targets(1, 'first'));
    const stop = new AbortController();
    stage.tally.script('d0', { silent: true });
    const delivered = deliver(jobOf(), targets(2), stop.signal);
    await eventually(() => stage.tally.taken('d1') === 1);
    stop.abort();
    expect(kindsOf(await delivered)).toEqual(['unknown', 'sent']);
  });

  it('starts nothing that was aborted before', async () => {
    expect(new Set(kindsOf(await deliver(jobOf(), targets(5), AbortSignal.abort())))).toEqual(
      new Set(['retry']),
    );
    expect(stage.tally.all.size).toBe(0);
  });

  it('sends nothing at or after notAfter, between two targets too', async () => {
    const at = clock.now() + 1_000;
    const job = jobOf({ notAfter: { at, reason: 'EXPIRED' } });
    // Unproven, one at a time: the second waits for the first, whose answer comes after the end.
    stage.tally.script('d0', { status: 200, afterMs: 100 });
    const delivered = deliver(job, targets(3));
    await eventually(() => stage.tally.taken('d0') === 1, { everyMs: 1 });
    clock.set(at);
    const expired = { kind: 'failed', reason: 'EXPIRED' };
    expect(await delivered).toEqual([{ kind: 'sent' }, expired, expired]);
    expect(stage.tally.all.size).toBe(1);
  });

  it('pauses for a credential that was refused, and tells the rest so without asking', async () => {
    stage.tally.always(stage.wrongCredential);
    const outcomes = await deliver(jobOf(), targets(30));
    expect(new Set(kindsOf(outcomes))).toEqual(new Set(['credential']));
    expect(stage.provider.room(credential())).toBe(0);
    expect(shelf.news).toHaveLength(1);
    expect(shelf.news[0]).toMatchObject({ kind: 'fault' });
    // A new version begins anew.
    stage.tally.always(undefined);
    const changed = { ...credential(), version: 2 };
    expect(kindsOf(await deliver(jobOf({ credential: changed }), targets(2)))).toEqual(['sent', 'sent']);
  });

  it('fails the rest of a message that was refused twenty times running', async () => {
    const seen: string[] = [];
    stage.tally.always(stage.messageRefused);
    const next = stage.tally.next.bind(stage.tally);
    stage.tally.next = (token) => {
      seen.push(token);
      return next(token);
    };
    const outcomes = await deliver(jobOf(), targets(100));
    expect(new Set(kindsOf(outcomes))).toEqual(new Set(['failed']));
    expect(new Set(outcomes.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(seen).toHaveLength(20);
  });

  it('removes a device whose token is called bad only where most are taken', async () => {
    stage.tally.script('d0', stage.badToken);
    expect(kindsOf(await deliver(jobOf(), targets(1)))).toEqual(['failed']);
    await deliver(jobOf(), targets(5, 'good'));
    stage.tally.script('d0', stage.badToken);
    expect(kindsOf(await deliver(jobOf(), targets(1)))).toEqual(['gone']);
  });

  it('fails all where there is no credential, and has a broken one told', async () => {
    const { opened } = shelf;
    shelf.opened = undefined;
    const missing = { kind: 'failed', reason: 'PROVIDER_NOT_CONFIGURED' };
    expect(await deliver(jobOf(), targets(2))).toEqual([missing, missing]);
    expect(await stage.provider.check(credential())).toMatchObject({ good: false });
    shelf.opened = { secret: 'no key', settings: {}, isProven: false };
    expect(kindsOf(await deliver(jobOf(), targets(1)))).toEqual(['credential']);
    expect((await stage.provider.check(credential())).says).toMatch(/private/);
    shelf.opened = opened;
    const changed = { ...credential(), version: 2 };
    expect(kindsOf(await deliver(jobOf({ credential: changed }), targets(1)))).toEqual(['sent']);
  });

  it('says of a good credential that it is, and reaches nobody', async () => {
    expect(await stage.provider.check(credential())).toMatchObject({ good: true });
    expect(stage.tally.all.size).toBe(0);
  });

  it('may go again later where the provider cannot be reached', async () => {
    await stage.provider.deliver(jobOf(), [], {
      signal: new AbortController().signal,
      told: () => undefined,
    });
    const { peer } = stage;
    await peer.close();
    const outcomes = await deliver(jobOf(), targets(2));
    expect(kindsOf(outcomes)).toEqual(['retry', 'retry']);
    stage = await open(shelf, clock);
  });
});
