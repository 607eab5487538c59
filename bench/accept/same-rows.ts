// The very rows that our side left, inserted into a database of the same schema by as few statements as there can be. Their
// parameters are made before the clock runs: what is measured is PostgreSQL.
import { arrayText } from '../../src/platform/database/row-arrays.js';
import type { Sql } from '../../src/platform/database/database.js';
import type { World } from '../dispatch/world.js';
import { timedAsync } from '../measure.js';

/** The tables to which an event that was taken writes. Triggers add their rows here too. */
export const INBOX = ['event', 'inbox_key', 'campaign', 'revision'] as const;
/** All of one whose campaign was planned: no trigger adds to these, nor looks after what they refer to. */
export const PLANNED = [...INBOX, 'campaign_history', 'occurrence', 'cell', 'send', 'send_event'] as const;

interface Page {
  readonly statements: readonly string[];
  readonly parameters: readonly string[][];
}

export interface SameRows {
  readonly events: number;
  readonly rows: number;
  readonly pages: readonly Page[];
  readonly triggers: boolean;
}

/** `together`: one statement for all tables and no triggers, else one for each and what they trigger. */
export async function sameRows(
  from: World,
  tables: readonly string[],
  { events, each, together }: { events: number; each: number; together: boolean },
): Promise<SameRows> {
  const pages: Page[] = [];
  let rows = 0;
  const ids = await from.sql.query<{ id: string; campaign: string }>(
    'select e.id, c.id as campaign from event e join campaign c on c.event = e.id order by e.id limit $1',
    [events],
  );
  for (let at = 0; at < ids.length; at += each) {
    const some = ids.slice(at, at + each);
    const read = await Promise.all(tables.map((table) => columnsOf(from, table, some)));
    rows += read.reduce((sum, { count }) => sum + count, 0);
    pages.push(pageOf(tables, read, together));
  }
  return { events: ids.length, rows, pages, triggers: !together };
}

/** Milliseconds; so many transactions side by side, each of one page. */
export async function insertSame(
  into: World,
  { pages, triggers }: SameRows,
  sideBySide: number,
): Promise<number> {
  const left = [...pages];
  const insert = async (): Promise<void> => {
    for (let page = left.shift(); page !== undefined; page = left.shift()) {
      const { statements, parameters } = page;
      await into.sql.transaction(async (sql: Sql) => {
        if (!triggers) await sql.query("set local session_replication_role = 'replica'");
        for (const [index, text] of statements.entries()) await sql.query(text, parameters[index]);
      });
    }
  };
  return timedAsync(() => Promise.all(Array.from({ length: sideBySide }, insert)));
}

interface Columns {
  readonly count: number;
  readonly types: readonly { readonly name: string; readonly type: string }[];
  readonly arrays: readonly string[];
}

async function columnsOf(
  { sql }: World,
  table: string,
  events: readonly { readonly id: string; readonly campaign: string }[],
): Promise<Columns> {
  const types = await sql.query<{ name: string; type: string }>(
    `select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'scheduler' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`,
    [table],
  );
  const key = { event: 'id', inbox_key: 'event', campaign: 'id' }[table] ?? 'campaign';
  const wanted = events.map(({ id, campaign }) =>
    table === 'event' || table === 'inbox_key' ? id : campaign,
  );
  const texts = types.map(({ name }) => `"${name}"::text as "${name}"`).join(', ');
  const rows = await sql.query<Record<string, string | null>>(
    `select ${texts} from ${table} where "${key}" = any($1::uuid[])`,
    [wanted],
  );
  const arrays = types.map(({ name }) => arrayText(rows.map((row) => row[name] ?? null)));
  return { count: rows.length, types, arrays };
}

function pageOf(tables: readonly string[], read: readonly Columns[], together: boolean): Page {
  let next = 0;
  const inserts = read.map(({ types }, index) => {
    if (!together) next = 0;
    const names = types.map(({ name }) => `"${name}"`).join(', ');
    // Arrays of arrays must be rectangular: an array is its text here.
    const itemOf = (type: string): string => (type.startsWith('_') ? 'text' : type);
    const values = types.map(({ type }) => `unnest($${(next += 1)}::${itemOf(type)}[])::${type}`).join(', ');
    return `insert into ${tables[index] ?? ''} (${names}) select ${values}`;
  });
  if (!together) return { statements: inserts, parameters: read.map(({ arrays }) => [...arrays]) };
  const before = inserts.slice(0, -1).map((text, index) => `i${index} as (${text})`);
  const text = `with ${before.join(', ')} ${inserts.at(-1) ?? ''}`;
  return { statements: [text], parameters: [read.flatMap(({ arrays }) => arrays)] };
}
