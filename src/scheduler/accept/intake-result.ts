// What became of an event: the answer of taking it, for the HTTP intake and for tests. Ids are ours.
import type { SeenEnvelope } from './parse/parse-event.js';
import type { Reason } from './parse/reason.js';

export type Verdict = { readonly seen: SeenEnvelope } & (
  | { readonly kind: 'accepted'; readonly event: string; readonly campaign: string }
  | {
      readonly kind: 'duplicate';
      readonly event: string;
      readonly ofEvent: string;
      readonly campaign: string | null;
    }
  | {
      readonly kind: 'rejected';
      readonly event: string;
      readonly rejection: string;
      readonly reasons: readonly Reason[];
    }
  /** A Kafka record read again, whose event was kept before: nothing was written. */
  | { readonly kind: 'read-before' }
);
