// The rows a plan leaves: occurrences, cells, sends and whom they go to, each kind by one statement whatever their
// number. Runs in the planner's transaction; the primary key of cell refuses a second plan, and with it its sends.
import { columnRows } from '../../../platform/database/column-rows.js';
import type { Column } from '../../../platform/database/column-text.js';
import { rowsOf, type Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export interface OccurrenceRow {
  readonly campaign: string;
  readonly occurrence: string;
  readonly revision: number;
  readonly state: 'planned' | 'skipped';
  readonly code: string | null;
  readonly firstDueAt: EpochMs | null;
  readonly lastDueAt: EpochMs | null;
}

export async function insertOccurrences(
  sql: Sql,
  rows: readonly OccurrenceRow[],
  at: EpochMs,
): Promise<void> {
  if (rows.length === 0) return;
  await rowsOf(
    sql,
    `insert into occurrence (campaign, occurrence, revision, state, code, first_due, last_due, state_at)
     select campaign, occurrence, revision, state, code, to_timestamp(first_due / 1000), to_timestamp(last_due / 1000),
            to_timestamp($8::float8 / 1000)
       from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::float8[], $7::float8[])
            as u(campaign, occurrence, revision, state, code, first_due, last_due)`,
    [
      rows.map((row) => row.campaign),
      rows.map((row) => row.occurrence),
      rows.map((row) => row.revision),
      rows.map((row) => row.state),
      rows.map((row) => row.code),
      rows.map((row) => row.firstDueAt),
      rows.map((row) => row.lastDueAt),
      at,
    ],
  );
}

export interface CellRow {
  readonly campaign: string;
  readonly occurrence: string;
  readonly cell: string;
  readonly revision: number;
  readonly zone: string;
  readonly zoneSource: string;
  readonly segment: number;
  readonly deviceType: string;
  readonly country: string;
  readonly target: unknown;
  readonly localReading: unknown;
  readonly intendedAt: EpochMs | null;
  readonly dueAt: EpochMs | null;
  readonly handOffAt: EpochMs;
  readonly mode: string;
  readonly modeRule: string;
  readonly verdicts: unknown;
  readonly skippedCode: string | null;
  readonly chunks: number;
  readonly recipients: number | null;
}

const CELL_COLUMNS: readonly Column<CellRow>[] = [
  { name: 'campaign', type: 'uuid', of: (row) => row.campaign },
  { name: 'occurrence', type: 'text', of: (row) => row.occurrence },
  { name: 'cell', type: 'text', of: (row) => row.cell },
  { name: 'revision', type: 'int', of: (row) => row.revision },
  { name: 'zone', type: 'text', of: (row) => row.zone },
  { name: 'zone_source', type: 'text', of: (row) => row.zoneSource },
  { name: 'segment', type: 'int', of: (row) => row.segment },
  { name: 'device_type', type: 'text', of: (row) => row.deviceType },
  { name: 'country', type: 'text', of: (row) => row.country },
  { name: 'target', type: 'jsonb', of: (row) => JSON.stringify(row.target) },
  { name: 'local_reading', type: 'jsonb', of: (row) => JSON.stringify(row.localReading) },
  { name: 'mode', type: 'text', of: (row) => row.mode },
  { name: 'mode_rule', type: 'text', of: (row) => row.modeRule },
  { name: 'verdicts', type: 'jsonb', of: (row) => JSON.stringify(row.verdicts) },
  { name: 'skipped_code', type: 'text', of: (row) => row.skippedCode },
  { name: 'chunks', type: 'int', of: (row) => row.chunks },
  { name: 'recipients', type: 'int', of: (row) => row.recipients },
];
const CELL_INSTANTS: readonly Column<CellRow>[] = [
  { name: 'intended_at', type: 'float8', of: (row) => row.intendedAt },
  { name: 'due_at', type: 'float8', of: (row) => row.dueAt },
  { name: 'hand_off_at', type: 'float8', of: (row) => row.handOffAt },
];

export async function insertCells(sql: Sql, rows: readonly CellRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { from, names, parameters } = columnRows([...CELL_COLUMNS, ...CELL_INSTANTS], rows);
  await rowsOf(
    sql,
    `insert into cell (${names}) select ${selectList(CELL_COLUMNS, CELL_INSTANTS)} from ${from}`,
    parameters,
  );
}

/** Instants travel as epoch milliseconds. */
function selectList<Row>(columns: readonly Column<Row>[], instants: readonly Column<Row>[]): string {
  return [
    ...columns.map(({ name }) => name),
    ...instants.map(({ name }) => `to_timestamp(${name} / 1000)`),
  ].join(', ');
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
  readonly handOffAt: EpochMs;
  /** null for CHANNEL and ALL. */
  readonly recipients: readonly string[] | null;
}

const SEND_COLUMNS: readonly Column<SendRow>[] = [
  { name: 'id', type: 'uuid', of: (row) => row.id },
  { name: 'service_id', type: 'text', of: (row) => row.serviceId },
  { name: 'campaign', type: 'uuid', of: (row) => row.campaign },
  { name: 'revision', type: 'int', of: (row) => row.revision },
  { name: 'occurrence', type: 'text', of: (row) => row.occurrence },
  { name: 'cell', type: 'text', of: (row) => row.cell },
  { name: 'chunk', type: 'int', of: (row) => row.chunk },
  { name: 'state', type: 'text', of: (row) => row.state },
  { name: 'code', type: 'text', of: (row) => row.code },
  { name: 'detail', type: 'text', of: (row) => row.detail },
  { name: 'mode', type: 'text', of: (row) => row.mode },
  { name: 'mode_rule', type: 'text', of: (row) => row.modeRule },
  { name: 'schedule_code', type: 'text', of: (row) => row.scheduleCode },
];
const SEND_INSTANTS: readonly Column<SendRow>[] = [
  { name: 'intended_at', type: 'float8', of: (row) => row.intendedAt },
  { name: 'due_at', type: 'float8', of: (row) => row.dueAt },
  { name: 'next_at', type: 'float8', of: (row) => (row.state === 'planned' ? row.handOffAt : null) },
];

/** An array literal for each send, because arrays of arrays must be rectangular and chunks are not. */
const RECIPIENT_COLUMNS: readonly Column<SendRow>[] = [
  { name: 'send', type: 'uuid', of: (row) => row.id },
  { name: 'recipients', type: 'text', of: (row) => arrayLiteral(row.recipients ?? []), foreign: true },
];

/** Writes the first sends of chunks whose cells this transaction writes too. */
export async function insertSends(
  sql: Sql,
  rows: readonly SendRow[],
  at: EpochMs,
  by: string,
): Promise<void> {
  if (rows.length === 0) return;
  const { from, names, parameters } = columnRows([...SEND_COLUMNS, ...SEND_INSTANTS], rows);
  const next = parameters.length + 1;
  const now = `to_timestamp($${next}::float8 / 1000)`;
  await rowsOf(
    sql,
    `insert into send (${names}, state_at, state_by, created_at)
     select ${selectList(SEND_COLUMNS, SEND_INSTANTS)}, ${now}, $${next + 1}, ${now} from ${from}`,
    [...parameters, at, by],
  );
  await insertRecipients(
    sql,
    rows.filter((row) => row.recipients !== null),
  );
}

async function insertRecipients(sql: Sql, rows: readonly SendRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { from, parameters } = columnRows(RECIPIENT_COLUMNS, rows);
  await rowsOf(
    sql,
    `insert into send_recipients (send, recipients) select send, recipients::text[] from ${from}`,
    parameters,
  );
}

/** A text[] as PostgreSQL writes it; every element quoted, so that NULL and commas are themselves. */
function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}
