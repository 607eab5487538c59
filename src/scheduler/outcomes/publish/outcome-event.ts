// Makes the event of an outcome of a send, an occurrence or a campaign (outcomes.md, "What comes back"): a CloudEvent in structured
// mode. Pure; every process makes the same bytes.
import { z } from 'zod';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import type { KafkaMessage } from '../../../platform/kafka/kafka.js';
import { traceAttributes } from '../../../platform/tracing/trace-attributes.js';
import { traceMembers, type TraceContext } from '../../../platform/tracing/trace-context.js';
import { attentionOf } from '../../decide/lifecycle/attention.js';
import {
  CAMPAIGN_STATES,
  OCCURRENCE_STATES,
  type CampaignState,
} from '../../decide/lifecycle/campaign-state.js';
import { PUBLISHED_STATES, SEND_STATES } from '../../decide/lifecycle/send-state.js';
import type { OutcomeRow } from './outcome.store.js';
import { Attention } from '../../store/read/campaign.store.js';
import { PlanProblemView } from '../../store/read/plan-view.js';
import { RevisionDifference } from '../../store/send/revise.store.js';

const HEADERS = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
const SEQUENCE_DIGITS = 12;
const PREFIX = 'carillon.outcome.';

const instant = z.iso.datetime();
const counts = z
  .object({ target: count.nullable(), sent: count.nullable() })
  .nullable()
  .describe('Devices; null where there are no counts');
const problemsFound = listOf(PlanProblemView)
  .nullable()
  .describe('For a rejected campaign or revision: all of its problems');
const ofCampaign = {
  serviceId: z.string(),
  campaignId: z.string(),
  ourId: z.uuid().describe('Our id of the campaign'),
  revision: z.int(),
};
const plannedWarnings = listOf(PlanProblemView)
  .nullable()
  .describe(
    'For campaign.planned and what awaits approval: the warnings of its plan, as in GET /v1/campaigns/{id}/plan',
  );
const changes = RevisionDifference.pick({ cells: true, requests: true, kept: true, tooLate: true })
  .nullable()
  .describe('For campaign.replanned: how the revision differed from the one before');
const why = { code: z.string().nullable(), detail: z.string().nullable() };

const CampaignData = z.object({
  ...ofCampaign,
  occurrence: z.null(),
  state: z.enum(CAMPAIGN_STATES),
  ...why,
  problems: problemsFound,
  warnings: plannedWarnings,
  changes,
  attention: Attention.nullable().describe('Why somebody should look: it was rejected, or nobody got it'),
  at: instant,
  counts,
});
const OccurrenceData = CampaignData.omit({ warnings: true, changes: true, attention: true }).extend({
  occurrence: z.string(),
  state: z.enum(OCCURRENCE_STATES),
});
const SendData = z.object({
  ...ofCampaign,
  occurrence: z.string().nullable(),
  zone: z.string().nullable(),
  cell: z.string().nullable(),
  chunk: z.int().nullable(),
  sendId: z.uuid(),
  retryOf: z.uuid().nullable(),
  from: z.enum(SEND_STATES).nullable(),
  state: z.enum(PUBLISHED_STATES),
  ...why,
  at: instant,
  dueAt: instant.nullable(),
  requestId: z.string().nullable().describe("The push service's"),
  counts,
});

function eventOf<Data extends z.ZodType>(types: readonly string[], data: Data) {
  return z.object({
    specversion: z.literal('1.0'),
    id: z.string().describe('The same each time the event is published'),
    source: z.string().describe('/carillon/{serviceId}'),
    type: z.enum(types.map((type) => `${PREFIX}${type}.v1`)),
    subject: z.string().describe('The campaignId'),
    time: instant,
    datacontenttype: z.literal('application/json'),
    sequence: z
      .string()
      .regex(/^\d{12}$/)
      .describe("The send's change number, with gaps, or the number among the outcomes of its campaign"),
    ...traceAttributes,
    data,
  });
}

/** What becomes of a later revision; the campaign's state stays. */
const REVISION_OUTCOMES = ['replanned', 'revision-rejected', 'revision-awaiting-approval'] as const;

/** The events that are published about a campaign, its occurrences and its sends. */
export const CampaignOutcome = eventOf(
  [...CAMPAIGN_STATES, 'corrected', 'paused', 'resumed', ...REVISION_OUTCOMES].map(
    (state) => `campaign.${state}`,
  ),
  CampaignData,
).meta({ id: 'CampaignOutcome' });
export const OccurrenceOutcome = eventOf(['occurrence.completed', 'occurrence.skipped'], OccurrenceData).meta(
  { id: 'OccurrenceOutcome' },
);
export const SendOutcome = eventOf(
  PUBLISHED_STATES.map((state) => `send.${state}`),
  SendData,
).meta({ id: 'SendOutcome' });

/** A message for the topic of outcomes, with the campaign's key: `serviceId/campaignId`. `trace`: that of its revision. */
export function outcomeEvent(outcome: OutcomeRow, topic: string, trace?: TraceContext): KafkaMessage {
  const { serviceId, campaignId } = outcome;
  const at = outcome.at.toISOString();
  const event = {
    specversion: '1.0',
    id: outcome.id,
    source: `/carillon/${serviceId}`,
    type: `${PREFIX}${outcome.kind}.v1`,
    subject: campaignId,
    time: at,
    datacontenttype: 'application/json',
    sequence: String(outcome.sequence).padStart(SEQUENCE_DIGITS, '0'),
    ...traceMembers(trace),
    data: outcome.send === null ? campaignData(outcome, at) : sendData(outcome, at),
  };
  return {
    topic,
    key: `${serviceId}/${campaignId}`,
    headers: HEADERS,
    value: JSON.stringify(event),
  };
}

/** The campaign, revision and occurrence of the outcome. */
function namesOf({ serviceId, campaignId, campaign: ourId, revision, occurrence }: OutcomeRow) {
  return { serviceId, campaignId, ourId, revision, occurrence };
}

function campaignData(outcome: OutcomeRow, at: string): object {
  const { occurrence, state, code, detail, problems, warnings, changes: differs } = outcome;
  const ofAll = occurrence === null && {
    warnings,
    changes: differs,
    attention: attentionOf({ state: state as CampaignState, code, detail }),
  };
  return {
    ...namesOf(outcome),
    state,
    code,
    detail,
    problems,
    ...ofAll,
    at,
    counts: countsOf(outcome),
  };
}

function sendData(outcome: OutcomeRow, at: string): object {
  const { zone, cell, chunk, retryOf, from, state } = outcome;
  return {
    ...namesOf(outcome),
    zone,
    cell,
    chunk,
    sendId: outcome.send,
    retryOf,
    from,
    state,
    code: outcome.code,
    detail: outcome.detail,
    at,
    dueAt: outcome.dueAt?.toISOString() ?? null,
    requestId: outcome.requestId,
    counts: countsOf(outcome),
  };
}

function countsOf({ targetCount, sentCount }: OutcomeRow): object | null {
  if (targetCount === null && sentCount === null) return null;
  return { target: numberOf(targetCount), sent: numberOf(sentCount) };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
