// The port to what really reaches devices: FCM, APNs, or the sandbox. One batch in, one outcome for each device out, in
// order. An adapter never looks at users, consent or messages.
import type { DeviceType } from '../../push-contract/statuses.js';

export interface Handover {
  readonly deviceType: DeviceType;
  readonly token: string;
  /** The provider's request body for this very device. */
  readonly payload: string;
  /** APNs request headers; empty for FCM. */
  readonly headers: Readonly<Record<string, string>>;
}

export type ProviderOutcome =
  | { readonly kind: 'sent' }
  /** Refused for good; the device stays. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The token names no device any more; it is deactivated. */
  | { readonly kind: 'gone'; readonly reason: string };

export interface Provider {
  /** False when what it accepts is recorded with our own outcome: then a lost process never doubles. */
  readonly answersCanBeLost: boolean;
  /** Throws when nothing can be said about the batch; it is handed over again later, and counted as repeated. */
  send(batch: readonly Handover[], signal: AbortSignal): Promise<readonly ProviderOutcome[]>;
}
