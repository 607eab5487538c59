// Whether gateways know the channels and schedules that campaigns name: their answers, kept for a time.
import { columnsOf } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { KNOWN_MS, NOT_KNOWN_MS, type GatewayName } from '../decide/audience/gateway-names.js';

export interface NamesAsked {
  /** Names that the gateway said it does not know. */
  readonly unknown: readonly GatewayName[];
  /** Names that were never asked about, or whose answer is too old. */
  readonly unasked: readonly GatewayName[];
}

export interface NamesAsk {
  readonly serviceId: string;
  readonly names: readonly GatewayName[];
  /** Answers from this instant on count, however old they are. */
  readonly since: EpochMs;
}

type NamePlace = GatewayName & Pick<NamesAsk, 'serviceId'>;
const PLACES = columnsOf<NamePlace>('service_id text, kind text, name text');

/** One result for each of `asks`, in their order, with one statement for all. By primary key. */
export async function readNames(sql: Sql, asks: readonly NamesAsk[], now: EpochMs): Promise<NamesAsked[]> {
  const all = asks.flatMap(({ serviceId, names }) => names.map((one) => ({ serviceId, ...one })));
  if (all.length === 0) return asks.map(() => ({ unknown: [], unasked: [] }));
  const rows = await sql.query<NamePlace & { known: boolean | null; at: EpochMs }>(
    `select g.service_id as "serviceId", g.kind, g.name, g.known, extract(epoch from g.looked_up_at)::float8 * 1000 as at
       from (select distinct * from ${PLACES.from} as p) n
       join gateway_name g on g.service_id = n.service_id and g.kind = n.kind and g.name = n.name`,
    PLACES.parametersOf(all),
  );
  const answers = new Map(rows.map((row) => [placeOf(row.serviceId, row), row]));
  return asks.map(({ serviceId, names, since }) => {
    const unknown: GatewayName[] = [];
    const unasked: GatewayName[] = [];
    for (const one of names) {
      const answer = answers.get(placeOf(serviceId, one));
      const oldest = Math.min(since, now - (answer?.known === true ? KNOWN_MS : NOT_KNOWN_MS));
      if (answer === undefined || answer.at < oldest) unasked.push(one);
      else if (answer.known === false) unknown.push(one);
    }
    return { unknown, unasked };
  });
}

function placeOf(serviceId: string, { kind, name }: GatewayName): string {
  return JSON.stringify([serviceId, kind, name]);
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

/** Names that the gateway has lately said it knows and that contain a text, in order. By the primary key, as far as service and kind. */
export async function knownNames(
  sql: Sql,
  {
    serviceId,
    kind,
    q,
  }: { readonly serviceId: string; readonly kind: GatewayName['kind']; readonly q: string },
  most: number,
): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `select name from gateway_name where service_id = $1 and kind = $2 and known and strpos(name, $3) > 0 order by name limit $4`,
    [serviceId, kind, q, most],
  );
  return rows.map(({ name }) => name);
}
