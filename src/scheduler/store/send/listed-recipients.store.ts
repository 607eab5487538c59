// The ids of sends that go to an uploaded list: from the rows of the list to those of the sends, by one statement for some hundred of
// them. No id comes into the process. Runs in the planner's transaction.
import { columnsOf } from '../../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { PlannedTo } from './planned-rows.store.js';

/** Some ids of a list, in an order that stays while the campaign is planned. */
export interface ListedIds {
  readonly campaign: string;
  readonly version: string;
  /** The groups of ids, as source and zone. */
  readonly groups: readonly (readonly [source: string, zone: string])[];
  /** Ids in one request. */
  readonly maxTo: number;
}

export interface ListedSend {
  readonly id: string;
  /** Where it lies: `infinity`, or when it ended. */
  readonly endedAt: string | number;
  /** It gets the ids from `chunk` × maxTo on. */
  readonly chunk: number;
}

const WRITE: Readonly<Record<PlannedTo, (sends: string) => string>> = {
  now: (sends) => `insert into send_recipients (send, send_ended_at, recipients)
       select s.id, s.ended_at, c.ids from ${sends} as s join chunk c using (chunk)
       returning cardinality(recipients) as ids`,
  next: (
    sends,
  ) => `update send_next n set ids = c.ids from ${sends} as s join chunk c using (chunk) where n.id = s.id
       returning cardinality(n.ids) as ids`,
};

const SENDS = columnsOf<ListedSend>('id uuid, ended_at timestamptz, chunk int');

/**
 * Writes the ids of these sends; returns how many ids there were. The sizes of the rows before the first say where it begins, so only
 * rows that hold one of these ids are unpacked. By the primary keys of audience_part and audience_known.
 */
export async function insertListedRecipients(
  sql: Sql,
  { campaign, version, groups, maxTo }: ListedIds,
  sends: readonly ListedSend[],
  to: PlannedTo = 'now',
): Promise<number> {
  const chunks = sends.map(({ chunk }) => chunk);
  const first = Math.min(...chunks) * maxTo;
  const end = (Math.max(...chunks) + 1) * maxTo;
  const zonesOf = (isGiven: boolean) => groups.filter(([source]) => (source === 'given') === isGiven);
  const row = await firstRow<{ ids: number }>(
    sql,
    `with part as (
       select source, zone, bucket, part, size, ids from (
         select 'given' as source, zone, bucket, part, size, ids from audience_part
          where version = $4 and zone = any($5::text[])
         union all
         select source, zone, bucket, part, size, ids from audience_known
          where campaign = $6 and (source, zone) in (select unnest($7::text[]), unnest($8::text[]))) p
     ), located as (
       select ids, size, sum(size) over (order by source, zone, bucket, part) - size as before from part
     ), chunk as (
       select ((l.before + i.place - 1) / $9)::int as chunk, array_agg(i.id order by l.before + i.place) as ids
         from located l cross join lateral unnest(l.ids) with ordinality as i(id, place)
        where l.before < $11 and l.before + l.size > $10 and l.before + i.place > $10 and l.before + i.place <= $11
        group by 1
     ), written as (
       ${WRITE[to](SENDS.from)}
     )
     select coalesce(sum(ids), 0)::float8 as ids from written`,
    [
      ...SENDS.parametersOf(sends),
      version,
      zonesOf(true).map(([, zone]) => zone),
      campaign,
      zonesOf(false).map(([source]) => source),
      zonesOf(false).map(([, zone]) => zone),
      maxTo,
      first,
      end,
    ],
  );
  return row?.ids ?? 0;
}
