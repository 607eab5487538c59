// A campaign as it is meant: the `data` of carillon.campaign.scheduled.v1 after parsing, every default filled in.
// Types only; accept/ makes values of them and never lets a wrong one through.
import type { CommonMessage } from '../../../push-contract/messages.js';
import type { DeviceType, MessageType } from '../../../push-contract/statuses.js';
import type { Policy } from '../timing/policy.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

interface AudienceFilter {
  /** Null: every device type. */
  readonly deviceType: DeviceType | null;
  /** ISO 3166-1 alpha-2; empty: every country. */
  readonly country: readonly string[];
}

export type Audience = AudienceFilter &
  (
    | { readonly type: 'ALL' }
    | { readonly type: 'CHANNEL'; readonly to: readonly string[] }
    | { readonly type: 'USER'; readonly to: readonly string[] }
    /** An audience uploaded before, by name. */
    | { readonly type: 'USER'; readonly list: string }
  );

/** Recipients whose zone the publisher knows. The zone may be no zone at all: it then joins the fallback. */
export interface Segment {
  readonly zone: string;
  readonly audience: Audience;
}

export type Delivery =
  | { readonly kind: 'now' }
  | { readonly kind: 'instant'; readonly at: EpochMs; readonly recurrence?: string }
  /** `local`: `2027-03-01T09:00[:ss]` in an IANA zone. */
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
  /** Run exactly the plan that was previewed, or refuse. */
  readonly planHash?: string;
  /** What its event named as traceparent and is none, as it is shown: it counts as none, and is warned of. */
  readonly invalidTraceparent?: string;
}
