// Reads the answers to GET users/{userId}, POST timezones and GET timezones. Pure; has a result for every answer: one that is not
// clear is a failure, and nothing of it is kept.
import { z } from 'zod';
import { jsonOf, readGatewayError } from '../../../push-contract/read-error.js';
import type { PushAnswer } from '../push-api.js';
import type { OffsetCount } from '../../store/registered-offset.store.js';

/** Not specified (push-interface.md §2.1): a wider offset is treated as none, because calendar libraries refuse it. */
const MAX_OFFSET_SECONDS = 18 * 3_600;

const offset = z.number().int().min(-MAX_OFFSET_SECONDS).max(MAX_OFFSET_SECONDS);
const User = z.object({ timezone: z.unknown().optional() });
const TimezonesOf = z.array(z.object({ userId: z.string(), timezone: offset }));
const Counts = z.array(z.object({ timezone: offset, users: z.number().int().min(0) }));

/** read-project.ts reads whether the answer blocks the whole project. */
interface LookUpFailure {
  readonly kind: 'failed';
}
const FAILED: LookUpFailure = { kind: 'failed' };

/** `offsetSeconds` null: there is no such user, or the user has no offset. */
type UserAnswer =
  { readonly kind: 'known'; readonly isUser: boolean; readonly offsetSeconds: number | null } | LookUpFailure;

export function readUserAnswer(answer: PushAnswer): UserAnswer {
  if (answer.kind === 'unanswered') return FAILED;
  const { status, body } = answer;
  if (status === 200) {
    const user = User.safeParse(jsonOf(body));
    if (!user.success) return FAILED;
    const seconds = offset.safeParse(user.data.timezone);
    return { kind: 'known', isUser: true, offsetSeconds: seconds.success ? seconds.data : null };
  }
  // Only a 404 in the gateway's own form counts: one from something between says nothing about the user.
  const name = readGatewayError(status, body)?.name;
  return name === 'notFound' || name === 'badRequest'
    ? { kind: 'known', isUser: false, offsetSeconds: null }
    : FAILED;
}

/** `refused`: the gateway refused the whole request, so that nothing is known about its users. */
type TimezonesOfAnswer =
  | { readonly kind: 'known'; readonly offsets: ReadonlyMap<string, number> }
  | { readonly kind: 'refused' }
  | LookUpFailure;

/** A user who is not in it does not exist: every user of a gateway with this extension has an offset. */
export function readTimezonesOfAnswer(answer: PushAnswer): TimezonesOfAnswer {
  if (answer.kind === 'unanswered') return FAILED;
  const { status, body } = answer;
  if (status === 200) {
    const users = TimezonesOf.safeParse(jsonOf(body));
    if (!users.success) return FAILED;
    return { kind: 'known', offsets: new Map(users.data.map((one) => [one.userId, one.timezone])) };
  }
  const name = readGatewayError(status, body)?.name;
  return name === 'notFound' || name === 'badRequest' ? { kind: 'refused' } : FAILED;
}

type CensusAnswer = { readonly kind: 'known'; readonly offsets: readonly OffsetCount[] } | LookUpFailure;

/** The number of users by offset; offsets that nobody has are left out. */
export function readCensusAnswer(answer: PushAnswer): CensusAnswer {
  if (answer.kind === 'unanswered') return FAILED;
  const counts = answer.status === 200 ? Counts.safeParse(jsonOf(answer.body)) : undefined;
  if (counts?.success !== true) return FAILED;
  const offsets = counts.data
    .filter(({ users }) => users > 0)
    .map(({ timezone, users }) => ({ offsetSeconds: timezone, users }));
  return { kind: 'known', offsets };
}
