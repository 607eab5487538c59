// A campaign: the `data` of carillon.campaign.scheduled.v1 after parsing, with every default filled in. accept/ makes these
// values and lets no wrong one through.
import type { CommonMessage } from '../../../push-contract/messages.js';
import type { DeviceType, MessageType } from '../../../push-contract/statuses.js';
import type { Policy } from '../timing/campaign-policy.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

interface AudienceFilter {
  /** Null for every device type. */
  readonly deviceType: DeviceType | null;
  /** ISO 3166-1 alpha-2; empty for every country. */
  readonly country: readonly string[];
}

export type Audience = AudienceFilter &
  (
    | { readonly type: 'ALL' }
    | { readonly type: 'CHANNEL'; readonly to: readonly string[] }
    | { readonly type: 'USER'; readonly to: readonly string[] }
    /** The name of a list that was uploaded before. `version`: the one that counted at acceptance, or for a dry run now. */
    | { readonly type: 'USER'; readonly list: string; readonly version?: string }
  );

/** Recipients whose zone the publisher knows. If the name is no zone at all, they join the fallback. */
export interface Segment {
  readonly zone: string;
  readonly audience: Audience;
}

export type Delivery =
  | { readonly kind: 'now' }
  | { readonly kind: 'instant'; readonly at: EpochMs; readonly recurrence?: string }
  /** `local`: `2027-03-01T09:00[:ss]` on the clock of an IANA zone. */
  | { readonly kind: 'wall'; readonly local: string; readonly zone: string; readonly recurrence?: string }
  /** `local` on each recipient's own clock. */
  | {
      readonly kind: 'recipient';
      readonly local: string;
      readonly segments?: readonly Segment[];
      readonly recurrence?: string;
    }
  | { readonly kind: 'schedule'; readonly scheduleCode: string; readonly until?: EpochMs };

export interface Campaign {
  readonly serviceId: string;
  readonly campaignId: string;
  readonly name: string | null;
  readonly tags: readonly string[];
  readonly messageType: MessageType;
  /** Null only where segments hold the whole audience. */
  readonly audience: Audience | null;
  readonly message: CommonMessage;
  readonly delivery: Delivery;
  readonly policy: Policy;
  /** Run exactly the plan that was previewed, or refuse the campaign. */
  readonly planHash?: string;
  /** An invalid traceparent of its event, as the warning shows it. It is ignored. */
  readonly invalidTraceparent?: string;
}

/** The segments of a delivery; they exist only on the recipient's clock. */
export function segmentsOf(delivery: Delivery): readonly Segment[] {
  return delivery.kind === 'recipient' ? (delivery.segments ?? []) : [];
}
