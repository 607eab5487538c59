// Reads an answer to GET messages/{requestId}/breakdown (push-decisions.md, "Extensions"). Pure; has a result for every answer: one
// that is not clear is `unread`, and is asked for again.
import { z } from 'zod';
import { storable } from '../../../platform/http/storable-text.js';
import { COUNT_PAGE_SIZE } from '../../../push-contract/limits.js';
import { jsonOf, readGatewayError } from '../../../push-contract/read-error.js';
import type { PushAnswer } from '../push-api.js';

/** Becomes a key of the sums, so it is checked: a gateway may be anybody's. */
const name = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);
const MAX_REASON = 100;
/** The most devices of one group: sums of such counts are still exact whole numbers. */
const MAX_DEVICES = 1_000_000_000_000;

const ids = z.int().min(0).max(MAX_DEVICES);

const Page = z.object({
  breakdown: z
    .array(
      z.object({
        deviceType: name,
        country: name,
        language: name,
        outcome: z.enum(['sent', 'failed', 'unknown', 'suppressed', 'pending']),
        reason: z
          .string()
          .nullish()
          .transform((text) => (text ? storable(text, MAX_REASON) : null)),
        count: z.int().min(0).max(MAX_DEVICES),
      }),
    )
    .max(COUNT_PAGE_SIZE),
  ids: z
    .object({ named: ids, unknown: ids, withoutDevice: ids })
    .refine(({ named, unknown, withoutDevice }) => unknown + withoutDevice <= named)
    .nullish()
    .transform((given) => given ?? null),
});

/** Of the ids that the message names: how many nobody has registered, and how many are registered without a device. */
export type NamedIds = NonNullable<z.output<typeof Page>['ids']>;

/** A number of devices of one kind and outcome; the page also has their offsets, which are not read. */
export type BreakdownGroup = z.output<typeof Page>['breakdown'][number];

type BreakdownPage =
  | {
      readonly kind: 'groups';
      readonly groups: readonly BreakdownGroup[];
      /** null: this page does not say, because the message names no ids or the gateway counts none. */
      readonly ids: NamedIds | null;
      readonly isLast: boolean;
    }
  /** The gateway no longer knows the message. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unread' };

export function readBreakdown(answer: PushAnswer): BreakdownPage {
  if (answer.kind === 'unanswered') return { kind: 'unread' };
  const { status, body } = answer;
  if (status === 200) {
    const page = Page.safeParse(jsonOf(body));
    if (!page.success) return { kind: 'unread' };
    const { breakdown: groups, ids: named } = page.data;
    return { kind: 'groups', groups, ids: named, isLast: groups.length < COUNT_PAGE_SIZE };
  }
  // Only a 404 in the gateway's own form counts: one from something between says nothing about the message.
  const isGone = status === 410 || readGatewayError(status, body)?.name === 'notFound';
  return { kind: isGone ? 'gone' : 'unread' };
}
