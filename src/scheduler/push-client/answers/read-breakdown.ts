// What an answer to GET messages/{requestId}/breakdown means (push-decisions.md, "Extensions"). Pure and total: what is no clear
// answer is `unread`, to be asked again.
import { z } from 'zod';
import { COUNT_PAGE_SIZE } from '../../../push-contract/limits.js';
import { jsonOf, readGatewayError } from '../../../push-contract/read-error.js';
import type { PushAnswer } from '../push-api.js';
import { words } from './read-project.js';

/** A name that becomes part of a key: a gateway may be anybody's. */
const name = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);
const MAX_REASON = 100;
/** Of one kind: what they add up to is a whole number still. */
const MAX_DEVICES = 1_000_000_000_000;

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
          .transform((text) => (text ? words(text, MAX_REASON) : null)),
        count: z.int().min(0).max(MAX_DEVICES),
      }),
    )
    .max(COUNT_PAGE_SIZE),
});

/** Devices of one kind; offsets are added up. */
export type BreakdownPart = z.output<typeof Page>['breakdown'][number];

export type BreakdownPage =
  | { readonly kind: 'parts'; readonly parts: readonly BreakdownPart[]; readonly isLast: boolean }
  /** The gateway knows the message no more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unread' };

export function readBreakdown(answer: PushAnswer): BreakdownPage {
  if (answer.kind === 'unanswered') return { kind: 'unread' };
  const { status, body } = answer;
  if (status === 200) {
    const page = Page.safeParse(jsonOf(body));
    if (!page.success) return { kind: 'unread' };
    const parts = page.data.breakdown;
    return { kind: 'parts', parts, isLast: parts.length < COUNT_PAGE_SIZE };
  }
  // Only the gateway's own word for it: a 404 of anything before it says nothing about the message.
  const isGone = status === 410 || readGatewayError(status, body)?.name === 'notFound';
  return { kind: isGone ? 'gone' : 'unread' };
}
