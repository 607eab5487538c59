// Writes the rows of a judged batch: events, campaigns with their first revision, later revisions, commands, parked commands, duplicates and inbox
// keys, and rejections (write-rejections.ts). One statement for each table, in the caller's transaction.
import { v7 } from 'uuid';
import type { Sql } from '../../platform/database/database.js';
import { RaceLostError } from '../../platform/database/pooled-database.js';
import { storable } from '../../platform/http/storable-text.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { askAct } from '../store/send/act.store.js';
import { CAMPAIGN_ACTS } from '../decide/lifecycle/campaign-act.js';
import { CHANNELS } from '../store/channels.js';
import { keepTakenKeys, type InboxKey } from './inbox.store.js';
import { beginRevision } from '../store/revision/begin-revision.store.js';
import { useLists } from '../store/listed-audience.store.js';
import { addToOutbox } from '../store/outbox.store.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { insertInto, type RowOf } from './event-write.store.js';
import { byText } from '../../platform/compare-texts.js';
import type {
  ArrivedEvent,
  CommandJudgement,
  JudgedEvent,
  Judgement,
  KnownProject,
  ReleasedCommand,
} from './judge-batch.js';
import { parkCommands, parkedUntil, refuseParked, releaseParked } from './parked-command.store.js';
import { parkedOutcome } from './parked-outcome.js';
import { placeOf } from './parse/raw-event.js';
import type { Reason } from './parse/reason.js';
import type { CampaignEvent, SeenEnvelope } from './parse/parse-event.js';
import { serviceOf, writeRejections } from './write-rejections.js';

/** What became of an event. Ids are ours. */
export type Verdict = { readonly seen: SeenEnvelope } & (
  | {
      readonly kind: 'accepted';
      readonly event: string;
      readonly campaign: string;
      /** The trace that it belongs to. */
      readonly trace?: TraceContext | undefined;
      /** The campaign to plan; null for a command. */
      readonly toPlan: Campaign | null;
    }
  /** A command that waits for its campaign. */
  | { readonly kind: 'parked'; readonly event: string; readonly until: Date }
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
  /** Commands that waited for campaigns of this batch. */
  readonly released: readonly ReleasedCommand[];
  /** Keys that were written before judging; they stay only for events that were taken. */
  readonly held: readonly InboxKey[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly topics: IntakeTopics;
  /** The projects of the events, as far as they exist, by serviceId. */
  readonly projects: ReadonlyMap<string, Pick<KnownProject, 'rejectionsTopic'>>;
}

/** The topics to which the intake publishes. */
export interface IntakeTopics {
  /** Rejected events. */
  readonly dead: string;
  readonly outcomes: string;
}

type Of<Kind extends Judgement['kind']> = JudgedEvent<Extract<Judgement, { kind: Kind }>>;

function only<Kind extends Judgement['kind']>(judged: readonly JudgedEvent[], kind: Kind): Of<Kind>[] {
  return judged.filter((event): event is Of<Kind> => event.judgement.kind === kind);
}

/** Throws RaceLostError where another transaction made one of the campaigns between the look-up and the insert. */
export async function writeBatch(sql: Sql, batch: BatchToWrite): Promise<Map<ArrivedEvent, Verdict>> {
  const { judged, held, released, projects, topics } = batch;
  const now = new Date(batch.now);
  const campaigns = only(judged, 'campaign');
  const revisions = only(judged, 'revision');
  const commands = only(judged, 'command');
  const parked = only(judged, 'parked');
  const duplicates = only(judged, 'duplicate');
  const rejected = only(judged, 'rejected');

  const taken = [...campaigns, ...revisions, ...commands, ...parked];
  await keepTakenKeys(
    sql,
    held,
    taken.flatMap(({ arrived }) => keyOf(arrived, now)),
  );
  const events = judged.map((event) => eventRow(event, now));
  await insertInto(sql, 'event', events);
  await writeCampaigns(sql, campaigns, now);
  await writeRevisions(sql, revisions, now);
  await writeCommands(sql, [...commands.map(commandOf), ...(await writeReleased(sql, released, now))], now);
  await writeParked(sql, parked, topics.outcomes, now);
  await insertInto(
    sql,
    'duplicate',
    duplicates.map(({ arrived, judgement }) => ({ event: arrived.id, of_event: judgement.ofEvent })),
  );
  const refused = rejected.map(({ arrived, judgement: { reasons } }) => ({ arrived, reasons }));
  const rejections = await writeRejections(sql, refused, { now, deadTopic: topics.dead, projects });
  return verdictsOf(judged, new Map(refused.map(({ arrived }, at) => [arrived, rejections[at] ?? ''])), now);
}

function verdictsOf(
  judged: readonly JudgedEvent[],
  rejections: ReadonlyMap<ArrivedEvent, string>,
  now: Date,
): Map<ArrivedEvent, Verdict> {
  const verdicts = new Map<ArrivedEvent, Verdict>();
  for (const { arrived, judgement } of judged) {
    const common = { seen: arrived.parsed.seen, event: arrived.id };
    if (judgement.kind === 'campaign' || judgement.kind === 'revision' || judgement.kind === 'command') {
      const toPlan = judgement.kind === 'command' ? null : judgement.data;
      const { campaign } = judgement;
      verdicts.set(arrived, { ...common, kind: 'accepted', campaign, trace: arrived.trace, toPlan });
    } else if (judgement.kind === 'parked') {
      verdicts.set(arrived, { ...common, kind: 'parked', until: parkedUntil(now) });
    } else if (judgement.kind === 'duplicate') {
      verdicts.set(arrived, { ...common, ...judgement });
    } else {
      const rejection = rejections.get(arrived) ?? '';
      verdicts.set(arrived, { ...common, kind: 'rejected', rejection, reasons: judgement.reasons });
    }
  }
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
  await insertRevisions(
    sql,
    campaigns.map((one) => ({ ...one, revision: 1 })),
    now,
  );
  await sql.query(`select pg_notify('${CHANNELS.plan}', '')`);
}

/** One after the other: each supersedes what waits of the one before, and few batches have any. */
async function writeRevisions(sql: Sql, revisions: readonly Of<'revision'>[], now: Date): Promise<void> {
  for (const one of revisions) {
    const { campaign, data, event } = one.judgement;
    const revision = await beginRevision(sql, { campaign, data, time: new Date(event.time), now });
    await insertRevisions(sql, [{ ...one, revision }], now);
  }
  if (revisions.length > 0) await sql.query(`select pg_notify('${CHANNELS.plan}', '')`);
}

async function insertRevisions(
  sql: Sql,
  revisions: readonly ((Of<'campaign'> | Of<'revision'>) & { readonly revision: number })[],
  now: Date,
): Promise<void> {
  await insertInto(
    sql,
    'revision',
    revisions.map(({ arrived, revision, judgement: { campaign, data } }) => ({
      campaign,
      revision,
      event: arrived.id,
      token_id: arrived.raw.caller?.tokenId ?? null,
      // Not a part of the event's data: store/trace.store.ts reads it for all work that is done for the campaign.
      data: arrived.trace === undefined ? data : { ...data, trace: arrived.trace },
      state: 'planning',
      taken_at: now,
    })),
  );
  await useLists(
    sql,
    revisions.flatMap(({ judgement: { campaign, data } }) => {
      const { audience } = data;
      const version = audience !== null && 'list' in audience ? audience.version : undefined;
      return version === undefined ? [] : [{ campaign, version }];
    }),
  );
}

function isNameTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'campaign_campaign_id';
}

