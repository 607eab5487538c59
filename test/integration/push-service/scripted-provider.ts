// A provider that a spec writes: it says what becomes of each token, at once or later, and remembers what it was handed.
import type {
  CredentialRef,
  CredentialReport,
  Job,
  Outcome,
  Provider,
  Target,
  Told,
} from '../../../src/push-service/delivery/provider-port.js';
import type { Route } from '../../../src/push-service/delivery/queue-turns.js';

export const SENT: Outcome = { kind: 'sent' };

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

  isPaused(): boolean {
    return this.isRefusing || this.isResting;
  }

  refuses(): boolean {
    return this.isRefusing;
  }

  waitForRoom(): Promise<void> {
    return Promise.resolve();
  }

  async deliver(job: Job, targets: readonly Target[], to: Told): Promise<void> {
    this.jobs.push(job);
    this.handed.push(...targets.map(({ token }) => token));
    await Promise.all(
      targets.map(async ({ place, token }) => {
        const outcome = this.script(token, job);
        to.told(place, outcome instanceof Promise ? await outcome : outcome);
      }),
    );
  }

  check(): Promise<CredentialReport> {
    return Promise.resolve({ good: true, says: '' });
  }
}

/** Every queue by this provider. */
export function routeTo(provider: Provider, faultSince?: number) {
  const credential: CredentialRef = { id: 'c1', version: 1, kind: 'fcm' };
  return (): Promise<Route> => Promise.resolve({ provider, credential, faultSince });
}
