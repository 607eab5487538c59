// Events as their publishers send them: what would become of one, and sending it. An event that is sent twice under one id is taken once.
import { answerOf, api } from './client.ts';
import type { components } from './schema.gen.ts';

export type CampaignEvent = components['schemas']['ScheduledEvent'];
export type Judged = components['schemas']['JudgedEvent'];
export type EventReason = components['schemas']['Reason'];

const AS_CLOUD_EVENT = { 'content-type': 'application/cloudevents+json' } as const;

/** Keeps nothing. `event`: anything that somebody typed; the server says what is wrong with it. */
export async function judgeEvent(event: unknown): Promise<Judged> {
  const answer = await answerOf(
    api.POST('/v1/events', {
      params: { query: { validate: 'true' } },
      headers: AS_CLOUD_EVENT,
      body: event as CampaignEvent,
    }),
  );
  const [judged] = 'judged' in answer ? answer.judged : [];
  if (judged === undefined) throw new Error('one event was judged as none');
  return judged;
}

/** What became of it. Throws an ApiError with the problems where it was refused. */
export async function publishEvent(event: unknown) {
  const answer = await answerOf(
    api.POST('/v1/events', { headers: AS_CLOUD_EVENT, body: event as CampaignEvent }),
  );
  const [verdict] = 'events' in answer ? answer.events : [];
  if (verdict === undefined) throw new Error('one event was taken as none');
  return verdict;
}
