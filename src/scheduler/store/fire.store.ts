// `fire`: claimed ▶ sending, the attempt's row with it, committed before the first byte leaves. Only sends that go on
// the wire at once pass here, so only they can become uncertain.
import type { MessageTarget } from '../../push-contract/messages.js';
import type { MessageType } from '../../push-contract/statuses.js';
import { arraysOf, type Column } from '../../platform/column-text.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import type { Mode, ModeRule } from '../decide/mode.js';
import type { Policy } from '../decide/policy.js';
import type { EpochMs } from '../decide/ports.js';
import { inOrderOfId, instant } from './batch-columns.js';

export interface FireOrder {
  readonly id: string;
  readonly revision: number;
  /** The claim's. */
  readonly token: string;
  /** Chosen by the second look. */
  readonly mode: Mode;
  readonly modeRule: ModeRule;
  readonly dueAt: EpochMs | null;
  /** When it leaves: now, or its instant a moment ahead. */
  readonly at: EpochMs;
}

export interface FiredSend {
  readonly id: string;
  /** The claim it was fired for: only that one's entry may call. */
  readonly token: string;
  readonly attempt: number;
  readonly recipients: string[] | null;
  readonly target: MessageTarget;
}

const COLUMNS: readonly Column<FireOrder>[] = [
  { name: 'id', type: 'uuid', of: (order) => order.id },
  { name: 'token', type: 'uuid', of: (order) => order.token },
  { name: 'revision', type: 'int', of: (order) => order.revision },
  { name: 'mode', type: 'text', of: (order) => order.mode },
  { name: 'rule', type: 'text', of: (order) => order.modeRule },
  { name: 'due', type: 'timestamptz', of: (order) => instant(order.dueAt) },
  { name: 'at', type: 'timestamptz', of: (order) => instant(order.at) },
];

export interface FireContext {
  readonly now: EpochMs;
  readonly by: string;
  /** Longer than a call may take and its answer may wait to be recorded. */
  readonly leaseMs: number;
}

/**
 * Returns those that are on their way now; whichever is missing must not be sent. Fenced by token and revision: what a
 * cancel, a pause or a revision took away is not fired, nor anything of a project that was stopped meanwhile. What a cancel
 * was asked of ends as canceled here, if its page has not come yet; a fire that had begun before that counts as before it.
 */
export async function fireSends(
  sql: Sql,
  orders: readonly FireOrder[],
  context: FireContext,
): Promise<FiredSend[]> {
  if (orders.length === 0) return [];
  // In order of id, in which every batch locks its sends.
  const { arrays, parameters } = arraysOf(COLUMNS, inOrderOfId(orders));
  // sql/scheduler/functions/fire_sends.sql: by the primary key, planned once.
  return rowsOf<FiredSend>(
    sql,
    `select * from fire_sends(${arrays.join(', ')}, $8, $9, $10::int * interval '1 millisecond')`,
    [...parameters, new Date(context.now), context.by, context.leaseMs],
  );
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
  /** Of the request and policy as text. */
  readonly bytes: number;
}

const REVISIONS = `
select r.campaign, r.revision, r.request, coalesce(r.request->>'messageType', 'NOTIF') as "messageType",
       r.data->'policy' as policy, (r.data->'delivery'->>'until')::float8 as until,
       octet_length(r.request::text) + octet_length((r.data->'policy')::text) as bytes
  from unnest($1::uuid[], $2::int[]) as g(campaign, revision)
  join revision r on r.campaign = g.campaign and r.revision = g.revision`;

/** Never reads the audience, which may be a megabyte. */
export async function revisionFacts(
  sql: Sql,
  wanted: readonly { readonly campaign: string; readonly revision: number }[],
): Promise<RevisionFacts[]> {
  return rowsOf<RevisionFacts>(sql, REVISIONS, [
    wanted.map((one) => one.campaign),
    wanted.map((one) => one.revision),
  ]);
}
