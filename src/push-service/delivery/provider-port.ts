// The port to what reaches devices: FCM, APNs, or the sandbox. The caller passes the targets of a chunk and gets one outcome for
// each as soon as it is known. An adapter never sees users, consent or messages.
import type { EpochMs } from '../../platform/clock.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { Variant } from '../../push-contract/payload/render.js';

export interface CredentialRef {
  readonly id: string;
  /** Every change makes a new version. What was learned under the old version does not apply to it. */
  readonly version: number;
  readonly kind: 'fcm' | 'apns' | 'sandbox';
}

/** What the targets of one chunk have in common, such as the credential. All have one device type. */
export interface Job {
  readonly firingId: string;
  readonly requestId: string;
  readonly serviceId: string;
  readonly credential: CredentialRef;
  readonly variants: readonly Variant[];
  /** An instant of the wall clock. Nothing leaves at it or later: targets that are left then fail with the reason. */
  readonly notAfter: { readonly at: EpochMs; readonly reason: string } | undefined;
  /** The trace that its message belongs to. It is for spans and log lines; no provider gets it. */
  readonly trace?: TraceContext | undefined;
}

export interface Target {
  /** The target's number in this job. */
  readonly place: number;
  readonly deviceId: string;
  readonly token: string;
  /** Index in the job's variants. */
  readonly variant: number;
}

export type Outcome =
  | { readonly kind: 'sent' }
  /** Refused for good; the device stays registered. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Failed. The device is deactivated unless it was registered again after `since`, or, without `since`, after the claim. */
  | { readonly kind: 'gone'; readonly reason: string; readonly since?: EpochMs }
  /** Refused or not taken. It may go again after `afterMs`, real milliseconds; 0 if the provider named no time. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number }
  /** The provider may have taken it, so it never goes again. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Refused because of the credential, not of the device. */
  | { readonly kind: 'credential'; readonly reason: string };

export interface DeliveryCallbacks {
  readonly signal: AbortSignal;
  report(place: number, outcome: Outcome): void;
  /**
   * The provider awaits this before targets leave: from then on the places before `end` may have left. If it returns false or
   * rejects, nothing more may leave, and the provider reports no outcome for what did not leave. [always true]
   */
  leaves?(end: number): Promise<boolean>;
}

/** What a check found, in words for whoever set the credential up. */
export interface CredentialReport {
  readonly good: boolean;
  readonly says: string;
}

/** untried: no request was answered yet. silent: requests are open, and none was answered for some seconds. */
export type Responsiveness = 'answering' | 'untried' | 'silent';

/**
 * paused: nothing may be handed over for a while, whatever answers come. refused: the same, because the credential is refused.
 */
export type Readiness = Responsiveness | 'paused' | 'refused';

export interface Provider {
  /** What a lost answer means. `again`: our own rows show what was taken, so the device may be handed over again. */
  readonly lostAnswerIs: 'unknown' | 'again';
  /** How the provider answers under the credential, as far as this process knows now. */
  readiness(credential: CredentialRef): Readiness;
  /**
   * Reports the outcome of each target exactly once, then resolves. Throws for bugs, where the credential cannot be read, and
   * what leaves() throws. Many calls may run at once. Targets leave in their order, each when it has a turn. A target that has no
   * turn for long is reported as `retry` and does not leave. Once aborted, deliver() starts no more targets (retry, 0 ms), waits
   * 10 s for answers, and reports the rest as unknown.
   */
  deliver(job: Job, targets: readonly Target[], to: DeliveryCallbacks): Promise<void>;
  /** Asks the provider whether it accepts the credential. Reaches no device. */
  check(credential: CredentialRef): Promise<CredentialReport>;
}

/** A credential as an adapter reads it. */
export interface OpenedCredential {
  readonly serviceId: string;
  /** The service account's JSON, or the p8 file. */
  readonly secret: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Whether a push under it was ever accepted. */
  readonly isProven: boolean;
}

export type CredentialNews =
  | { readonly kind: 'proven' }
  | { readonly kind: 'fault'; readonly reason: string }
  /** Devices fail although the credential is good: an operator must change something at the provider. */
  | { readonly kind: 'warning'; readonly reason: string };

/** Where adapters read credentials, and report what they learn about them. */
export interface CredentialSource {
  /** Undefined: there is no such version. unreadable: this process lacks the master key under which it was sealed. */
  open(credential: CredentialRef): Promise<OpenedCredential | 'unreadable' | undefined>;
  /** The ids whose credentials still exist, in any version. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Never throws, and returns at once. */
  learned(credential: CredentialRef, news: CredentialNews): void;
}
