// Reads the answer to a close of an Idempotency-Key (push-decisions.md, "Extensions"). Pure; has a result for every answer: one that
// cannot be read proves nothing, and the key is closed again.
import { z } from 'zod';
import { jsonOf } from '../../../push-contract/read-error.js';
import type { PushAnswer } from '../push-api.js';
import { brief } from './read-project.js';
import { REQUEST_ID } from './read-send-answer.js';

export type CloseReading =
  /** This message was taken under the key. */
  | {
      readonly kind: 'taken';
      readonly requestId: string;
      readonly statusName: 'success' | 'reserved' | 'scheduled';
    }
  /** Nothing was taken under it within `provesMs` milliseconds before the answer, and nothing ever will be. */
  | { readonly kind: 'closed'; readonly provesMs: number }
  | { readonly kind: 'unread'; readonly detail: string };

const Body = z.discriminatedUnion('keyStatus', [
  z.object({
    keyStatus: z.literal('taken'),
    requestId: z.string().regex(REQUEST_ID),
    statusName: z.enum(['success', 'reserved', 'scheduled']),
  }),
  z.object({ keyStatus: z.literal('closed'), provesSeconds: z.number().min(0) }),
]);

export function readClose(answer: PushAnswer): CloseReading {
  if (answer.kind === 'unanswered') return { kind: 'unread', detail: answer.error };
  const body = Body.safeParse(answer.status === 200 ? jsonOf(answer.body) : undefined);
  if (!body.success) return { kind: 'unread', detail: `${answer.status} ${brief(answer.body)}` };
  if (body.data.keyStatus === 'closed') return { kind: 'closed', provesMs: body.data.provesSeconds * 1_000 };
  const { requestId, statusName } = body.data;
  return { kind: 'taken', requestId, statusName };
}
