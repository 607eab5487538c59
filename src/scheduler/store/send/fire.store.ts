// `fire`: planned ▶ sending together with the new attempt, committed before the first byte leaves. Only sends that leave at once are
// fired, so only they can become uncertain.
import type { MessageTarget } from '../../../push-contract/messages.js';
import type { MessageType } from '../../../push-contract/statuses.js';
import { columnsOf, typedRows } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { TraceContext } from '../../../platform/tracing/trace-context.js';
import type { Policy } from '../../decide/timing/campaign-policy.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';
import { IS_HELD_BACK } from './act.store.js';
import type { PlannedSend } from './read-work.store.js';
import { inOrderOfId } from './move.store.js';

/** An order to make the next attempt of a send, as it was read, in the mode that the check before send chose. */
export interface FireOrder extends Pick<
  PlannedSend,
  'id' | 'revision' | 'attempts' | 'mode' | 'modeRule' | 'dueAt'
> {
  /** When it leaves: now, or at its instant, which is at most FIRE_AHEAD_MS ahead. */
  readonly at: EpochMs;
}

export interface FiredSend {
  readonly id: string;
  /** Only the process that fired this attempt may make the call. */
  readonly attempt: number;
  /** How often it was planned again after the push service had given it back; null: never. */
  readonly released: number | null;
  readonly occurrence: string;
  readonly cell: string;
  readonly chunk: number;
  /** How many retries of the chunk came before it. */
  readonly retries: number;
  readonly recipients: string[] | null;
  readonly target: MessageTarget;
}

export const FIRE_ORDERS = typedRows<FireOrder>(
  'fire_order',
  'id uuid, attempts int, revision int, mode text, mode_rule text, due_at timestamptz, at timestamptz',
);
// sql/scheduler/functions/fire_sends.sql: by the primary key.
const FIRE = prepared(`select * from ${FIRE_ORDERS.callOf('fire_sends', 4)}`);

export interface FireContext {
  readonly now: EpochMs;
  readonly by: string;
  /** This process: if it dies, its sends in flight become uncertain. */
  readonly replica: string;
  /** The identity of the only server on which to fire; undefined: any. */
  readonly server?: string | undefined;
}

/** Whether a fire was refused because another server answers than `server`, or the same after a restart. */
export function isOtherServer(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'same_server';
}

/**
 * Returns the sends that it fired; a send that is missing must not be sent. It fires no send that another replica has fired or that a
 * cancel, a pause or a revision has changed (the number of attempts, the state and the revision fence it), and none of a project that is
 * blocked now. A send that an act takes back but whose page has not come yet comes to the act's goal here. A fire that began before the
 * act counts as earlier.
 */
export async function fireSends(
  sql: Sql,
  orders: readonly FireOrder[],
  { now, by, replica, server }: FireContext,
): Promise<FiredSend[]> {
  if (orders.length === 0) return [];
  // In order of id, in which every batch locks its sends.
  return sql.query(FIRE, [
    ...FIRE_ORDERS.parametersOf(inOrderOfId(orders)),
    new Date(now),
    by,
    replica,
    server ?? null,
  ]);
}

export interface FireFound extends FiredSend {
  readonly state: SendState;
  /** This replica made its newest attempt. */
  readonly isOurs: boolean;
  /** Nobody has cancelled or held it meanwhile. */
  readonly isWanted: boolean;
}

// By the primary key.
const FIND_FIRED = prepared(`
select s.id, s.attempts as attempt, s.released, s.occurrence, s.cell, s.chunk, s.retries, s.state, s.fired_by is not distinct from $2 as "isOurs",
       s.goal is null and not ${IS_HELD_BACK} as "isWanted", r.recipients, c.target
  from send s join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell
  left join send_recipients_open r on r.send = s.id
 where s.id = any($1::uuid[]) and s.ended_at >= (select min(ends_from(f)) from unnest($1::uuid[]) f)`);

/** The present state of these sends, by id. A fire that has not committed yet is not seen. */
export async function findFired(
  sql: Sql,
  ids: readonly string[],
  replica: string,
): Promise<ReadonlyMap<string, FireFound>> {
  const rows = await sql.query<FireFound>(FIND_FIRED, [ids, replica]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The facts of a revision that its requests share, and that the check before send needs. */
export interface RevisionFacts {
  readonly campaign: string;
  /** Its publisher's name for it. */
  readonly campaignId: string;
  readonly revision: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly messageType: MessageType;
  readonly policy: Policy;
  /** When a standing message ends. */
  readonly until: EpochMs | null;
  /** The trace of the event that made the revision. */
  readonly trace: TraceContext | null;
  /** Length of request and policy as text, bytes. */
  readonly bytes: number;
}

export type RevisionName = Pick<RevisionFacts, 'campaign' | 'revision'>;
const NAMES = columnsOf<RevisionName>('campaign uuid, revision int');

const REVISIONS = `
select r.campaign, (select c.campaign_id from campaign c where c.id = r.campaign) as "campaignId", r.revision, r.request, coalesce(r.request->>'messageType', 'NOTIF') as "messageType",
       r.data->'policy' as policy, (r.data->'delivery'->>'until')::float8 as until,
       r.data->'trace' as trace, octet_length(r.request::text) + octet_length((r.data->'policy')::text) as bytes
  from ${NAMES.from} as g
  join revision r on r.campaign = g.campaign and r.revision = g.revision`;

/** Does not read the audience, which may be a megabyte. */
export function revisionFacts(sql: Sql, wanted: readonly RevisionName[]): Promise<RevisionFacts[]> {
  return sql.query(REVISIONS, NAMES.parametersOf(wanted));
}
