// What became of an event, as HTTP answers it: to who published it, and to who replays it.
import type { PlanWarning } from '../decide/plan/plan-types.js';
import { z } from 'zod';
import { count, listOf } from '../../platform/http/operation.js';
import { Problem } from '../../platform/http/problem.js';
import { PlanProblemView } from '../store/send/read/plan-view.js';
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
