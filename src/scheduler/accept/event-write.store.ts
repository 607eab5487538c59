// The rows that a batch of events leaves behind: one statement for each table, whatever the size of the batch. In the
// caller's one transaction, after inbox.store.ts has taken its locks.
import type { Sql } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/row-arrays.js';

const TABLES = {
  event:
    'id uuid, verdict text, source text, event_id text, type text, subject text, service_id text, event_time timestamptz, received_at timestamptz, via text, topic text, partition int, offset bigint, token_id uuid, replay_of uuid, headers jsonb, body bytea',
  campaign:
    'id uuid, service_id text, campaign_id text, event uuid, name text, tags text[], newest_time timestamptz, state text, state_at timestamptz, state_by text, created_at timestamptz',
  revision:
    'campaign uuid, revision int, event uuid, token_id uuid, data jsonb, state text, taken_at timestamptz',
  command:
    'id uuid, event uuid, campaign uuid, act text, occurrence text, reason text, given_at timestamptz, given_by text',
  duplicate: 'event uuid, of_event uuid',
  /** `reasons`: [{pointer, code, text}]. */
  rejection:
    'id uuid, event uuid, service_id text, reasons jsonb, rejected_at timestamptz, topic text, partition int, offset bigint, body_hash bytea',
  /** `reasons`: as of a rejection. */
  parked_command:
    'event uuid, service_id text, campaign_id text, source text, event_id text, event_time timestamptz, act text, occurrence text, reason text, ends_at timestamptz, reasons jsonb',
  inbox_key:
    'source text, event_id text, service_id text, content_hash bytea, event uuid, taken_at timestamptz',
} as const;
type Tables = typeof TABLES;

/** Columns that the database computes from the others, so that a message is sent to it only once. */
const COMPUTED: { readonly [Table in keyof Tables]?: Readonly<Record<string, string>> } = {
  revision: {
    request: `jsonb_build_object('messageType', r.data->'messageType', 'message', r.data->'message')`,
  },
};

interface Values {
  readonly uuid: string | null;
  readonly text: string | null;
  readonly 'text[]': readonly string[] | null;
  readonly int: number | null;
  readonly bigint: string | null;
  readonly timestamptz: Date | null;
  readonly jsonb: unknown;
  readonly bytea: Buffer;
}

/** The members of a row with the columns `id uuid, name text`. */
type Members<Columns extends string> = Columns extends `${infer First}, ${infer Rest}`
  ? Members<First> & Members<Rest>
  : Columns extends `${infer Name} ${infer Type extends keyof Values}`
    ? { readonly [Member in Name]: Values[Type] }
    : never;

export type RowOf<Table extends keyof Tables> = Members<Tables[Table]>;

/** `ending` follows the rows, such as `on conflict …`. Returns the rows that it returns. */
export async function insertInto<Table extends keyof Tables>(
  sql: Sql,
  table: Table,
  rows: readonly RowOf<Table>[],
  ending = '',
): Promise<unknown[]> {
  return insertRows(sql, { table, columns: TABLES[table], rows, ending, computed: COMPUTED[table] ?? {} });
}
