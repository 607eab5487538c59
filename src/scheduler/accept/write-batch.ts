// Writes what a batch was judged to be: events, campaigns with their first revision, commands, rejections with their
// dead letters, duplicates and inbox keys. One statement for each, in the caller's transaction.
import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import type { Sql } from '../../platform/database/database.js';
import { storable } from '../../platform/http/storable-text.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { askCancel } from '../store/send/cancel.store.js';
import { CHANNELS } from '../store/channels.js';
import { moveNewestTimes, keepTakenKeys, type InboxKey } from './inbox.store.js';
import { addToOutbox } from '../store/outbox.store.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { insertInto, type RowOf } from './event-write.store.js';
import { byText } from '../../platform/compare-texts.js';
import { deadLetter } from './dead-letter.js';
import type { ArrivedEvent, JudgedEvent, Judgement, KnownProject } from './judge-batch.js';
import { placeOf } from './parse/raw-event.js';
import type { Reason } from './parse/reason.js';
import type { CampaignEvent, SeenEnvelope } from './parse/parse-event.js';

/** Another transaction made the same campaign between our look-up and our insert: the batch has to be looked up again. */
export class RaceLostError extends Error {
  readonly code = 'RACE_LOST';
}

/** What became of an event. Ids are ours. */
export type Verdict = { readonly seen: SeenEnvelope } & (
  | {
      readonly kind: 'accepted';
      readonly event: string;
      readonly campaign: string;
      /** The trace that it belongs to. */
      readonly trace?: TraceContext | undefined;
      /** What will be planned; null for a command. */
      readonly toPlan: Campaign | null;
    }
  | {
      readonly kind: 'duplicate';
      readonly event: string;
      readonly ofEvent: string;
      readonly campaign: string | null;
    }
  | {
      readonly kind: 'rejected';
      readonly event: string;
      readonly rejection: string;
      readonly reasons: readonly Reason[];
    }
  /** A Kafka record that was read again, whose event was kept before: nothing was written. */
  | { readonly kind: 'read-before' }
);

interface BatchToWrite {
  readonly judged: readonly JudgedEvent[];
  /** Keys that were written before judging; they stay only for events that were taken. */
  readonly held: readonly InboxKey[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly deadTopic: string;
  /** The projects of the events, as far as they exist, by serviceId. */
  readonly projects: ReadonlyMap<string, Pick<KnownProject, 'rejectionsTopic'>>;
}

type Of<Kind extends Judgement['kind']> = JudgedEvent<Extract<Judgement, { kind: Kind }>>;

function only<Kind extends Judgement['kind']>(judged: readonly JudgedEvent[], kind: Kind): Of<Kind>[] {
  return judged.filter((event): event is Of<Kind> => event.judgement.kind === kind);
}

/** Throws RaceLostError when another transaction made one of the campaigns first. */
export async function writeBatch(sql: Sql, batch: BatchToWrite): Promise<Map<ArrivedEvent, Verdict>> {
  const { judged, held } = batch;
  const now = new Date(batch.now);
  const campaigns = only(judged, 'campaign');
  const commands = only(judged, 'command');
  const duplicates = only(judged, 'duplicate');
  const rejected = only(judged, 'rejected').map((event) => ({ ...event, id: v7({ msecs: batch.now }) }));

  const taken = [...campaigns, ...commands];
  const keys = taken.map(({ arrived, judgement }) => inboxKey(arrived.id, judgement.event, now));
  await keepTakenKeys(sql, held, keys);
  const events = judged.map((event) => eventRow(event, now));
  await insertInto(sql, 'event', events);
  await writeCampaigns(sql, campaigns, now);
  await writeCommands(sql, commands, now);
  await insertInto(
    sql,
    'duplicate',
    duplicates.map(({ arrived, judgement }) => ({ event: arrived.id, of_event: judgement.ofEvent })),
  );
  await insertInto(
    sql,
    'rejection',
    rejected.map(({ id, arrived, judgement: { reasons } }) => ({
      id,
      event: arrived.id,
      service_id: serviceOf(arrived),
      reasons,
      rejected_at: now,
      ...placeOf(arrived.raw),
      body_hash: hash('sha256', arrived.raw.body, 'buffer'),
    })),
  );
  await addToOutbox(
    sql,
    rejected.flatMap(({ id, arrived, judgement: { reasons } }) =>
      topicsFor(arrived, batch).map((topic) => ({
        id: v7({ msecs: batch.now }),
        ...deadLetter({ id, arrived, serviceId: serviceOf(arrived), reasons, at: now }, topic),
      })),
    ),
  );

  const verdicts = new Map<ArrivedEvent, Verdict>();
  const common = ({ id: event, parsed: { seen } }: ArrivedEvent) => ({ seen, event });
  for (const { arrived, judgement } of taken)
    verdicts.set(arrived, {
      ...common(arrived),
      kind: 'accepted',
      campaign: judgement.campaign,
      trace: arrived.trace,
      toPlan: judgement.kind === 'campaign' ? judgement.data : null,
    });
  for (const { arrived, judgement } of duplicates)
    verdicts.set(arrived, { ...common(arrived), ...judgement });
  for (const { id, arrived, judgement } of rejected)
    verdicts.set(arrived, { ...common(arrived), ...judgement, rejection: id });
  return verdicts;
}

/** In the order of the campaigns' names, so that two batches cannot deadlock. */
async function writeCampaigns(sql: Sql, campaigns: readonly Of<'campaign'>[], now: Date): Promise<void> {
  if (campaigns.length === 0) return;
  const rows = campaigns.map(({ arrived, judgement: { campaign, data, event } }) => ({
    id: campaign,
    service_id: data.serviceId,
    campaign_id: data.campaignId,
    event: arrived.id,
    name: data.name,
    tags: data.tags,
    newest_time: new Date(event.time),
    state: 'accepted',
    state_at: now,
    state_by: `event:${event.source}`,
    created_at: now,
  }));
  rows.sort((a, b) => byText(a.service_id, b.service_id) || byText(a.campaign_id, b.campaign_id));
  await insertInto(sql, 'campaign', rows).catch((error: unknown) => {
    throw isNameTaken(error)
      ? new RaceLostError('a campaign of this batch was made by another transaction', { cause: error })
      : error;
  });
  await insertInto(
    sql,
    'revision',
    campaigns.map(({ arrived, judgement: { campaign, data } }) => ({
      campaign,
      revision: 1,
      event: arrived.id,
      // Not a part of the event's data: store/trace.store.ts reads it for all work that is done for the campaign.
      data: arrived.trace === undefined ? data : { ...data, trace: arrived.trace },
      state: 'planning',
      taken_at: now,
    })),
  );
  await sql.query(`select pg_notify('${CHANNELS.plan}', '')`);
}

function isNameTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'campaign_campaign_id';
}

