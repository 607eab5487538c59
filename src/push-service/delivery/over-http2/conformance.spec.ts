// What both adapters over HTTP/2 promise beside what every provider does (provider-port.spec.ts), each against its peer.
import { constants } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import {
  apnsStage,
  fcmStage,
  FakeCredentials,
  variantOf,
  type Stage,
} from '../../../../test/support/peers/provider-stages.js';
import type { PeerAct } from '../../../../tools/peers/http2-peer.js';
import { SteppedClock } from '../../../platform/clock.js';
import type { CredentialRef, Job, Outcome, Target } from '../provider-port.js';

describe.each([
  ['FCM', fcmStage],
  ['APNs', apnsStage],
] as const)('%s', (_name, open) => {
  let credentials: FakeCredentials;
  let clock: SteppedClock;
  let stage: Stage;
  const unhandled: unknown[] = [];
  const notice = (reason: unknown): void => void unhandled.push(reason);

  beforeEach(async () => {
    process.on('unhandledRejection', notice);
    credentials = new FakeCredentials();
    clock = new SteppedClock('2027-03-01T00:00:00Z');
    stage = await open(credentials, clock);
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
    variants: [variantOf(stage.kind)],
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

  /** Delivers, and fails if a target is reported twice. */
  async function deliver(job: Job, to: readonly Target[], signal = new AbortController().signal) {
    const outcomes = new Map<number, Outcome>();
    await stage.provider.deliver(job, to, {
      signal,
      report: (place, outcome) => {
        expect(outcomes.has(place), `place ${place} was reported twice`).toBe(false);
        outcomes.set(place, outcome);
      },
    });
    expect([...outcomes.keys()].sort((a, b) => a - b)).toEqual(to.map(({ place }) => place));
    return to.map(({ place }) => outcomes.get(place));
  }
  const kindsOf = (outcomes: readonly (Outcome | undefined)[]) => outcomes.map((one) => one?.kind);

  it('hands each target over once, and reports it once, many slices at once', async () => {
    const slices = ['a', 'b', 'c'].map((prefix) => targets(400, prefix));
    const outcomes = await Promise.all(slices.map((slice) => deliver(jobOf(), slice)));
    expect(new Set(kindsOf(outcomes.flat()))).toEqual(new Set(['sent']));
    expect(stage.tally.all.size).toBe(1_200);
    expect(new Set(stage.tally.all.values())).toEqual(new Set([1]));
    expect(credentials.news).toEqual([{ kind: 'proven' }]);
  });

  it('begins with one request, and has room for more once that push was taken', async () => {
    stage.tally.script('d0', { status: 200, afterMs: 100 });
    const delivered = deliver(jobOf(), targets(2));
    await eventually(() => stage.provider.load.open > 0, { everyMs: 1 });
    expect(stage.provider.load).toMatchObject({ window: 1, open: 1 });
    await delivered;
    expect(stage.provider.load).toMatchObject({ window: 50, open: 0 });
  });

  it('hands over no target whose end came while it waited for a connection', async () => {
    const at = clock.now() + 1_000;
    const delivered = deliver(jobOf({ notAfter: { at, reason: 'EXPIRED' } }), targets(1));
    await new Promise((resolve) => setImmediate(resolve));
    clock.set(at);
    expect(await delivered).toEqual([{ kind: 'failed', reason: 'EXPIRED' }]);
    expect(stage.tally.all.size).toBe(0);
  });

  it('sends to the other devices whatever text was registered as a token', async () => {
    await deliver(jobOf(), targets(1, 'first'));
    const long = '🔔'.repeat(4_096);
    const [first, second] = await deliver(jobOf(), [
      ...targets(1),
      { place: 1, deviceId: 'd1', token: long, variant: 0 },
    ]);
    expect(first).toEqual({ kind: 'sent' });
    // In a body it is like any other; in a path no request carries it.
    expect(second).toEqual(
      stage.kind === 'fcm' ? { kind: 'sent' } : { kind: 'failed', reason: 'BadDeviceToken' },
    );
    expect(stage.tally.taken(long)).toBe(stage.kind === 'fcm' ? 1 : 0);
  });

  it('sends a request once more if it was not taken, and not again', async () => {
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

  it('reports unknown, and repeats nothing, where the connection is cut before the answer', async () => {
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
      await eventually(() => stage.provider.readiness(credential()) !== 'paused');
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

  it('reports unknown what is not answered in time once aborted', async () => {
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

  it('pauses for a credential that was refused, and reports the rest so without asking', async () => {
    stage.tally.always(stage.wrongCredential);
    const outcomes = await deliver(jobOf(), targets(30));
    expect(new Set(kindsOf(outcomes))).toEqual(new Set(['credential']));
    expect(stage.provider.readiness(credential())).toBe('refused');
    expect(credentials.news).toHaveLength(1);
    expect(credentials.news[0]).toMatchObject({ kind: 'fault' });
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

  it('slows a device to which too much goes, and no other', async () => {
    await deliver(jobOf(), targets(1, 'first'));
    stage.tally.script('d0', ...Array.from({ length: 10 }, () => stage.deviceLimited));
    const [first, second] = await deliver(jobOf(), targets(2));
    expect([first?.kind, second]).toEqual(['retry', { kind: 'sent' }]);
    // Another message to it: nothing is sent, and the outcome says how long it still rests.
    const [again] = await deliver(jobOf({ firingId: '72' }), targets(1));
    expect(again?.kind).toBe('retry');
    const restOf = (outcome: Outcome | undefined) => (outcome?.kind === 'retry' ? outcome.afterMs : 0);
    expect(restOf(again)).toBeLessThanOrEqual(restOf(first));
    expect(restOf(again)).toBeGreaterThan(restOf(first) - 5_000);
    expect(stage.tally.left('d0')).toBe(9);
    expect(stage.provider.readiness(credential())).toBe('answering');
  });

  it('removes a device whose token is called bad only where most are taken', async () => {
    stage.tally.script('d0', stage.badToken);
    expect(kindsOf(await deliver(jobOf(), targets(1)))).toEqual(['failed']);
    await deliver(jobOf(), targets(5, 'good'));
    stage.tally.script('d0', stage.badToken);
    expect(kindsOf(await deliver(jobOf(), targets(1)))).toEqual(['gone']);
  });

  it('keeps all where the credential was replaced or removed since, and reports a broken one', async () => {
    const { opened } = credentials;
    credentials.opened = undefined;
    const missing = { kind: 'retry', reason: 'CREDENTIAL_CHANGED', afterMs: 5_000 };
    expect(await deliver(jobOf(), targets(2))).toEqual([missing, missing]);
    expect(await stage.provider.check(credential())).toMatchObject({ good: false });
    credentials.opened = { serviceId: 's1', secret: 'no key', settings: {}, isProven: false };
    const broken = { ...credential(), version: 2 };
    expect(kindsOf(await deliver(jobOf({ credential: broken }), targets(1)))).toEqual(['credential']);
    expect((await stage.provider.check(broken)).says).toMatch(/private/);
    credentials.opened = opened;
    const changed = { ...credential(), version: 3 };
    expect(kindsOf(await deliver(jobOf({ credential: changed }), targets(1)))).toEqual(['sent']);
  });

  it('rests where this process cannot read the credential, and calls that no fault of it', async () => {
    credentials.opened = 'unreadable';
    const { provider } = stage;
    expect(provider.readiness(credential())).toBe('untried');
    expect(new Set(kindsOf(await deliver(jobOf(), targets(50))))).toEqual(new Set(['credential']));
    expect(new Set(kindsOf(await deliver(jobOf(), targets(1))))).toEqual(new Set(['credential']));
    expect(provider.readiness(credential())).toBe('paused');
    expect([credentials.news, credentials.opens]).toEqual([[], 1]);
  });

  it('says of a good credential that it is, and reaches nobody', async () => {
    expect(await stage.provider.check(credential())).toMatchObject({ good: true });
    expect(stage.tally.all.size).toBe(0);
  });

  it('may go again later where the provider cannot be reached', async () => {
    await stage.provider.deliver(jobOf(), [], {
      signal: new AbortController().signal,
      report: () => undefined,
    });
    const { peer } = stage;
    await peer.close();
    const outcomes = await deliver(jobOf(), targets(2));
    expect(kindsOf(outcomes)).toEqual(['retry', 'retry']);
    stage = await open(credentials, clock);
  });
});
