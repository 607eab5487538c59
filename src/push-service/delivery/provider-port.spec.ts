// What every provider promises by the port, whatever is behind it: provider-port.ts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  apnsStage,
  fcmStage,
  FakeCredentials,
  variantOf,
  type Stage,
} from '../../../test/support/peers/provider-stages.js';
import { SteppedClock } from '../../platform/clock.js';
import type { CredentialRef, Job, Outcome, Provider, Target } from './provider-port.js';
import { SandboxProvider } from './sandbox/sandbox-provider.js';

interface PortStage {
  readonly provider: Provider;
  readonly credential: CredentialRef;
  /** The token of a device whose answer comes late. */
  lateToken(name: string): string;
  close(): Promise<void>;
}

function overHttp2(open: (credentials: FakeCredentials, clock: SteppedClock) => Promise<Stage>) {
  return async (clock: SteppedClock): Promise<PortStage> => {
    const { provider, kind, tally, peer } = await open(new FakeCredentials(), clock);
    return {
      provider,
      credential: { id: 'c1', version: 1, kind },
      lateToken: (name) => {
        tally.script(name, { status: 200, afterMs: 100 });
        return name;
      },
      close: async () => {
        await provider.close(0);
        await peer.close();
      },
    };
  };
}

function sandbox(clock: SteppedClock): Promise<PortStage> {
  return Promise.resolve({
    provider: new SandboxProvider(clock),
    credential: { id: 'c1', version: 1, kind: 'sandbox' },
    lateToken: (name) => `slow-${name}`,
    close: () => Promise.resolve(),
  });
}

describe.each([
  ['FCM', overHttp2(fcmStage)],
  ['APNs', overHttp2(apnsStage)],
  ['the sandbox', sandbox],
] as const)('%s', (_name, open) => {
  const clock = new SteppedClock('2027-03-01T00:00:00Z');
  const unhandled: unknown[] = [];
  const notice = (reason: unknown): void => void unhandled.push(reason);
  let stage: PortStage;

  beforeEach(async () => {
    process.on('unhandledRejection', notice);
    stage = await open(clock);
  });
  afterEach(async () => {
    await stage.close();
    process.off('unhandledRejection', notice);
    // No assertion belongs here; a throw fails the test as well.
    if (unhandled.length > 0) throw new Error('an error was nobody’s', { cause: unhandled.splice(0) });
  });

  const targetsOf = (tokens: readonly string[]): Target[] =>
    tokens.map((token, place) => ({ place, deviceId: String(place), token, variant: 0 }));
  const names = (count: number, prefix: string): string[] =>
    Array.from({ length: count }, (_, at) => `${prefix}${at}`);

  interface Delivery {
    readonly notAfter?: Job['notAfter'];
    readonly signal?: AbortSignal;
    readonly onOutcome?: (outcome: Outcome) => void;
  }

  /** Fails if a target is reported twice, or not at all. */
  async function deliver(tokens: readonly string[], { notAfter, signal, onOutcome }: Delivery = {}) {
    const { provider, credential } = stage;
    const job: Job = {
      firingId: '71',
      requestId: 'r1',
      serviceId: 's1',
      credential,
      notAfter,
      variants: [variantOf(credential.kind)],
    };
    const outcomes = new Map<number, Outcome>();
    await provider.deliver(job, targetsOf(tokens), {
      signal: signal ?? new AbortController().signal,
      report: (place, outcome) => {
        expect(outcomes.has(place), `place ${place} was reported twice`).toBe(false);
        outcomes.set(place, outcome);
        onOutcome?.(outcome);
      },
    });
    expect([...outcomes.keys()].sort((a, b) => a - b)).toEqual([...tokens.keys()]);
    return tokens.map((_, place) => outcomes.get(place));
  }

  it('reports each target once, of many slices at once', async () => {
    const slices = ['a', 'b', 'c'].map((prefix) => names(200, prefix));
    const outcomes = await Promise.all(slices.map((slice) => deliver(slice)));
    expect(new Set(outcomes.flat().map((one) => one?.kind))).toEqual(new Set(['sent']));
  });

  it('aborted, begins nothing more, and reports each target all the same', async () => {
    await deliver(['first']);
    const stop = new AbortController();
    const tokens = names(200, 'd').map((name, at) => (at < 2 ? name : stage.lateToken(name)));
    const outcomes = await deliver(tokens, { signal: stop.signal, onOutcome: () => stop.abort() });
    const kinds = outcomes.map((one) => one?.kind);
    expect(new Set(kinds)).toEqual(new Set(['sent', 'retry']));
    expect(outcomes.at(-1)).toEqual({ kind: 'retry', reason: 'STOPPED', afterMs: 0 });
  });

  it('aborted before, begins nothing', async () => {
    const outcomes = await deliver(names(5, 'd'), { signal: AbortSignal.abort() });
    expect(new Set(outcomes.map((one) => one?.kind))).toEqual(new Set(['retry']));
  });

  it('hands nothing over at or after the end of its job, between two targets too', async () => {
    const at = clock.now() + 1_000;
    const outcomes = await deliver(names(3, 'd'), {
      notAfter: { at, reason: 'EXPIRED' },
      onOutcome: () => clock.set(at),
    });
    const expired = { kind: 'failed', reason: 'EXPIRED' };
    expect(outcomes).toEqual([{ kind: 'sent' }, expired, expired]);
  });
});
