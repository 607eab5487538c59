// What a gateway said of the channels and schedules that campaigns name, kept for a time.
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { KNOWN_MS, NOT_KNOWN_MS, type GatewayName } from '../decide/audience/gateway-names.js';

export interface NamesAsked {
  /** That it said it does not know. */
  readonly unknown: readonly GatewayName[];
  /** Of which nothing is believed any more, or was ever asked. */
  readonly unasked: readonly GatewayName[];
}

/** Answers of `since` or later count however old they are. By primary key. */
export async function readNames(
  sql: Sql,
  serviceId: string,
  names: readonly GatewayName[],
  { now, since }: { readonly now: EpochMs; readonly since: EpochMs },
): Promise<NamesAsked> {
  if (names.length === 0) return { unknown: [], unasked: [] };
  const rows = await sql.query<GatewayName & { known: boolean | null; at: EpochMs }>(
    `select g.kind, g.name, g.known, extract(epoch from g.looked_up_at)::float8 * 1000 as at
       from unnest($2::text[], $3::text[]) as n(kind, name)
       join gateway_name g on g.service_id = $1 and g.kind = n.kind and g.name = n.name`,
    [serviceId, names.map(({ kind }) => kind), names.map(({ name }) => name)],
  );
  const believed = rows.filter(
    ({ known, at }) => at >= Math.min(since, now - (known === true ? KNOWN_MS : NOT_KNOWN_MS)),
  );
  const among = (some: readonly GatewayName[], one: GatewayName): boolean =>
    some.some(({ kind, name }) => kind === one.kind && name === one.name);
  return {
    unknown: believed.filter(({ known }) => known === false).map(({ kind, name }) => ({ kind, name })),
    unasked: names.filter((one) => !among(believed, one)),
  };
}

/** `known` null: no answer came. */
export async function writeName(
  sql: Sql,
  serviceId: string,
  { kind, name }: GatewayName,
  answer: { readonly known: boolean | null; readonly at: EpochMs },
): Promise<void> {
  await sql.query(
    `insert into gateway_name (service_id, kind, name, known, looked_up_at)
     values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
     on conflict (service_id, kind, name) do update set known = excluded.known, looked_up_at = excluded.looked_up_at`,
    [serviceId, kind, name, answer.known, answer.at],
  );
}

/** Deletes at most `batch` answers from before `before`; returns how many went. Read from one end to the other: they are few. */
export async function deleteOldNames(sql: Sql, before: Date, batch: number): Promise<number> {
  const gone = await sql.query(
    `delete from gateway_name where ctid = any (array(
       select ctid from gateway_name where looked_up_at < $1 limit $2 for update skip locked)) returning 1`,
    [before, batch],
  );
  return gone.length;
}
