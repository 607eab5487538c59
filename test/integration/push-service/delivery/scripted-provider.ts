// A provider that a spec writes: it says what becomes of each token, at once or later, and remembers what it was handed.
import type {
  CredentialRef,
  CredentialReport,
  Job,
  Outcome,
  Provider,
  Readiness,
  Target,
  DeliveryCallbacks,
} from '../../../../src/push-service/delivery/provider-port.js';
import type { Route } from '../../../../src/push-service/delivery/queue-turns.js';

export const SENT: Outcome = { kind: 'sent' };
const NO_TURN: Outcome = { kind: 'retry', reason: 'NO_TURN', afterMs: 0 };

export type Script = (token: string, job: Job) => Outcome | Promise<Outcome>;

export class ScriptedProvider implements Provider {
  readonly handed: string[] = [];
  readonly jobs: Job[] = [];
  isRefusing = false;
  /** It rests for another reason: the network, a rate. */
  isResting = false;
  roomLeft = 1_000;

  constructor(
    readonly lostAnswerIs: Provider['lostAnswerIs'],
    private readonly script: Script = () => SENT,
  ) {}

  room(): number {
    return this.roomLeft;
  }

  readiness(): Readiness {
    if (this.isRefusing) return 'refused';
    return this.isResting ? 'paused' : 'answering';
  }

  waitForRoom(): Promise<void> {
    return Promise.resolve();
  }

  /** Slice by slice, as there is room; what has none when that was waited for stays. */
  async deliver(job: Job, targets: readonly Target[], to: DeliveryCallbacks): Promise<void> {
    this.jobs.push(job);
    if (this.lostAnswerIs === 'again') return this.hand(job, targets, to);
    const handed: Promise<void>[] = [];
    let left = targets;
    while (left.length > 0 && !to.signal.aborted) {
      if (this.room() === 0) await this.waitForRoom();
      const slice = left.slice(0, this.room());
      const last = slice.at(-1);
      if (last === undefined || to.signal.aborted) break;
      if ((await to.leaves?.(last.place + 1)) === false) break;
      left = left.slice(slice.length);
      handed.push(this.hand(job, slice, to));
    }
    for (const { place } of left) to.report(place, NO_TURN);
    await Promise.all(handed);
  }

  async hand(job: Job, targets: readonly Target[], to: DeliveryCallbacks): Promise<void> {
    this.handed.push(...targets.map(({ token }) => token));
    await Promise.all(
      targets.map(async ({ place, token }) => {
        const outcome = this.script(token, job);
        to.report(place, outcome instanceof Promise ? await outcome : outcome);
      }),
    );
  }

  check(): Promise<CredentialReport> {
    return Promise.resolve({ good: true, says: '' });
  }
}

/** Stands for a row of provider_credential: `addCredential` makes it. */
export const CREDENTIAL: CredentialRef = {
  id: '0198c7a0-0000-7000-8000-00000000000c',
  version: 1,
  kind: 'fcm',
};

/** Every queue by this provider. */
export function routeTo(provider: Provider, faultSince?: number, credential = CREDENTIAL) {
  return (): Promise<Route> => Promise.resolve({ provider, credential, faultSince });
}
