// The port to what really reaches devices: FCM, APNs, or the sandbox. A slice of targets in, one outcome for each out as
// it becomes known. An adapter never looks at users, consent or messages.
import type { EpochMs } from '../../platform/clock.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { Variant } from '../../push-contract/payload/render.js';

export interface CredentialRef {
  readonly id: string;
  /** A change is a new version; what was learned of the old one does not hold for it. */
  readonly version: number;
  readonly kind: 'fcm' | 'apns' | 'sandbox';
}

/** A slice of one chunk: one device type, one credential. */
export interface Job {
  readonly firingId: string;
  readonly requestId: string;
  readonly serviceId: string;
  readonly credential: CredentialRef;
  readonly variants: readonly Variant[];
  /** By the wall clock; nothing leaves at or after it: told failed with the reason. */
  readonly notAfter: { readonly at: EpochMs; readonly reason: string } | undefined;
  /** That its message belongs to: for spans and log lines, never for a provider. */
  readonly trace?: TraceContext | undefined;
}

export interface Target {
  /** The caller's name for it in this job. */
  readonly place: number;
  readonly deviceId: string;
  readonly token: string;
  /** Index in the job's variants. */
  readonly variant: number;
}

export type Outcome =
  | { readonly kind: 'sent' }
  /** Refused for good; the device stays. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Failed, and the device is deactivated unless it was registered since: since then, or since the claim. */
  | { readonly kind: 'gone'; readonly reason: string; readonly since?: EpochMs }
  /** Refused or not taken: it may go again, after so long; 0 where the provider named no time. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number }
  /** It may have been taken: it never goes again. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Refused for the credential's sake; the device had no part in it. */
  | { readonly kind: 'credential'; readonly reason: string };

export interface Told {
  readonly signal: AbortSignal;
  told(place: number, outcome: Outcome): void;
}

/** What a check found, in words for whoever set the credential up. */
export interface CredentialReport {
  readonly good: boolean;
  readonly says: string;
}

export interface Provider {
  /** What a lost answer means; `again`: taking is our own row, so nothing is ever in doubt. */
  readonly lostAnswerIs: 'unknown' | 'again';
  /** Targets that may be handed over now; 0 while paused. */
  room(credential: CredentialRef): number;
  /** Nothing may be handed over for a while, whatever is answered meanwhile. */
  isPaused(credential: CredentialRef): boolean;
  /** Paused because it refuses the credential, and for nothing else. */
  refuses(credential: CredentialRef): boolean;
  /** Ends once there is room, or with the signal. */
  waitForRoom(credential: CredentialRef, signal: AbortSignal): Promise<void>;
  /**
   * Tells each target exactly once, then ends; throws for bugs only. Many run at once. Queues beyond room(), but not
   * through a long pause: then the rest may go again once it is over. Aborted, it starts no more (retry, 0 ms), waits 10 s
   * for answers, and tells the rest unknown.
   */
  deliver(job: Job, targets: readonly Target[], to: Told): Promise<void>;
  /** Asks the provider; reaches no device. */
  check(credential: CredentialRef): Promise<CredentialReport>;
}

/** What an adapter reads of a credential. */
export interface OpenedCredential {
  /** The service account's JSON, or the p8 file. */
  readonly secret: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Whether a push under it was ever accepted. */
  readonly isProven: boolean;
}

export type CredentialNews =
  | { readonly kind: 'proven' }
  | { readonly kind: 'fault'; readonly reason: string }
  /** Devices fail though the credential is good: something is to be set right at the provider. */
  | { readonly kind: 'warning'; readonly reason: string };

/** Where adapters read credentials, and leave what they learn of them. */
export interface CredentialShelf {
  /** Undefined: there is none of that version. unreadable: this process lacks the master key it was sealed under. */
  open(credential: CredentialRef): Promise<OpenedCredential | 'unreadable' | undefined>;
  /** Those of the ids whose credentials are still there, of whatever version. */
  standing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Never throws, and keeps nobody waiting. */
  learned(credential: CredentialRef, news: CredentialNews): void;
}
