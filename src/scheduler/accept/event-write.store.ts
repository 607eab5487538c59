// The rows that a batch of events leaves behind, one statement for each kind whatever the size of the batch. In the
// caller's one transaction, after what inbox.store.ts has locked.
import type { Sql } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/columns.js';

export interface EventRow {
  readonly id: string;
  readonly verdict: 'campaign' | 'revision' | 'command' | 'rejected' | 'duplicate';
  readonly source: string | null;
  readonly event_id: string | null;
  readonly type: string | null;
  readonly subject: string | null;
  readonly service_id: string | null;
  readonly event_time: Date | null;
  readonly received_at: Date;
  readonly via: 'kafka' | 'http';
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
  readonly token_id: string | null;
  readonly headers: unknown;
  readonly body: Buffer;
}

export async function insertEvents(sql: Sql, rows: readonly EventRow[]): Promise<void> {
  await insertRows(sql, {
    table: 'event',
    columns:
      'id uuid, verdict text, source text, event_id text, type text, subject text, service_id text, event_time timestamptz, received_at timestamptz, via text, topic text, partition int, offset bigint, token_id uuid, headers jsonb, body bytea',
    rows,
  });
}

export interface CampaignRow {
  readonly id: string;
  readonly service_id: string;
  readonly campaign_id: string;
  readonly event: string;
  readonly name: string | null;
  readonly newest_time: Date;
  readonly state_at: Date;
  readonly state_by: string;
}

/**
 * New campaigns as `accepted`, in the publishers' order of names so that two batches cannot deadlock. Returns how many
 * were new: fewer than given means that another transaction made one of them first.
 */
export async function insertCampaigns(sql: Sql, rows: readonly CampaignRow[]): Promise<number> {
  const sorted = [...rows].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const made = await insertRows<CampaignRow>(sql, {
    table: 'campaign',
    columns:
      'id uuid, service_id text, campaign_id text, event uuid, name text, newest_time timestamptz, state_at timestamptz, state_by text',
    computed: { state: "'accepted'", created_at: 'r.state_at' },
    rows: sorted,
    ending: 'on conflict on constraint campaign_campaign_id do nothing returning id',
  });
  return made.length;
}

export interface RevisionRow {
  readonly campaign: string;
  readonly revision: number;
  readonly event: string;
  readonly data: unknown;
  readonly request: unknown;
  readonly taken_at: Date;
}

export async function insertRevisions(sql: Sql, rows: readonly RevisionRow[]): Promise<void> {
  await insertRows(sql, {
    table: 'revision',
    columns: 'campaign uuid, revision int, event uuid, data jsonb, request jsonb, taken_at timestamptz',
    computed: { state: "'planning'" },
    rows,
  });
}

export interface CommandRow {
  readonly id: string;
  readonly event: string;
  readonly campaign: string;
  readonly kind: 'cancel' | 'pause' | 'resume';
  readonly occurrence: string | null;
  readonly reason: string | null;
  readonly given_at: Date;
  readonly given_by: string;
}

export async function insertCommands(sql: Sql, rows: readonly CommandRow[]): Promise<void> {
  await insertRows(sql, {
    table: 'command',
    columns:
      'id uuid, event uuid, campaign uuid, kind text, occurrence text, reason text, given_at timestamptz, given_by text',
    rows,
  });
}

export async function insertDuplicates(
  sql: Sql,
  rows: readonly { readonly event: string; readonly of_event: string }[],
): Promise<void> {
  await insertRows(sql, { table: 'duplicate', columns: 'event uuid, of_event uuid', rows });
}

/** No two of a batch are the same. */
function nameOf({ service_id, campaign_id }: CampaignRow): string {
  return `${service_id} ${campaign_id}`;
}
