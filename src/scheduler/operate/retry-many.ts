// Retries many sends in two steps: the filter of a set of retries, and its view.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/zod-schemas.js';
import { RETRYABLE_STATES } from '../decide/lifecycle/send-state.js';
import { keptSendFilter } from '../store/read/send-filter.js';
import { setItem, shownSet, STEPS, type SetRow } from '../store/send/send-set.store.js';
import { notLeftOut, type ManyKind } from './many-sends.js';
import { shownFacts } from './retry-facts.js';

/** The filter of sends of a preview; a member that is not given does not restrict it. */
export const RetryFilter = z.object({
  ...keptSendFilter,
  states: listOf(z.enum(RETRYABLE_STATES)),
  sends: listOf(z.uuid()).optional(),
  stale: z.boolean().optional(),
});
export type RetryFilter = z.output<typeof RetryFilter>;

/** A set of retries as the API shows it. */
export const RetriesView = z
  .object({
    ...shownSet,
    state: z.enum(['gathering', 'asking', 'ready', 'expired', 'retrying', 'done']),
    filter: RetryFilter.describe('The filter of the preview'),
    asked: z
      .object({ done: count, of: count })
      .describe('How many failed and stale sends the push service was asked about once more, of how many'),
    retried: count,
    leftOut: z.record(z.string(), count).describe('Sends that are not retried, by code'),
    retry: count.describe('found = retry + the sum of leftOut'),
    devices: count.describe('Devices of the sends that are retried, as their last results say'),
    unknownDevices: count.describe('Sends without a result: nobody knows how many devices they have'),
    oldestDueAt: z.date().nullable().describe('When the oldest of the sends that were found was due first'),
    campaigns: listOf(z.object({ campaign: z.uuid(), sends: count })).describe(
      'Whose sends are retried: the twenty with the most',
    ),
    campaignCount: count,
    campaignCountIsLeast: z.boolean().describe('They are more than are counted'),
    failsAgain: z
      .record(z.string(), count)
      .describe(
        'Sends that are retried though they would fail again, by code: what refused them does not change by itself',
      ),
    due: z
      .object({
        first: z.date(),
        last: z.date(),
        deferred: count.describe('Retries that were moved out of the night or quiet hours'),
      })
      .nullable()
      .describe(
        "When the retries are due, spread over half of each project's rate; before the confirmation, as if it were confirmed now",
      ),
  })
  .meta({ id: 'Retries' });
export type RetriesView = z.output<typeof RetriesView>;

/** A send that waits in a set, for the question what became of it or for its retry. */
export const RetryItem = z
  .object({ ...setItem, waitsFor: z.enum(['question', 'retry']) })
  .meta({ id: 'RetryItem' });
export type RetryItem = z.output<typeof RetryItem>;

export const RETRIES: ManyKind<RetriesView, RetryItem> = {
  kind: 'retry',
  noun: 'set of retries',
  action: 'retries',
  viewOf,
  itemOf: ({ step, ...item }) => ({ ...item, waitsFor: step === STEPS.act ? 'retry' : 'question' }),
  confirmed: ({ retry, leftOut }) => ({ state: 'retrying', retry, leftOut }),
};

function viewOf(whole: SetRow): RetriesView {
  const { kind: _k, held: _h, resolution: _r, reason: _s, facts, ...shown } = whole;
  const { state, done: retried, deferred, firstDueAt, lastDueAt, ...set } = shown;
  const filter = whole.filter as RetryFilter;
  const hasDue = firstDueAt !== null && lastDueAt !== null;
  const due = hasDue ? { first: new Date(firstDueAt), last: new Date(lastDueAt), deferred } : null;
  return {
    ...set,
    filter,
    state: state === 'acting' ? 'retrying' : state,
    retried,
    retry: notLeftOut(whole),
    ...shownFacts(facts),
    due,
  };
}
