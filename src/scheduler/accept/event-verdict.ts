// What became of an event, as HTTP answers it: to who published it, and to who replays it.
import type { PlanWarning } from '../decide/plan/plan-types.js';
import { z } from 'zod';
import { count, listOf } from '../../platform/http/schema-parts.js';
import { Problem } from '../../platform/http/problem.js';
import { PlanProblemView } from '../store/send/read/plan-view.js';
import type { SeenEvent } from './event-look-up.store.js';
import { Reason } from './parse/reason.js';
import type { Verdict } from './write-batch.js';

const ofEvent = {
  index: count.describe('Which of the batch'),
  source: z.string().nullable(),
  id: z.string().nullable(),
  eventId: z.uuid().describe('Ours'),
};
const EventVerdict = z
  .discriminatedUnion('verdict', [
    z.object({
      ...ofEvent,
      verdict: z.literal('accepted'),
      campaignId: z.uuid().describe('Ours'),
      warnings: listOf(PlanProblemView)
        .nullable()
        .describe('Of a dry run that looked nothing up; null: it was not made, the plan has them'),
    }),
    z.object({
      ...ofEvent,
      verdict: z.literal('duplicate'),
      campaignId: z.uuid().nullable(),
      duplicateOf: z.uuid().describe('The eventId of the first'),
    }),
    z.object({
      ...ofEvent,
      verdict: z.literal('rejected'),
      rejectionId: z.uuid(),
      problems: listOf(Reason),
    }),
  ])
  .meta({ id: 'EventVerdict' });
type EventVerdict = z.output<typeof EventVerdict>;
/** What became of each event of a request. */
export const Verdicts = z.object({ events: listOf(EventVerdict) }).meta({ id: 'EventVerdicts' });
export type Verdicts = z.output<typeof Verdicts>;

/** A duplicate counts as taken: its publisher is done. The words name one reason, for whoever reads no further. */
export function nothingTaken(events: readonly EventVerdict[]): Problem {
  const [first] = events.flatMap((event) => (event.verdict === 'rejected' ? event.problems : []));
  const what = events.length === 1 ? 'the event was refused' : `all ${events.length} events were refused`;
  const why =
    first === undefined ? '' : `: ${first.pointer} ${first.text} (${first.code})`.replace(':  ', ': ');
  return new Problem(422, 'NOTHING_TAKEN', `${what}${why}; "events" has every reason`, {
    details: { events },
  });
}

/** `warnings`: of one that was accepted. */
export function answerFor(
  verdict: Verdict,
  index: number,
  warnings: readonly PlanWarning[] | null = null,
): EventVerdict {
  const common = { index, source: verdict.seen.source, id: verdict.seen.id };
  if (verdict.kind === 'read-before') throw new Error('only a record of Kafka is read twice');
  const { event: eventId } = verdict;
  if (verdict.kind === 'accepted') {
    return { ...common, verdict: verdict.kind, eventId, campaignId: verdict.campaign, warnings };
  }
  if (verdict.kind === 'duplicate') {
    const { kind, campaign: campaignId, ofEvent: duplicateOf } = verdict;
    return { ...common, verdict: kind, eventId, campaignId, duplicateOf };
  }
  const { kind, rejection: rejectionId, reasons: problems } = verdict;
  return { ...common, verdict: kind, eventId, rejectionId, problems };
}

const seenEvent = {
  eventId: z.uuid().describe('Ours'),
  receivedAt: z.date(),
};
const campaignOfIt = z.uuid().nullable().describe('Ours; null where it is gone');
const SeenEventView = z
  .discriminatedUnion('verdict', [
    z.object({ ...seenEvent, verdict: z.literal('accepted'), campaignId: campaignOfIt }),
    z.object({
      ...seenEvent,
      verdict: z.literal('duplicate'),
      campaignId: campaignOfIt,
      duplicateOf: z.uuid().describe('The eventId of the first'),
    }),
    z.object({
      ...seenEvent,
      verdict: z.literal('rejected'),
      rejectionId: z.uuid(),
      problems: listOf(Reason),
    }),
  ])
  .meta({ id: 'SeenEvent' });
/** What became of an event that may have come by Kafka. */
export const SeenEvents = z
  .object({
    source: z.string(),
    id: z.string(),
    seen: listOf(SeenEventView).describe(
      'Each time that it came, newest first; empty: not yet, or not for a service of the token',
    ),
  })
  .meta({ id: 'SeenEvents' });
export type SeenEvents = z.output<typeof SeenEvents>;

export function seenAnswer({ verdict, eventId, receivedAt, ...one }: SeenEvent): SeenEvents['seen'][number] {
  const common = { eventId, receivedAt };
  const { campaignId, duplicateOf, rejectionId, problems } = one;
  if (verdict === 'accepted') return { ...common, verdict, campaignId };
  if (verdict === 'duplicate' && duplicateOf !== null) return { ...common, verdict, campaignId, duplicateOf };
  if (verdict === 'rejected' && rejectionId !== null)
    return { ...common, verdict, rejectionId, problems: problems ?? [] };
  throw new RangeError(`an event that is ${verdict} lacks what makes it so`);
}
