// Writes what a batch was judged to be: events, campaigns with their first revision, commands, rejections with their
// dead letters, duplicates, inbox keys; one statement for each, in the caller's transaction.
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import type { Sql } from '../../platform/database/database.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { askCancel } from '../store/send/cancel.store.js';
import { CHANNELS } from '../store/channels.js';
import { moveNewestTimes, settleKeys, type InboxKey } from './inbox.store.js';
import { addToOutbox } from '../store/outbox.store.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { insertInto, type RowOf } from './event-write.store.js';
import { byText } from '../../platform/by-text.js';
import { deadLetter } from './dead-letter.js';
import type { ArrivedEvent, JudgedEvent, Judgement, KnownProject } from './judge-batch.js';
import type { CampaignEvent } from './parse/campaign-event.js';
import { placeOf } from './parse/raw-event.js';
import { storable, type Reason } from './parse/reason.js';
import type { SeenEnvelope } from './parse/parse-event.js';

/** Another transaction made the same campaign between our look and our insert: look again. */
export class RaceLostError extends Error {
  readonly code = 'RACE_LOST';
}

/** What became of an event. Ids are ours. */
export type Verdict = { readonly seen: SeenEnvelope } & (
  | {
      readonly kind: 'accepted';
      readonly event: string;
      readonly campaign: string;
      /** That it belongs to. */
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
  /** A Kafka record read again, whose event was kept before: nothing was written. */
  | { readonly kind: 'read-before' }
);

export interface BatchToWrite {
  readonly judged: readonly JudgedEvent[];
  /** Keys written while judging; they stay only for events that were taken. */
  readonly held: readonly InboxKey[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly deadTopic: string;
  /** Those that the events name, as far as they are there; by serviceId. */
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
  await settleKeys(
    sql,
    held,
    taken.map(({ arrived, judgement }) => inboxKey(arrived.id, judgement.event, now)),
  );
  await insertInto(
    sql,
    'event',
    judged.map((event) => eventRow(event, now)),
  );
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
      body_hash: createHash('sha256').update(arrived.raw.body).digest(),
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

/** In the publishers' order of names, so that two batches cannot deadlock. */
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
      // Beside what the event says: read by whoever works for the campaign (store/trace.store.ts).
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
  // Few in any batch, each touching all sends of its campaign or occurrence: one statement for each.
  for (const { judgement } of commands.filter((command) => command.judgement.acts)) {
    const { event } = judgement;
    await askCancel(sql, {
      campaign: judgement.campaign,
      occurrence: occurrenceOf(event),
      now,
      by: `event:${event.source}`,
      code: 'CANCELED_BY_EVENT',
      ...(judgement.reason !== null && { detail: judgement.reason }),
    });
  }
}

function occurrenceOf(event: CampaignEvent): string | undefined {
  return event.kind === 'scheduled' ? undefined : (event.data.occurrence ?? undefined);
}

export function inboxKey(event: string, { source, id, contentHash }: CampaignEvent, at: Date): InboxKey {
  return { source, event_id: id, content_hash: contentHash, event, taken_at: at };
}

/** The project's own beside ours; never the one it came from, where it would be rejected for ever. */
function topicsFor(arrived: ArrivedEvent, { deadTopic, projects }: BatchToWrite): string[] {
  const own = projects.get(serviceOf(arrived) ?? '')?.rejectionsTopic ?? deadTopic;
  return own === deadTopic || own === arrived.raw.record?.topic ? [deadTopic] : [deadTopic, own];
}

/** What a stranger's token says of a service is not shown to the service's own people. */
function serviceOf({
  raw: { caller },
  parsed: { seen },
}: Pick<ArrivedEvent, 'raw' | 'parsed'>): string | null {
  return seen.serviceId === null || caller?.holds(seen.serviceId) === false ? null : seen.serviceId;
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
