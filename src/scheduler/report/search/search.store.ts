// Finds rows by an id that somebody has in hand: ours, the publisher's, the push service's. Exact only; each kind by an index of its
// own, and at most MOST_OF_A_KIND of each. Never writes.
import type { Sql } from '../../../platform/database/database.js';

export const FOUND_KINDS = [
  'campaign',
  'send',
  'event',
  'rejection',
  'retries',
  'resolves',
  'service',
  'list',
] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

export interface FoundRow {
  readonly kind: FoundKind;
  /** Ours; of a service its id, of a list its name. */
  readonly id: string;
  /** null: a set of sends of several services, or a rejection whose service could not be read. */
  readonly serviceId: string | null;
  /** What a person calls it. */
  readonly name: string | null;
  /** What was found by: the member whose value is the text. */
  readonly by: string;
  readonly state: string | null;
}

const MOST_OF_A_KIND = 5;

const held = (column: string): string => `($2::text[] is null or ${column} = any($2))`;

// Primary keys. The id of a send has its creation, so earlier days are not read. A set is one row for each service.
const BY_OUR_ID: Partial<Record<FoundKind, string>> = {
  campaign: `select c.id::text, c.service_id, c.name, 'id' as by, c.state from campaign c
    where c.id = $1::uuid and ${held('c.service_id')}`,
  send: `select s.id::text, s.service_id, s.cell, 'id', s.state from send s
    where s.id = $1::uuid and s.ended_at >= ends_from($1::uuid) and ${held('s.service_id')}`,
  event: `select coalesce(r.campaign, m.campaign)::text, e.service_id, e.event_id, 'id', e.verdict from event e
    left join revision r on r.event = e.id left join command m on m.event = e.id
    where e.id = $1::uuid and ${held('e.service_id')} and coalesce(r.campaign, m.campaign) is not null`,
  rejection: `select j.id::text, j.service_id, null, 'id', j.state from rejection j
    where j.id = $1::uuid and ${held('j.service_id')}`,
  retries: `select t.id::text, null, null, 'token', null from send_set t
    where t.id = $1::uuid and t.kind = 'retry' and ${held('t.service_id')} limit 1`,
  resolves: `select t.id::text, null, null, 'token', null from send_set t
    where t.id = $1::uuid and t.kind = 'resolve' and ${held('t.service_id')} limit 1`,
};

// Indexes campaign_campaign_id and audience_list_pkey for each service, send_request of each day, inbox_key_event_id, project_pkey.
const BY_OTHER_ID: Partial<Record<FoundKind, string>> = {
  campaign: `select c.id::text, c.service_id, c.name, 'campaignId' as by, c.state from project p
    join campaign c on c.service_id = p.service_id and c.campaign_id = $1 where ${held('p.service_id')}`,
  send: `select s.id::text, s.service_id, s.cell, 'requestId', s.state from send s
    where s.request_id = $1 and ${held('s.service_id')}`,
  event: `select coalesce(r.campaign, m.campaign)::text, k.service_id, k.event_id, 'eventId', null from inbox_key k
    left join revision r on r.event = k.event left join command m on m.event = k.event
    where k.event_id = $1 and ${held('k.service_id')} and coalesce(r.campaign, m.campaign) is not null`,
  service: `select p.service_id, p.service_id, null, 'serviceId', null from project p
    where p.service_id = $1 and ${held('p.service_id')}`,
  list: `select l.name, l.service_id, l.name, 'name', null from project p
    join audience_list l on l.service_id = p.service_id and l.name = $1 where ${held('p.service_id')}`,
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `serviceIds`: those of the token; null: all. One statement, or two where the text may be an id of ours. */
export async function findById(
  sql: Sql,
  text: string,
  {
    kinds,
    serviceIds,
  }: { readonly kinds: readonly FoundKind[]; readonly serviceIds: readonly string[] | null },
): Promise<FoundRow[]> {
  const ask = (by: Partial<Record<FoundKind, string>>): Promise<FoundRow[]> => {
    const asked = kinds.flatMap((kind) => {
      const one = by[kind];
      return one === undefined
        ? []
        : [
            `(select '${kind}' as kind, f.* from (${one}) f(id, service_id, name, by, state) limit ${MOST_OF_A_KIND})`,
          ];
    });
    return sql.query<FoundRow>(
      `select kind, id, service_id as "serviceId", name, by, state from (${asked.join(' union all ')}) f`,
      [text, serviceIds],
    );
  };
  const ours = UUID.test(text) ? await ask(BY_OUR_ID) : [];
  return [...ours, ...(await ask(BY_OTHER_ID))];
}
