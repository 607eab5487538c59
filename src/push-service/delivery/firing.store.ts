// Named SQL of firings: from the lock on one to the chunks of its targets. All of it inside one transaction of one
// snapshot, so that a process that dies leaves either no chunk or all of them, and each device is in one of them.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import type { TargetType } from '../../push-contract/statuses.js';
import type { MessageKind, MessageState } from '../messages/message.store.js';
import { suppressedBecause } from './consent.js';

export interface ReadyFiring {
  readonly id: string;
  readonly messageId: string;
  readonly serviceId: string;
  readonly kind: MessageKind;
  readonly messageState: MessageState;
  readonly request: string;
  readonly timezone: number | null;
  readonly dueAt: Date;
  readonly attempts: number;
  /** Of a small message: it may be one of many. */
  readonly small: boolean;
}

/** Small firings expanded together. */
const RUN_SIZE = 200;

/** `oldest`: whatever has waited longest. `small`: the oldest small one, so that it never waits for big ones to end. */
export type FiringOrder = 'oldest' | 'small';

/**
 * The first READY firing of the order, locked with its message; those that others hold are passed over (indexes
 * firing_ready, firing_ready_small). When it is a small one, up to RUN_SIZE of the oldest small ones come along, unless
 * one of them broke before: then each is tried alone. In order of age. The columns are read where the rows are locked:
 * read again beside the locks they would be those of the statement's begin, and a cancellation between would be missed.
 */
export async function lockReadyFirings(sql: Sql, order: FiringOrder): Promise<ReadyFiring[]> {
  return rowsOf<ReadyFiring>(
    sql,
    `WITH first AS MATERIALIZED (
       ${READY_FIRING} ${order === 'small' ? 'AND f.small' : ''} ORDER BY f.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
     ), beside AS MATERIALIZED (
       ${READY_FIRING} AND f.small AND f.attempts = 0 AND (SELECT small AND attempts = 0 FROM first)
       ORDER BY f.id LIMIT ${RUN_SIZE} FOR NO KEY UPDATE SKIP LOCKED
     )
     SELECT * FROM first UNION ALL SELECT * FROM beside WHERE id <> (SELECT id FROM first)`,
  );
}

const READY_FIRING = `SELECT f.id, f.message_id AS "messageId", f.service_id AS "serviceId", m.kind,
         m.state AS "messageState", m.request, f.timezone, f.due_at AS "dueAt", f.attempts, f.small
       FROM firing f JOIN message m ON m.id = f.message_id WHERE f.state = 'READY'`;

export interface TargetFilter {
  readonly firingId: string;
  readonly serviceId: string;
  readonly type: TargetType;
  readonly to: readonly string[];
  readonly deviceType: string | null;
  readonly countries: readonly string[] | null;
  readonly timezones: readonly number[] | null;
  readonly advertising: boolean;
}

export interface ExpandedPage {
  /** bigint as text; null when no user was left. */
  readonly lastKey: string | null;
  /** False: no user is left after this page. */
  readonly more: boolean;
  readonly targets: number;
  readonly chunks: number;
}

/** Devices of one chunk: what is claimed, handed over and recorded at once. */
export const CHUNK_SIZE = 1_000;

/** Users of one statement. Bounds its time (some 150 ms) and memory, whatever the audience. */
const PAGE_SIZE = 20_000;

/**
 * Lays down the next page of targets, in order of user key. ALL reads users and devices by key range and joins them
 * by hash; CHANNEL and USER look each user's devices up, since their keys may lie far apart (OFFSET 0 holds the
 * planner to that: it would else read every device of the service for each page).
 */
export async function expandPage(
  sql: Sql,
  filter: TargetFilter,
  at: Date,
  afterKey: string,
  chunksBefore: number,
): Promise<ExpandedPage> {
  const [row] = await rowsOf<ExpandedPage>(
    sql,
    `WITH page AS MATERIALIZED (${PAGES[filter.type]}),
     targeted AS (
       SELECT d.id, u.key, d.device_type, u.country, u.language, u.timezone,
         ${suppressedBecause('$8::bool', '$9::timestamptz')} AS reason
       FROM ${filter.type === 'ALL' ? BY_RANGE : BY_LOOKUP}
       WHERE ($5::text IS NULL OR d.device_type = $5) AND ($6::text[] IS NULL OR u.country = ANY($6))
         AND ($7::int[] IS NULL OR u.timezone = ANY($7))
     ), numbered AS (
       SELECT *, (row_number() OVER () - 1) / ${CHUNK_SIZE} AS part FROM targeted WHERE reason IS NULL
     ), laid AS (
       INSERT INTO fan_out_chunk (firing_id, chunk_no, targets, device_ids, user_keys, device_types, countries, languages,
                                  timezones)
       SELECT $1::bigint, $4::int + part, count(*), array_agg(id), array_agg(key), array_agg(device_type), array_agg(country),
              array_agg(language), array_agg(timezone)
       FROM numbered GROUP BY part RETURNING targets
     ), left_out AS (
       INSERT INTO suppression (firing_id, reason, device_type, country, language, timezone, count)
       SELECT $1::bigint, reason, device_type, country, language, timezone, count(*)
       FROM targeted WHERE reason IS NOT NULL GROUP BY 2, 3, 4, 5, 6
       ON CONFLICT (firing_id, reason, device_type, country, language, timezone)
         DO UPDATE SET count = suppression.count + excluded.count
     )
     SELECT (SELECT max(key) FROM page)::text AS "lastKey", (SELECT count(*) FROM page) = ${PAGE_SIZE} AS more,
            (SELECT count(*)::int FROM laid) AS chunks,
            coalesce((SELECT sum(targets)::int FROM laid), 0) AS targets`,
    [
      filter.firingId,
      filter.serviceId,
      afterKey,
      chunksBefore,
      filter.deviceType,
      filter.countries,
      filter.timezones,
      filter.advertising,
      at,
      ...(filter.type === 'ALL' ? [] : [filter.to]),
    ],
  );
  return row ?? { lastKey: null, more: false, targets: 0, chunks: 0 };
}

