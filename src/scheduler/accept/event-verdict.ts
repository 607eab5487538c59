// The verdict on an event, as HTTP answers it to its publisher and to an operator who replays it.
import type { PlanWarning } from '../decide/plan/plan-types.js';
import { z } from 'zod';
import { MOST_LISTED, mostListed } from '../../platform/most-listed.js';
import { count, listOf } from '../../platform/http/zod-schemas.js';
import { Problem } from '../../platform/http/problem.js';
import { PlanProblemView } from '../store/read/plan-view.js';
import type { SeenEvent } from './event-look-up.store.js';
import { Reason } from './parse/reason.js';
import type { Verdict } from './write-batch.js';

const ofEvent = {
  index: count.describe('The place of the event in the batch, from 0'),
  source: z.string().nullable(),
  id: z.string().nullable(),
  eventId: z.uuid().describe('Our id of the event'),
};
const FirstEventId = z.uuid().describe('The eventId of the first arrival');
const refused = { verdict: z.literal('rejected'), rejectionId: z.uuid(), problems: listOf(Reason) };
const EventVerdict = z
  .discriminatedUnion('verdict', [
    z.object({
      ...ofEvent,
      verdict: z.literal('accepted'),
      campaignId: z.uuid().describe('Our id of the campaign'),
      warnings: listOf(PlanProblemView)
        .nullable()
        .describe(
          'Those of a dry run that looked nothing up; null: no dry run was made, but the plan will have its warnings',
        ),
    }),
    z.object({
      ...ofEvent,
      verdict: z.literal('duplicate'),
      campaignId: z.uuid().nullable(),
      duplicateOf: FirstEventId,
    }),
    z.object({ ...ofEvent, ...refused }),
    z.object({
      ...ofEvent,
      verdict: z.literal('parked').describe('A command that waits for its campaign, which has not come yet'),
      campaignId: z.null(),
      until: z.date().describe('When it becomes a rejection, unless its campaign has come'),
    }),
  ])
  .meta({ id: 'EventVerdict' });
type EventVerdict = z.output<typeof EventVerdict>;
/** What became of each event of a request. */
export const Verdicts = z.object({ events: listOf(EventVerdict) }).meta({ id: 'EventVerdicts' });
export type Verdicts = z.output<typeof Verdicts>;

const JudgedEvent = z
  .object({
    index: ofEvent.index,
    source: ofEvent.source,
    id: ofEvent.id,
    verdict: z.enum(['accepted', 'duplicate', 'rejected', 'parked']).describe('What would become of it now'),
    problems: listOf(Reason),
  })
  .meta({ id: 'JudgedEvent' });
/** What would become of each event of a request; nothing is kept. */
export const JudgedEvents = z.object({ judged: listOf(JudgedEvent) }).meta({ id: 'JudgedEvents' });
export type JudgedEvents = z.output<typeof JudgedEvents>;

export function judgedAnswer(
  verdict: Verdict,
  index: number,
  listed: number,
): JudgedEvents['judged'][number] {
  if (verdict.kind === 'read-before') throw new Error('only a record of Kafka is read twice');
  const { kind, seen } = verdict;
  const problems = kind === 'rejected' ? mostListed(verdict.reasons, listed) : [];
  return { index, source: seen.source, id: seen.id, verdict: kind, problems };
}

/**
 * The answer where no event of the request was taken. A duplicate counts as taken: its publisher is done. The text names the
 * first reason, for readers who read no further.
 */
export function nothingTaken(events: readonly EventVerdict[]): Problem {
  const [first] = events.flatMap((event) => (event.verdict === 'rejected' ? event.problems : []));
  const what = events.length === 1 ? 'the event was refused' : `all ${events.length} events were refused`;
  const why =
    first === undefined ? '' : `: ${first.pointer} ${first.text} (${first.code})`.replace(':  ', ': ');
  return new Problem(422, 'NOTHING_TAKEN', `${what}${why}; "events" has every reason`, {
    details: { events },
  });
}

/** How many problems of each event the answer lists, where it is about `events` events. The rejection has the others too. */
export function listedOfEach(events: number): number {
  return Math.max(3, Math.floor(MOST_LISTED / events));
}

/** `warnings`: of an event that was accepted. `listed`: the problems of one that was rejected. */
export function answerFor(
  verdict: Verdict,
  index: number,
  { warnings = null, listed }: { warnings?: readonly PlanWarning[] | null | undefined; listed?: number } = {},
): EventVerdict {
  if (verdict.kind === 'read-before') throw new Error('only a record of Kafka is read twice');
  const { source, id } = verdict.seen;
  const common = { index, source, id, eventId: verdict.event };
  if (verdict.kind === 'accepted')
    return { ...common, verdict: 'accepted', campaignId: verdict.campaign, warnings };
  if (verdict.kind === 'parked')
    return { ...common, verdict: 'parked', campaignId: null, until: verdict.until };
  if (verdict.kind === 'duplicate') {
    const { campaign: campaignId, ofEvent: duplicateOf } = verdict;
    return { ...common, verdict: 'duplicate', campaignId, duplicateOf };
  }
  const { rejection: rejectionId, reasons } = verdict;
  return { ...common, verdict: 'rejected', rejectionId, problems: mostListed(reasons, listed) };
}

const seenEvent = {
  eventId: z.uuid().describe('Our id of the event'),
  serviceId: z.string().nullable().describe('null where it could not be read, or the token did not hold it'),
  receivedAt: z.date(),
};
const SeenCampaignId = z
  .uuid()
  .nullable()
  .describe('Our id of the campaign; null where the campaign is gone');
const SeenEventView = z
  .discriminatedUnion('verdict', [
    z.object({ ...seenEvent, verdict: z.literal('accepted'), campaignId: SeenCampaignId }),
    z.object({
      ...seenEvent,
      verdict: z.literal('duplicate'),
      campaignId: SeenCampaignId,
      duplicateOf: FirstEventId,
    }),
    z.object({ ...seenEvent, ...refused }),
    z.object({
      ...seenEvent,
      verdict: z.literal('parked').describe('A command that waits for its campaign, which has not come yet'),
      campaignId: z.null(),
      until: z.date().describe('When it becomes a rejection, unless its campaign has come'),
    }),
  ])
  .meta({ id: 'SeenEvent' });
/** What became of an event that may have come by Kafka. */
export const SeenEvents = z
  .object({
    source: z.string(),
    id: z.string(),
    seen: listOf(SeenEventView).describe(
      'Each arrival of the event, newest first; empty: it has not come yet, or is not for a service of the token',
    ),
  })
  .meta({ id: 'SeenEvents' });
export type SeenEvents = z.output<typeof SeenEvents>;

export function seenAnswer(seen: SeenEvent): SeenEvents['seen'][number] {
  const { verdict, campaignId, duplicateOf, rejectionId, problems, until, ...common } = seen;
  if (verdict === 'accepted') return { ...common, verdict, campaignId };
  if (verdict === 'parked' && until !== null) return { ...common, verdict, campaignId: null, until };
  if (verdict === 'duplicate' && duplicateOf !== null) return { ...common, verdict, campaignId, duplicateOf };
  if (verdict === 'rejected' && rejectionId !== null)
    return { ...common, verdict, rejectionId, problems: problems ?? [] };
  throw new RangeError(`an event that is ${verdict} lacks what makes it so`);
}
