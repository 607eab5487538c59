// The rows a plan leaves: occurrences, cells, and sends with their live_send, each kind by one statement over arrays
// whatever their number. Runs in the planner's transaction; the primary key of live_send refuses a second plan.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';

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

export async function insertCells(sql: Sql, rows: readonly CellRow[]): Promise<void> {
  if (rows.length === 0) return;
  await rowsOf(
    sql,
    `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, segment, device_type, country, target,
                       local_reading, intended_at, due_at, hand_off_at, mode, mode_rule, verdicts, skipped_code,
                       chunks, recipients)
     select campaign, occurrence, cell, revision, zone, zone_source, segment, device_type, country, target::jsonb,
            local_reading::jsonb, to_timestamp(intended_at / 1000), to_timestamp(due_at / 1000),
            to_timestamp(hand_off_at / 1000), mode, mode_rule, verdicts::jsonb, skipped_code, chunks, recipients
       from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::int[], $8::text[],
                   $9::text[], $10::text[], $11::text[], $12::float8[], $13::float8[], $14::float8[], $15::text[],
                   $16::text[], $17::text[], $18::text[], $19::int[], $20::int[])
            as u(campaign, occurrence, cell, revision, zone, zone_source, segment, device_type, country, target,
                 local_reading, intended_at, due_at, hand_off_at, mode, mode_rule, verdicts, skipped_code, chunks,
                 recipients)`,
    [
      rows.map((row) => row.campaign),
      rows.map((row) => row.occurrence),
      rows.map((row) => row.cell),
      rows.map((row) => row.revision),
      rows.map((row) => row.zone),
      rows.map((row) => row.zoneSource),
      rows.map((row) => row.segment),
      rows.map((row) => row.deviceType),
      rows.map((row) => row.country),
      rows.map((row) => JSON.stringify(row.target)),
      rows.map((row) => JSON.stringify(row.localReading)),
      rows.map((row) => row.intendedAt),
      rows.map((row) => row.dueAt),
      rows.map((row) => row.handOffAt),
      rows.map((row) => row.mode),
      rows.map((row) => row.modeRule),
      rows.map((row) => JSON.stringify(row.verdicts)),
      rows.map((row) => row.skippedCode),
      rows.map((row) => row.chunks),
      rows.map((row) => row.recipients),
    ],
  );
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

/**
 * Writes sends and the live_send rows that make each the newest of its chunk. Ids of recipients travel as array
 * literals, because arrays of arrays must be rectangular in PostgreSQL and chunks are not.
 */
export async function insertSends(
  sql: Sql,
  rows: readonly SendRow[],
  at: EpochMs,
  by: string,
): Promise<void> {
  if (rows.length === 0) return;
  await rowsOf(
    sql,
    `with born as (
       insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, state, code, detail, mode,
                         mode_rule, schedule_code, intended_at, due_at, hand_off_at, recipients, state_at, state_by,
                         created_at)
       select id, service_id, campaign, revision, occurrence, cell, chunk, state, code, detail, mode, mode_rule,
              schedule_code, to_timestamp(intended_at / 1000), to_timestamp(due_at / 1000),
              to_timestamp(hand_off_at / 1000), recipients::text[], to_timestamp($18::float8 / 1000), $19,
              to_timestamp($18::float8 / 1000)
         from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::text[], $6::text[], $7::int[], $8::text[],
                     $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::float8[], $15::float8[],
                     $16::float8[], $17::text[])
              as u(id, service_id, campaign, revision, occurrence, cell, chunk, state, code, detail, mode, mode_rule,
                   schedule_code, intended_at, due_at, hand_off_at, recipients)
       returning campaign, occurrence, cell, chunk, id)
     insert into live_send (campaign, occurrence, cell, chunk, send)
     select campaign, occurrence, cell, chunk, id from born`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.serviceId),
      rows.map((row) => row.campaign),
      rows.map((row) => row.revision),
      rows.map((row) => row.occurrence),
      rows.map((row) => row.cell),
      rows.map((row) => row.chunk),
      rows.map((row) => row.state),
      rows.map((row) => row.code),
      rows.map((row) => row.detail),
      rows.map((row) => row.mode),
      rows.map((row) => row.modeRule),
      rows.map((row) => row.scheduleCode),
      rows.map((row) => row.intendedAt),
      rows.map((row) => row.dueAt),
      rows.map((row) => row.handOffAt),
      rows.map((row) => (row.recipients === null ? null : arrayLiteral(row.recipients))),
      at,
      by,
    ],
  );
}

/** A text[] as PostgreSQL writes it; every element quoted, so that NULL and commas are themselves. */
function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}