const USER_COLUMNS =
  'key, country, language, timezone, notification_agreement, ad_agreement, night_ad_agreement';

const PAGES: Readonly<Record<TargetType, string>> = {
  ALL: `SELECT ${USER_COLUMNS} FROM push_user WHERE service_id = $2 AND key > $3::bigint ORDER BY key LIMIT ${PAGE_SIZE}`,
  CHANNEL: `SELECT ${USER_COLUMNS} FROM push_user WHERE service_id = $2 AND key IN (
      SELECT DISTINCT m.user_key FROM channel_member m
      WHERE m.channel_id IN (SELECT id FROM channel WHERE service_id = $2 AND channel_name = ANY($10::text[]))
        AND m.user_key > $3::bigint ORDER BY m.user_key LIMIT ${PAGE_SIZE}) ORDER BY key`,
  USER: `SELECT ${USER_COLUMNS} FROM push_user WHERE service_id = $2 AND user_id = ANY($10::text[]) AND key > $3::bigint
    ORDER BY key LIMIT ${PAGE_SIZE}`,
};

const BY_RANGE = `page u JOIN (SELECT id, user_key, device_type FROM device WHERE service_id = $2 AND active
  AND user_key > $3::bigint AND user_key <= (SELECT max(key) FROM page)) d ON d.user_key = u.key`;

const BY_LOOKUP = `page u CROSS JOIN LATERAL (SELECT id, device_type FROM device
  WHERE service_id = $2 AND user_key = u.key AND active OFFSET 0) d`;

/** READY → SENDING, or FINISHED when nobody is targeted; the message goes along in the same statement. */
export async function markExpanded(
  sql: Sql,
  firing: ReadyFiring,
  targets: number,
  chunks: number,
  now: Date,
): Promise<void> {
  await sql.query(
    `WITH fired AS (
       UPDATE firing SET state = CASE WHEN $2::int = 0 THEN 'FINISHED' ELSE 'SENDING' END, fired_at = $4,
         complete_at = CASE WHEN $2::int = 0 THEN $4::timestamptz END, target_count = $3, chunks_left = $2::int
       WHERE id = $1 RETURNING message_id)
     UPDATE message m SET target_count = target_count + $3,
       state = CASE WHEN kind = 'scheduled' THEN state WHEN $2::int = 0 THEN 'FINISHED' ELSE 'FIRED' END,
       complete_at = CASE WHEN kind <> 'scheduled' AND $2::int = 0 THEN $4::timestamptz ELSE complete_at END
     FROM fired WHERE m.id = fired.message_id`,
    [firing.id, chunks, targets, now],
  );
}

/**
 * READY → FAIL, STALE or CANCELED: nothing was handed over. A message of its own ends with it. Returns false, having
 * done nothing, when another has expanded or ended it since.
 */
export async function endFiring(
  sql: Sql,
  firing: ReadyFiring,
  state: 'FAIL' | 'STALE' | 'CANCELED',
  now: Date,
): Promise<boolean> {
  const ended = await rowsOf(
    sql,
    `WITH ended AS (
       UPDATE firing SET state = $2, complete_at = $3 WHERE id = $1 AND state = 'READY' RETURNING message_id
     ), told AS (
       UPDATE message m SET state = $2, complete_at = $3 FROM ended
       WHERE m.id = ended.message_id AND m.kind <> 'scheduled'
     )
     SELECT message_id FROM ended`,
    [firing.id, state, now],
  );
  return ended.length > 0;
}

/** One more failed attempt of each, outside the transaction that failed. Returns those that have had `most`. */
export async function countAttempts(sql: Sql, firingIds: readonly string[], most: number): Promise<string[]> {
  const rows = await rowsOf<{ id: string; attempts: number }>(
    sql,
    `UPDATE firing SET attempts = attempts + 1 WHERE id = ANY($1::bigint[]) AND state = 'READY' RETURNING id, attempts`,
    [firingIds],
  );
  return rows.filter(({ attempts }) => attempts >= most).map(({ id }) => id);
}
