// Inserts the rows of a plan: occurrences, cells, sends and their recipients, each kind with one statement. Runs in the planner's
// transaction. The primary key of cell refuses a second plan, and with it its sends. Those of a later revision lie beside them
// (occurrence_next, cell_next, send_next), until it takes the place of the one in force (revise.store.ts).
import { insertRows } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { ENDED_STATES, RETRYABLE_STATES } from '../../decide/lifecycle/send-state.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export interface OccurrenceRow {
  readonly campaign: string;
  readonly occurrence: string;
  readonly revision: number;
  readonly state: 'planned' | 'skipped';
  readonly code: string | null;
  readonly firstDue: EpochMs | null;
  readonly lastDue: EpochMs | null;
}

/** Whether rows count at once, or are those of a later revision. */
export type PlannedTo = 'now' | 'next';

const tableOf = (name: string, to: PlannedTo): string => (to === 'next' ? `${name}_next` : name);

export async function insertOccurrences(
  sql: Sql,
  rows: readonly OccurrenceRow[],
  at: EpochMs,
  to: PlannedTo = 'now',
): Promise<void> {
  await insertRows(sql, {
    table: tableOf('occurrence', to),
    columns: `campaign uuid, occurrence text, revision int, state text, code text, first_due timestamptz,
              last_due timestamptz, state_at timestamptz`,
    rows,
    same: { stateAt: at },
  });
}

/** Each row has a member for each column. */
export async function insertCells(sql: Sql, rows: readonly object[], to: PlannedTo = 'now'): Promise<void> {
  await insertRows(sql, {
    table: tableOf('cell', to),
    columns: `campaign uuid, occurrence text, cell text, revision int, zone text, zone_source text, segment int,
              device_type text, country text, target jsonb, local_reading jsonb, intended_at timestamptz,
              due_at timestamptz, hand_off_at timestamptz, mode text, mode_rule text, verdicts jsonb, skipped_code text,
              chunks int, recipients int`,
    rows,
  });
}

export interface SendRow {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  readonly occurrence: string;
  readonly cell: string;
  readonly chunk: number;
  readonly state: 'planned' | 'skipped' | 'expired';
  readonly code: string | null;
  readonly detail: string | null;
  readonly mode: string;
  readonly modeRule: string;
  readonly scheduleCode: string | null;
  /** null for a standing message. */
  readonly intendedAt: EpochMs | null;
  readonly dueAt: EpochMs | null;
  /** Its hand-off; null for a send that is inserted as ended. */
  readonly nextAt: EpochMs | null;
  /** null for CHANNEL and ALL, and where `listed` says where the ids lie. */
  readonly recipients: readonly string[] | null;
  /** Of a list: how many ids it goes to, and which of the page's listed ids they are. */
  readonly listed?: { readonly at: number; readonly ids: number };
  /** Of a revision that leaves recipients where they are: how many ids it takes from the send before. */
  readonly takesOver?: number;
}

/** A send that is inserted as ended goes to the partition of the day of its end at once. */
export const endOf = (at: EpochMs, { state }: SendRow): EpochMs | 'infinity' =>
  ENDED_STATES.includes(state) ? at : 'infinity';

/** The ids of a send that is inserted as ended are kept only if it may be retried. */
export const keepsRecipients = ({ state }: SendRow): boolean =>
  !ENDED_STATES.includes(state) || RETRYABLE_STATES.includes(state);

const COLUMNS = `id uuid, ended_at timestamptz, recipients int, service_id text, campaign uuid, revision int, occurrence text, cell text, chunk int, state text,
              code text, detail text, mode text, mode_rule text, schedule_code text, intended_at timestamptz,
              due_at timestamptz, next_at timestamptz, state_at timestamptz, state_by text, created_at timestamptz`;

const withEnd = (at: EpochMs, row: SendRow) => ({
  ...row,
  endedAt: endOf(at, row),
  recipients: row.recipients?.length ?? row.listed?.ids ?? row.takesOver ?? null,
});

/** Inserts the sends of a later revision with their ids; those of a list follow (insertListedRecipients). */
export async function insertNextSends(
  sql: Sql,
  rows: readonly SendRow[],
  at: EpochMs,
  by: string,
): Promise<void> {
  await insertRows(sql, {
    table: 'send_next',
    columns: `${COLUMNS}, ids text[]`,
    rows: rows.map((row) => ({ ...withEnd(at, row), ids: row.recipients })),
    same: { stateAt: at, stateBy: by, createdAt: at },
  });
}

/** Forgets the plan of a later revision, or of these occurrences of it. */
export async function forgetNext(sql: Sql, campaign: string, occurrences?: readonly string[]): Promise<void> {
  for (const table of ['send_next', 'cell_next', 'occurrence_next'])
    await sql.query(
      `delete from ${table} where campaign = $1 and ($2::text[] is null or occurrence = any($2))`,
      [campaign, occurrences ?? null],
    );
}

/** Inserts the first sends of chunks; the same transaction writes their cells. */
export async function insertSends(
  sql: Sql,
  rows: readonly SendRow[],
  at: EpochMs,
  by: string,
): Promise<void> {
  await insertRows(sql, {
    table: 'send',
    columns: COLUMNS,
    rows: rows.map((row) => withEnd(at, row)),
    same: { stateAt: at, stateBy: by, createdAt: at },
  });
  await insertRows(sql, {
    table: 'send_recipients',
    columns: 'send uuid, send_ended_at timestamptz, recipients text[]',
    rows: rows.flatMap((row) =>
      row.recipients === null || !keepsRecipients(row)
        ? []
        : [{ send: row.id, sendEndedAt: endOf(at, row), recipients: row.recipients }],
    ),
  });
}
