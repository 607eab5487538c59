// `fire`: planned ▶ sending, the attempt's row with it, committed before the first byte leaves. Only sends that go on
// the wire at once pass here, so only they can become uncertain.
import type { MessageTarget } from '../../../push-contract/messages.js';
import type { MessageType } from '../../../push-contract/statuses.js';
import { columnsOf } from '../../../platform/database/columns.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { TraceContext } from '../../../platform/tracing/trace-context.js';
import type { Policy } from '../../decide/timing/policy.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';
import { CANCEL_ASKED } from './cancel.store.js';
import type { PlannedSend } from './look-ahead.store.js';
import { inOrderOfId } from './move.store.js';

/** Of a send as it was read, its next attempt; in the mode that the second look chose. */
export interface FireOrder extends Pick<
  PlannedSend,
  'id' | 'revision' | 'attempts' | 'mode' | 'modeRule' | 'dueAt'
> {
  /** When it leaves: now, or its instant a moment ahead. */
  readonly at: EpochMs;
}

export interface FiredSend {
  readonly id: string;
  /** Only who fired this one may call. */
  readonly attempt: number;
  readonly recipients: string[] | null;
  readonly target: MessageTarget;
}

const COLUMNS = columnsOf<FireOrder>(
  'id uuid, attempts int, revision int, mode text, mode_rule text, due_at timestamptz, at timestamptz',
);

export interface FireContext {
  readonly now: EpochMs;
  readonly by: string;
  /** Of this process: what it fired is lost where it is gone. */
  readonly replica: string;
}

/**
 * Returns those that are on their way now; whichever is missing must not be sent. Fenced by the attempts made before and the
 * revision: what another replica fired, a cancel, a pause or a revision took away is not fired, nor anything of a project
 * that was stopped meanwhile. What a cancel was asked of ends as canceled here, if its page has not come yet; a fire that
 * had begun before that counts as before it.
 */
export async function fireSends(
  sql: Sql,
  orders: readonly FireOrder[],
  context: FireContext,
): Promise<FiredSend[]> {
  if (orders.length === 0) return [];
  // In order of id, in which every batch locks its sends.
  // sql/scheduler/functions/fire_sends.sql: by the primary key.
  return sql.query<FiredSend>(`select * from fire_sends(${COLUMNS.arrays}, $8, $9, $10)`, [
    ...COLUMNS.parametersOf(inOrderOfId(orders)),
    new Date(context.now),
    context.by,
    context.replica,
  ]);
}

export interface FireFound extends FiredSend {
  readonly state: SendState;
  /** Of its attempts this replica made the newest. */
  readonly isOurs: boolean;
  /** Nobody has asked for it back meanwhile. */
  readonly isWanted: boolean;
}

// By the primary key.
const FIND_FIRED = prepared(`
select s.id, s.attempts as attempt, s.state, s.fired_by is not distinct from $2 as "isOurs",
       s.goal is null and not ${CANCEL_ASKED} as "isWanted", r.recipients, c.target
  from send s join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell
  left join send_recipients r on r.send = s.id
 where s.id = any($1::uuid[])`);

/** How these sends stand now, by their ids. A fire that is under way has not been: what it is to do is not seen. */
export async function findFired(
  sql: Sql,
  ids: readonly string[],
  replica: string,
): Promise<ReadonlyMap<string, FireFound>> {
  const rows = await sql.query<FireFound>(FIND_FIRED, [ids, replica]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What the requests of a revision share, and what the second look judges by. */
export interface RevisionFacts {
  readonly campaign: string;
  readonly revision: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly messageType: MessageType;
  readonly policy: Policy;
  /** Of a standing message: when it ends. */
  readonly until: EpochMs | null;
  /** That the event belongs to which asked for it. */
  readonly trace: TraceContext | null;
  /** Of the request and policy as text. */
  readonly bytes: number;
}

/** A revision of a campaign. */
export type RevisionName = Pick<RevisionFacts, 'campaign' | 'revision'>;
const NAMES = columnsOf<RevisionName>('campaign uuid, revision int');

const REVISIONS = `
select r.campaign, r.revision, r.request, coalesce(r.request->>'messageType', 'NOTIF') as "messageType",
       r.data->'policy' as policy, (r.data->'delivery'->>'until')::float8 as until,
       r.data->'trace' as trace, octet_length(r.request::text) + octet_length((r.data->'policy')::text) as bytes
  from ${NAMES.from} as g
  join revision r on r.campaign = g.campaign and r.revision = g.revision`;

/** Never reads the audience, which may be a megabyte. */
export async function revisionFacts(sql: Sql, wanted: readonly RevisionName[]): Promise<RevisionFacts[]> {
  return sql.query<RevisionFacts>(REVISIONS, NAMES.parametersOf(wanted));
}
