// The port to what really reaches devices: FCM, APNs, or the sandbox. The targets of a chunk go in, and one outcome for each comes
// out as it becomes known. An adapter never sees users, consent or messages.
import type { EpochMs } from '../../platform/clock.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { Variant } from '../../push-contract/payload/render.js';

export interface CredentialRef {
  readonly id: string;
  /** Every change makes a new version; what was learned of the old one does not apply to it. */
  readonly version: number;
  readonly kind: 'fcm' | 'apns' | 'sandbox';
}

/** What the targets of one chunk have in common: a device type and a credential among them. */
export interface Job {
  readonly firingId: string;
  readonly requestId: string;
  readonly serviceId: string;
  readonly credential: CredentialRef;
  readonly variants: readonly Variant[];
  /** By the wall clock. Nothing leaves at or after it: such targets fail with the reason. */
  readonly notAfter: { readonly at: EpochMs; readonly reason: string } | undefined;
  /** The trace that its message belongs to: for spans and log lines, never sent to a provider. */
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
  /** Failed, and the device is deactivated, unless it was registered again after `since`, or without that after the claim. */
  | { readonly kind: 'gone'; readonly reason: string; readonly since?: EpochMs }
  /** Refused or not taken: it may go again after so long; 0 if the provider named no time. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number }
  /** It may have been taken: it never goes again. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Refused because of the credential, not of the device. */
  | { readonly kind: 'credential'; readonly reason: string };

export interface Told {
  readonly signal: AbortSignal;
  told(place: number, outcome: Outcome): void;
  /**
   * Awaited before targets leave: those of places before `end` may have left from then on. False, or if it rejects: nothing more
   * may leave, and what did not is not told. [always true]
   */
  leaves?(end: number): Promise<boolean>;
}

/** What a check found, in words for the person who set the credential up. */
export interface CredentialReport {
  readonly good: boolean;
  readonly says: string;
}

/** untried: no request was answered yet. silent: requests are open, and none was answered for some seconds. */
export type Responsiveness = 'answering' | 'untried' | 'silent';

/** paused: nothing may be handed over for a while, whatever answers come. refused: the same, since the credential is refused. */
export type Standing = Responsiveness | 'paused' | 'refused';

export interface Provider {
  /** What a lost answer means; `again`: what was taken is known from our own rows, so nothing is ever in doubt. */
  readonly lostAnswerIs: 'unknown' | 'again';
  /** What is known now of how the provider answers under the credential. */
  standing(credential: CredentialRef): Standing;
  /**
   * Tells the outcome of each target exactly once, then resolves; throws for bugs, where the credential cannot be read, and what
   * leaves() throws. Many calls may run at once. Targets leave in their order, each when it has a turn; one that has none for long is told that it
   * may go again, and never left. When aborted it starts no more targets (retry, 0 ms), waits 10 s for answers, and tells the
   * rest as unknown.
   */
  deliver(job: Job, targets: readonly Target[], to: Told): Promise<void>;
  /** Asks the provider whether it accepts the credential; reaches no device. */
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
  /** Devices fail although the credential is good: something is to be set right at the provider. */
  | { readonly kind: 'warning'; readonly reason: string };

/** Where adapters read credentials, and report what they learn of them. */
export interface CredentialShelf {
  /** Undefined: there is no such version. unreadable: this process lacks the master key it was sealed under. */
  open(credential: CredentialRef): Promise<OpenedCredential | 'unreadable' | undefined>;
  /** Those of the ids whose credentials still exist, in any version. */
  standing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Never throws, and returns at once. */
  learned(credential: CredentialRef, news: CredentialNews): void;
}
