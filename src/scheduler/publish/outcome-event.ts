// The event that tells what became of a send, an occurrence or a campaign (campaign-events.md, "What comes back"): a
// CloudEvent in structured mode. Pure; the same bytes whoever makes it.
import type { KafkaMessage } from '../../platform/kafka/kafka.js';
import type { OutcomeRow } from '../store/send/outcome.store.js';

const HEADERS = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
const SEQUENCE_DIGITS = 12;

/** To the topic of outcomes, under the campaign's key: `serviceId/campaignId`. */
export function outcomeEvent(outcome: OutcomeRow, topic: string): KafkaMessage {
  const { serviceId, campaignId } = outcome;
  const at = outcome.at.toISOString();
  const event = {
    specversion: '1.0',
    id: outcome.id,
    source: `/carillon/${serviceId}`,
    type: `carillon.outcome.${outcome.kind}.v1`,
    subject: campaignId,
    time: at,
    datacontenttype: 'application/json',
    sequence: String(outcome.sequence).padStart(SEQUENCE_DIGITS, '0'),
    data: outcome.send === null ? campaignData(outcome, at) : sendData(outcome, at),
  };
  return {
    topic,
    key: `${serviceId}/${campaignId}`,
    headers: HEADERS,
    value: JSON.stringify(event),
  };
}

function campaignData(outcome: OutcomeRow, at: string): object {
  const { serviceId, campaignId, revision, occurrence, state, code, detail, problems } = outcome;
  return {
    serviceId,
    campaignId,
    ourId: outcome.campaign,
    revision,
    occurrence,
    state,
    code,
    detail,
    problems,
    at,
    counts: countsOf(outcome),
  };
}

function sendData(outcome: OutcomeRow, at: string): object {
  const { serviceId, campaignId, revision, occurrence, zone, cell, chunk, retryOf, from, state } = outcome;
  return {
    serviceId,
    campaignId,
    ourId: outcome.campaign,
    revision,
    occurrence,
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

function numberOf(count: string | null): number | null {
  return count === null ? null : Number(count);
}
