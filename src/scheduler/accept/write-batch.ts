// Writes what a batch was judged to be: events, campaigns with their first revision, commands, rejections with their
// dead letters, duplicates, inbox keys; one statement for each, in the caller's transaction.
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { rowsOf, type Sql } from '../../platform/database/database.js';
import { askCancel } from '../store/send/cancel.store.js';
import { CHANNELS } from '../store/channels.js';
import { moveNewestTimes, settleKeys, type InboxKey } from './inbox.store.js';
import { addToOutbox } from '../store/outbox.store.js';
import { insertRejections } from './rejection.store.js';
import {
  insertCampaigns,
  insertCommands,
  insertDuplicates,
  insertEvents,
  insertRevisions,
  type EventRow,
} from './event-write.store.js';
import { deadLetter } from './dead-letter.js';
import type { ArrivedEvent, Judgement } from './judge-batch.js';
import { storable } from './parse/reason.js';
import { RaceLostError } from './transaction-faults.js';
import type { Verdict } from './intake-result.js';

export interface JudgedEvent<Kind extends Judgement = Judgement> {
  readonly arrived: ArrivedEvent;
  readonly judgement: Kind;
}

export interface BatchToWrite {
  readonly judged: readonly JudgedEvent[];
  /** Keys written while judging; they stay only for events that were taken. */
  readonly held: readonly InboxKey[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly deadTopic: string;
}

type Of<Kind extends Judgement['kind']> = JudgedEvent<Extract<Judgement, { kind: Kind }>>;

function only<Kind extends Judgement['kind']>(judged: readonly JudgedEvent[], kind: Kind): Of<Kind>[] {
  return judged.filter((event): event is Of<Kind> => event.judgement.kind === kind);
}

/** Throws RaceLostError when another transaction made one of the campaigns first. */
export async function writeBatch(sql: Sql, batch: BatchToWrite): Promise<Map<ArrivedEvent, Verdict>> {
  const { judged, held, deadTopic } = batch;
  const now = new Date(batch.now);
  const campaigns = only(judged, 'campaign');
  const commands = only(judged, 'command');
  const duplicates = only(judged, 'duplicate');
  const rejected = only(judged, 'rejected').map((event) => ({ ...event, id: v7({ msecs: batch.now }) }));

  await settleKeys(
    sql,
    held,
    [...campaigns, ...commands].map((event) => keyOf(event, now)),
  );
  await insertEvents(
    sql,
    judged.map((event) => eventRow(event, now)),
  );
  await writeCampaigns(sql, campaigns, now);
  await writeCommands(sql, commands, now);
  await insertDuplicates(
    sql,
    duplicates.map(({ arrived, judgement }) => ({ event: arrived.id, of_event: judgement.ofEvent })),
  );
  await insertRejections(
    sql,
    rejected.map(({ id, arrived, judgement }) => ({
      id,
      event: arrived.id,
      reasons: judgement.reasons,
      rejected_at: now,
      topic: arrived.raw.record?.topic ?? null,
      partition: arrived.raw.record?.partition ?? null,
      offset: arrived.raw.record?.offset ?? null,
      body_hash: createHash('sha256').update(arrived.raw.body).digest(),
    })),
  );
  await addToOutbox(
    sql,
    rejected.map(({ id, arrived, judgement }) => ({
      id: v7({ msecs: batch.now }),
      ...deadLetter({ id, arrived, reasons: judgement.reasons, at: now }, deadTopic),
    })),
  );

  return new Map<ArrivedEvent, Verdict>([
    ...[...campaigns, ...commands].map(({ arrived, judgement: { campaign } }): [ArrivedEvent, Verdict] => [
      arrived,
      { kind: 'accepted', seen: arrived.parsed.seen, event: arrived.id, campaign },
    ]),
    ...duplicates.map(({ arrived, judgement: { ofEvent, campaign } }): [ArrivedEvent, Verdict] => [
      arrived,
      { kind: 'duplicate', seen: arrived.parsed.seen, event: arrived.id, ofEvent, campaign },
    ]),
    ...rejected.map(({ id, arrived, judgement: { reasons } }): [ArrivedEvent, Verdict] => [
      arrived,
      { kind: 'rejected', seen: arrived.parsed.seen, event: arrived.id, rejection: id, reasons },
    ]),
  ]);
}

async function writeCampaigns(sql: Sql, campaigns: readonly Of<'campaign'>[], now: Date): Promise<void> {
  if (campaigns.length === 0) return;
  const made = await insertCampaigns(
    sql,
    campaigns.map(({ arrived, judgement: { campaign, data, event } }) => ({
      id: campaign,
      service_id: data.serviceId,
      campaign_id: data.campaignId,
      event: arrived.id,
      name: data.name,
      newest_time: new Date(event.time),
      state_at: now,
      state_by: `event:${event.source}`,
    })),
  );
  if (made < campaigns.length)
    throw new RaceLostError('a campaign of this batch was made by another transaction');
  await insertRevisions(
    sql,
    campaigns.map(({ arrived, judgement: { campaign, data } }) => ({
      campaign,
      revision: 1,
      event: arrived.id,
      data,
      request: { messageType: data.messageType, message: data.message },
      taken_at: now,
    })),
  );
  await rowsOf(sql, `select pg_notify('${CHANNELS.plan}', '')`);
}

async function writeCommands(sql: Sql, commands: readonly Of<'command'>[], now: Date): Promise<void> {
  if (commands.length === 0) return;
  await insertCommands(
    sql,
    commands.map(({ arrived, judgement: { campaign, event, reason } }) => ({
      id: v7({ msecs: now.getTime() }),
      event: arrived.id,
      campaign,
      kind: 'cancel' as const,
      occurrence: event.kind === 'scheduled' ? null : (event.data.occurrence ?? null),
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
      occurrence: event.kind === 'scheduled' ? undefined : (event.data.occurrence ?? undefined),
      now,
      by: `event:${event.source}`,
      code: 'CANCELED_BY_EVENT',
      ...(judgement.reason !== null && { detail: judgement.reason }),
    });
  }
}

function keyOf({ arrived, judgement: { event } }: Of<'campaign'> | Of<'command'>, now: Date): InboxKey {
  return {
    source: event.source,
    event_id: event.id,
    content_hash: event.contentHash,
    event: arrived.id,
    taken_at: now,
  };
}

function eventRow({ arrived: { id, raw, parsed }, judgement }: JudgedEvent, now: Date): EventRow {
  const { seen } = parsed;
  const foreign = raw.caller !== undefined && seen.serviceId !== null && !raw.caller.holds(seen.serviceId);
  return {
    id,
    verdict: judgement.kind,
    source: seen.source,
    event_id: seen.id,
    type: seen.type,
    subject: seen.subject,
    // What a stranger's token says of a service is not shown to the service's own people.
    service_id: foreign ? null : seen.serviceId,
    event_time: seen.time === null ? null : new Date(seen.time),
    received_at: now,
    via: raw.via,
    topic: raw.record?.topic ?? null,
    partition: raw.record?.partition ?? null,
    offset: raw.record?.offset ?? null,
    token_id: raw.caller?.tokenId ?? null,
    headers: Object.fromEntries(
      Object.entries(raw.headers).map(([name, value]) => [storable(name), storable(value)]),
    ),
    body: raw.body,
  };
}