interface Command extends CommandJudgement {
  /** Our id of its event. */
  readonly ofEvent: string;
}

function commandOf({ arrived, judgement }: Of<'command'>): Command {
  return { ...judgement, ofEvent: arrived.id };
}

async function writeCommands(sql: Sql, commands: readonly Command[], now: Date): Promise<void> {
  await insertInto(
    sql,
    'command',
    commands.map(({ ofEvent, campaign, event, act, occurrence, reason }) => ({
      id: v7({ msecs: now.getTime() }),
      event: ofEvent,
      campaign,
      act,
      occurrence,
      reason,
      given_at: now,
      given_by: `event:${event.source}`,
    })),
  );
  // One statement for each: they are few in any batch, and each touches all sends of its campaign or occurrence.
  for (const { campaign, event, act, occurrence, acts, reason } of commands) {
    if (!acts) continue;
    await askAct(sql, {
      campaign,
      act,
      occurrence: occurrence ?? undefined,
      time: new Date(event.time),
      now,
      by: `event:${event.source}`,
      code: `${CAMPAIGN_ACTS[act].past}_BY_EVENT`,
      ...(reason !== null && { detail: reason }),
    });
  }
}

/** The released commands that their campaign takes; the others become rejections in the next housekeeping. */
async function writeReleased(sql: Sql, released: readonly ReleasedCommand[], now: Date): Promise<Command[]> {
  const commands: Command[] = [];
  const refused: { event: string; reasons: readonly Reason[] }[] = [];
  for (const { parked, judgement } of released) {
    if (judgement.kind === 'command') commands.push({ ...judgement, ofEvent: parked.event });
    else refused.push({ event: parked.event, reasons: judgement.reasons });
  }
  await releaseParked(
    sql,
    commands.map(({ ofEvent }) => ofEvent),
  );
  await refuseParked(sql, refused, now);
  return commands;
}

async function writeParked(
  sql: Sql,
  parked: readonly Of<'parked'>[],
  topic: string,
  at: Date,
): Promise<void> {
  await parkCommands(
    sql,
    parked.map(({ judgement }) => judgement.command),
    at,
  );
  const until = parkedUntil(at);
  await addToOutbox(
    sql,
    parked.map(({ arrived: { trace }, judgement: { command } }) =>
      parkedOutcome(command, { topic, at, until, trace }),
    ),
  );
}

/** An event that names no service has no key: it is never taken. */
function keyOf({ id, parsed }: ArrivedEvent, at: Date): InboxKey[] {
  return parsed.kind === 'event' ? [inboxKey(id, parsed.event, at)] : [];
}

export function inboxKey(
  event: string,
  { source, id, data, contentHash }: CampaignEvent,
  at: Date,
): InboxKey {
  const name = { source, event_id: id, service_id: data.serviceId };
  return { ...name, content_hash: contentHash, event, taken_at: at };
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
