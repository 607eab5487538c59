// Previewed plans under their hash, kept for 24 h: the dry run writes them, readers page through them, and they are compared
// when a campaign names the hash. Two previews with one hash have the same decisions, so the newer replaces the older.
import type { Sql } from '../../platform/database/database.js';
import { arrayText } from '../../platform/database/row-arrays.js';
import type { PlanDigests } from '../decide/plan/plan-hash.js';
import type { PlanProblem } from '../decide/plan/plan-types.js';
import type { PlanView, PreviewedCell } from '../store/read/plan-view.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

const KEPT_MS = 24 * 3_600_000;
/** Expired previews deleted with each new one: more than are added, so they never accumulate. */
const DELETED_AT_ONCE = 20;

/** JSON of cells in the plan's order: how they are shown, and the decisions about them. */
export interface CellTexts {
  readonly shown: readonly string[];
  readonly decided: readonly string[];
}

interface NewPreview {
  readonly serviceId: string;
  readonly hash: string;
  readonly digests: PlanDigests;
  readonly plan: unknown;
  /** In pages, each of which one statement writes. */
  readonly cells: Iterable<CellTexts>;
  /** The bytes of all these texts. */
  readonly cellBytes: number;
}

export type SavedPreview =
  | { readonly kind: 'kept'; readonly expiresAt: EpochMs }
  /** `roomAt`: when enough others have expired; undefined where this one alone is too large. */
  | { readonly kind: 'no-room'; readonly roomAt: EpochMs | undefined };

/**
 * How many bytes of previews a service has stored, by its primary key. Locks nothing: previews that are made at the same moment may
 * exceed the limit, each by its own size.
 */
const ROOM = `
with kept as (select bytes, expires_at, sum(bytes) over (order by expires_at, hash) as freed from plan_preview
               where service_id = $1 and hash <> $2 and expires_at > to_timestamp($3::float8 / 1000)),
     lack as (select coalesce(sum(bytes), 0) + $4::bigint - $5::bigint as bytes from kept)
select l.bytes > 0 as full, (select min(k.expires_at) from kept k where k.freed >= l.bytes) as "roomAt" from lack l`;

/** Runs in the caller's transaction, and writes nothing where there is no room. */
export async function savePreview(
  sql: Sql,
  preview: NewPreview,
  { now, mostBytes }: { readonly now: EpochMs; readonly mostBytes: number },
): Promise<SavedPreview> {
  const { serviceId, hash } = preview;
  const plan = JSON.stringify(preview.plan);
  const digests = JSON.stringify(preview.digests);
  const bytes = Buffer.byteLength(plan) + Buffer.byteLength(digests) + preview.cellBytes;
  const [room] = await sql.query<{ full: boolean; roomAt: Date | null }>(ROOM, [
    serviceId,
    hash,
    now,
    bytes,
    mostBytes,
  ]);
  if (room?.full === true) return { kind: 'no-room', roomAt: room.roomAt?.getTime() };
  await sql.query(
    `delete from plan_preview where ctid = any (array(
       select ctid from plan_preview where expires_at < to_timestamp($1::float8 / 1000)
        order by expires_at limit $2 for update skip locked))`,
    [now, DELETED_AT_ONCE],
  );
  await sql.query(
    `insert into plan_preview (service_id, hash, digests, plan, bytes, made_at, expires_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000))
     on conflict (service_id, hash)
     do update set plan = excluded.plan, bytes = excluded.bytes, made_at = excluded.made_at, expires_at = excluded.expires_at`,
    [serviceId, hash, digests, plan, bytes, now, now + KEPT_MS],
  );
  await sql.query('delete from plan_preview_cell where service_id = $1 and hash = $2', [serviceId, hash]);
  let before = 0;
  for (const { shown, decided } of preview.cells) {
    await sql.query(
      `insert into plan_preview_cell (service_id, hash, position, cell, decided)
       select $1, $2, $5 + position, cell::jsonb, decided::jsonb
         from unnest($3::text[], $4::text[]) with ordinality as u(cell, decided, position)`,
      [serviceId, hash, arrayText(shown), arrayText(decided), before],
    );
    before += shown.length;
  }
  return { kind: 'kept', expiresAt: now + KEPT_MS };
}

interface PreviewRow {
  readonly serviceId: string;
  readonly digests: PlanDigests;
  readonly plan: PlanView & { readonly refusal: PlanProblem | null };
  readonly madeAt: Date;
  readonly expiresAt: Date;
}

/** The preview of a hash that has not expired, of any of the given services (null: of any service). */
export async function previewByHash(
  sql: Sql,
  hash: string,
  serviceIds: readonly string[] | null,
  now: EpochMs,
): Promise<PreviewRow | undefined> {
  const [row] = await sql.query<PreviewRow>(
    `select service_id as "serviceId", digests, plan, made_at as "madeAt", expires_at as "expiresAt" from plan_preview
      where hash = $1 and ($2::text[] is null or service_id = any($2)) and expires_at > to_timestamp($3::float8 / 1000)
      order by service_id limit 1`,
    [hash, serviceIds, now],
  );
  return row;
}

export interface PreviewCell {
  /** From 1 to the number of the plan's cells. */
  readonly position: number;
  readonly cell: PreviewedCell;
}

/** A page ends with the cell that reaches this size: one cell can name 400 channels, and 500 such cells made 51 MB. */
const PAGE_BYTES = 262_144;

/** Cells in the plan's order, after position `after`: at most `limit`, and none after the cell with which PAGE_BYTES are reached. */
export async function previewCells(
  sql: Sql,
  { serviceId, hash }: { serviceId: string; hash: string },
  page: { after: number; limit: number },
): Promise<PreviewCell[]> {
  return sql.query(
    `select position, cell
       from (select position, cell, sum(octet_length(cell::text)) over before as bytes_before
               from (select position, cell from plan_preview_cell
                      where service_id = $1 and hash = $2 and position > $3 order by position limit $4) c
             window before as (order by position rows between unbounded preceding and 1 preceding)) c
      where coalesce(bytes_before, 0) < $5 order by position`,
    [serviceId, hash, page.after, page.limit, PAGE_BYTES],
  );
}

/** Cells read as one text. */
const CELLS_A_TEXT = 2_000;

/**
 * The decisions about every cell of a preview, as JSON of arrays of [occurrence, cell, decided]. It stays text, because a thread
 * parses it and the event loop need not. By the primary key.
 */
export async function decidedTexts(
  sql: Sql,
  { serviceId, hash }: { serviceId: string; hash: string },
): Promise<string[]> {
  const texts: string[] = [];
  for (let after = 0; ; after += CELLS_A_TEXT) {
    const [row] = await sql.query<{ text: string | null }>(
      `select jsonb_agg(jsonb_build_array(cell->'occurrence', cell->'cell', decided) order by position)::text as text
         from plan_preview_cell where service_id = $1 and hash = $2 and position > $3 and position <= $4`,
      [serviceId, hash, after, after + CELLS_A_TEXT],
    );
    if (typeof row?.text !== 'string') return texts;
    texts.push(row.text);
  }
}