async function writeCommands(sql: Sql, commands: readonly Of<'command'>[], now: Date): Promise<void> {
  if (commands.length === 0) return;
  await insertInto(
    sql,
    'command',
    commands.map(({ arrived, judgement: { campaign, event, reason } }) => ({
      id: v7({ msecs: now.getTime() }),
      event: arrived.id,
      campaign,
      kind: 'cancel',
      occurrence: occurrenceOf(event) ?? null,
      reason,
      given_at: now,
      given_by: `event:${event.source}`,
    })),
  );
  await moveNewestTimes(
    sql,
    commands.map(({ judgement: { campaign, event } }) => ({ campaign, time: new Date(event.time) })),
  );
  // One statement for each: they are few in any batch, and each touches all sends of its campaign or occurrence.
  for (const { judgement } of commands) {
    const { campaign, event, acts, reason } = judgement;
    if (!acts) continue;
    await askCancel(sql, {
      campaign,
      occurrence: occurrenceOf(event),
      now,
      by: `event:${event.source}`,
      code: 'CANCELED_BY_EVENT',
      ...(reason !== null && { detail: reason }),
    });
  }
}

function occurrenceOf(event: CampaignEvent): string | undefined {
  return event.kind === 'scheduled' ? undefined : (event.data.occurrence ?? undefined);
}

export function inboxKey(
  event: string,
  { source, id, data, contentHash }: CampaignEvent,
  at: Date,
): InboxKey {
  const name = { source, event_id: id, service_id: data.serviceId };
  return { ...name, content_hash: contentHash, event, taken_at: at };
}

/** Ours and that of the project. Never the topic that the event came from: there it would be rejected again and again. */
function topicsFor(arrived: ArrivedEvent, { deadTopic, projects }: BatchToWrite): string[] {
  const ofProject = projects.get(serviceOf(arrived) ?? '')?.rejectionsTopic ?? deadTopic;
  const isOther = ofProject !== deadTopic && ofProject !== arrived.raw.record?.topic;
  return isOther ? [deadTopic, ofProject] : [deadTopic];
}

/** The service that an event counts for. None where the token does not hold it: its people are not shown a stranger's event. */
function serviceOf({ raw, parsed }: Pick<ArrivedEvent, 'raw' | 'parsed'>): string | null {
  const { serviceId } = parsed.seen;
  return serviceId === null || raw.caller?.holds(serviceId) === false ? null : serviceId;
}

function eventRow({ arrived: { id, raw, parsed }, judgement }: JudgedEvent, now: Date): RowOf<'event'> {
  const { seen } = parsed;
  return {
    id,
    verdict: judgement.kind,
    source: seen.source,
    event_id: seen.id,
    type: seen.type,
    subject: seen.subject,
    service_id: serviceOf({ raw, parsed }),
    event_time: seen.time === null ? null : new Date(seen.time),
    received_at: now,
    via: raw.via,
    ...placeOf(raw),
    token_id: raw.caller?.tokenId ?? null,
    replay_of: raw.replayOf ?? null,
    headers: Object.fromEntries(
      Object.entries(raw.headers).map(([name, value]) => [storable(name), storable(value)]),
    ),
    body: raw.body,
  };
}
