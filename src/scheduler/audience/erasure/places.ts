// Every table in which a user's id may be, and how a page of it is searched. A table that is added and holds ids has to be named here:
// test/integration/audience/erasure.spec.ts looks for the id in every column of the schema.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import {
  eraseFromEndedSends,
  eraseFromOpenSends,
  type Blocks,
  type Erased,
} from '../../store/send/erase-recipient.store.js';
import { withoutMention, withoutRecipient } from './without-user.js';

export interface EraseOf {
  readonly serviceId: string;
  readonly userId: string;
  readonly now: Date;
}

interface Place {
  readonly table: string;
  /** One statement by the primary key does all of it, and it has no pages. */
  readonly byKey?: true;
  readonly page: (sql: Sql, of: EraseOf, blocks: Blocks) => Promise<Erased>;
}

const COUNTED = (deletes: string): string =>
  `with gone as (${deletes}) select count(*)::int as found, 0 as waits from gone`;

/** `text` answers found and waits; $1 and $2 are the service and the user, $3 and $4 the blocks, $5 the id as JSON has it. */
function statement(text: (partition: string) => string): Place['page'] {
  return async (sql, { serviceId, userId }, { partition, from, to }) => {
    const quoted = JSON.stringify(userId);
    return (await firstRow<Erased>(sql, text(partition), [serviceId, userId, from, to, quoted])) ?? NOTHING;
  };
}
const NOTHING: Erased = { found: 0, waits: 0 };

// All statements name every parameter, because PostgreSQL asks for the type of each.
const TYPED = '($1::text, $2::text, $3::tid, $4::tid, $5::text) is not null';
const IN_BLOCKS = 't.ctid >= $3::tid and t.ctid < $4::tid';

/** A planner has read its revision, and has not written the sends yet. One that waits for look-ups reads again. */
const IS_BEING_PLANNED = `(c.state in ('accepted', 'planning') or c.plan_tries > 0) and c.plan_at is not null
  and not exists (select from audience_lookup l where l.campaign = c.id and l.done_at is null)`;

/** Ids that an upload or a planning under way needs: they wait until it has ended. */
const waitsFor = (version: string): string => `
select 0 as found, count(*)::int as waits from (${version}) w`;

// The ids of a version are read in order while a campaign is planned to it: without the id all that follow would move.
const PARTS = (partition: string): string => `
with named as materialized (
  select t.ctid, exists (select from audience_use u join campaign c on c.id = u.campaign
                          where u.version = t.version and ${IS_BEING_PLANNED}) as busy
    from ${partition} t join audience_version v using (version)
   where ${IN_BLOCKS} and v.service_id = $1 and $2::text = any(t.ids) and ${TYPED}),
less as (
  update ${partition} t set ids = array_remove(t.ids, $2::text), size = t.size - 1 from named n
   where t.ctid = n.ctid and not n.busy returning 1)
select (select count(*)::int from less) as found, (select count(*)::int from named where busy) as waits`;

const NEXT = (partition: string): string => `
with named as materialized (
  select t.ctid, cardinality(array_remove(t.ids, $2::text)) = 0 or ${IS_BEING_PLANNED} as busy
    from ${partition} t join campaign c on c.id = t.campaign
   where ${IN_BLOCKS} and t.service_id = $1 and $2::text = any(t.ids) and ${TYPED}),
less as (
  update ${partition} t set ids = array_remove(t.ids, $2::text), recipients = cardinality(array_remove(t.ids, $2::text)) from named n
   where t.ctid = n.ctid and not n.busy returning 1)
select (select count(*)::int from less) as found, (select count(*)::int from named where busy) as waits`;

/** JSON columns of a table, changed in this process by withoutMention(). */
function mentions(columns: readonly string[], ofService: string): Place['page'] {
  const names = columns.map((name) => `t.${name}`).join(', ');
  const has = columns.map((name) => `position($6 in t.${name}::text) > 0`).join(' or ');
  const set = columns.map((name, index) => `${name} = $${index + 2}::jsonb`).join(', ');
  return async (sql, { serviceId, userId }, { partition, from, to }) => {
    const inner = JSON.stringify(userId).slice(1, -1);
    const rows = await sql.query<{ ctid: string } & Record<string, unknown>>(
      `select t.ctid::text as ctid, ${names} from ${partition} t
        where ${IN_BLOCKS} and (${has}) and ${ofService} and ${TYPED} for no key update of t`,
      [serviceId, userId, from, to, inner, inner],
    );
    let found = 0;
    for (const row of rows) {
      const changed = columns.map((name) => withoutMention(row[name], userId));
      if (changed.every((value) => value === undefined)) continue;
      const values = columns.map((name, index) => jsonOf(changed[index] ?? row[name]));
      await sql.query(`update ${partition} t set ${set} where t.ctid = $1::tid`, [row.ctid, ...values]);
      found += 1;
    }
    return { found, waits: 0 };
  };
}

const jsonOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

interface RevisionRow {
  readonly campaign: string;
  readonly revision: number;
  readonly data: Parameters<typeof withoutRecipient>[0];
  readonly plan: unknown;
  readonly reasons: unknown;
  readonly busy: boolean;
}

/** Campaigns go to the user no more; what their plans and refusals say of it goes as well. The message stays as it is. */
const revisions: Place['page'] = async (sql, { serviceId, userId }, { partition, from, to }) => {
  const quoted = JSON.stringify(userId);
  const rows = await sql.query<RevisionRow>(
    `select t.campaign, t.revision, t.data, t.plan, t.reasons, ${IS_BEING_PLANNED} as busy
       from ${partition} t join campaign c on c.id = t.campaign
      where ${IN_BLOCKS} and c.service_id = $1 and ${TYPED}
        and (position($5 in t.data::text) > 0 or position($6 in t.plan::text) > 0 or position($6 in t.reasons::text) > 0)
      order by t.campaign, t.revision for no key update of t`,
    [serviceId, userId, from, to, quoted, quoted.slice(1, -1)],
  );
  let found = 0;
  let waits = 0;
  for (const { campaign, revision, data, plan, reasons, busy } of rows) {
    const next = [
      withoutRecipient(data, userId),
      withoutMention(plan, userId),
      withoutMention(reasons, userId),
    ];
    if (next.every((value) => value === undefined)) continue;
    if (busy) waits += 1;
    else {
      await sql.query(
        'update revision set data = $3, plan = $4, reasons = $5 where campaign = $1 and revision = $2',
        [campaign, revision, ...[data, plan, reasons].map((value, index) => jsonOf(next[index] ?? value))],
      );
      found += 1;
    }
  }
  return { found, waits };
};

interface Letter {
  readonly data?: { readonly bodyBase64?: string | null; readonly headers?: unknown };
}

/** Messages on their way to Kafka, or kept to be looked at. A dead letter goes by reference without its event, as a very large one does. */
const deadLetters: Place['page'] = async (sql, { serviceId, userId }, { partition, from, to }) => {
  const rows = await sql.query<{ id: string; value: Buffer }>(
    `select t.id, t.value from ${partition} t
      where ${IN_BLOCKS} and ${TYPED} and position(convert_to($1, 'UTF8') in t.value) > 0 order by t.id for no key update of t`,
    [serviceId, userId, from, to, ''],
  );
  let found = 0;
  for (const { id, value } of rows) {
    const letter = JSON.parse(value.toString('utf8')) as Letter;
    const body = Buffer.from(letter.data?.bodyBase64 ?? '', 'base64');
    const names =
      body.includes(JSON.stringify(userId)) || JSON.stringify(letter.data?.headers ?? null).includes(userId);
    const rest = names
      ? { ...letter, data: { ...letter.data, byReference: true, headers: null, bodyBase64: null } }
      : letter;
    const without = withoutMention(rest, userId) ?? (names ? rest : undefined);
    if (without === undefined) continue;
    await sql.query('update outbox set value = $2 where id = $1', [id, Buffer.from(JSON.stringify(without))]);
    found += 1;
  }
  return { found, waits: 0 };
};

/** In this order: first what sends are made from, then the sends. */
export const PLACES: readonly Place[] = [
  {
    table: 'recipient_zone',
    byKey: true,
    page: statement(() =>
      COUNTED(`delete from recipient_zone where service_id = $1 and user_id = $2 and ${TYPED} returning 1`),
    ),
  },
  {
    table: 'audience_page',
    page: statement((partition) =>
      waitsFor(`select from ${partition} t join audience_version v using (version)
                 where ${IN_BLOCKS} and v.service_id = $1 and v.state = 'loading' and $2::text = any(t.ids) and ${TYPED}`),
    ),
  },
  { table: 'audience_part', page: statement(PARTS) },
  { table: 'revision', page: revisions },
  {
    table: 'audience_known',
    page: statement((partition) =>
      waitsFor(`select from ${partition} t join campaign c on c.id = t.campaign
                 where ${IN_BLOCKS} and c.service_id = $1 and $2::text = any(t.ids) and ${TYPED}`),
    ),
  },
  // The plan of a revision that is to take the place of the one in force. A chunk of the user alone waits until it is a send.
  { table: 'send_next', page: statement(NEXT) },
  {
    table: 'registered_offset',
    byKey: true,
    page: statement(() =>
      COUNTED(
        `delete from registered_offset where service_id = $1 and user_id = $2 and ${TYPED} returning 1`,
      ),
    ),
  },
  {
    table: 'send_recipients',
    page: (sql, of, blocks) =>
      blocks.partition === 'send_recipients_open'
        ? eraseFromOpenSends(sql, of, blocks, of.now)
        : eraseFromEndedSends(sql, of, blocks),
  },
  {
    table: 'plan_preview',
    page: statement((partition) =>
      COUNTED(`delete from ${partition} t where ${IN_BLOCKS} and t.service_id = $1 and ${TYPED}
                  and (position($5 in t.plan::text) > 0
                       or exists (select from plan_preview_cell c where c.service_id = t.service_id and c.hash = t.hash
                                     and (position($5 in c.cell::text) > 0 or position($5 in c.decided::text) > 0))) returning 1`),
    ),
  },
  // Raw bodies, as JSON writes the id. A rejection whose body is gone cannot be replayed as it came.
  {
    table: 'event',
    page: statement((partition) =>
      COUNTED(`update ${partition} t set body = '', headers = '{}' where ${IN_BLOCKS} and t.service_id = $1 and ${TYPED}
                  and (position(convert_to($5, 'UTF8') in t.body) > 0 or position($5 in t.headers::text) > 0) returning 1`),
    ),
  },
  { table: 'rejection', page: mentions(['reasons'], 't.service_id = $1') },
  { table: 'outbox', page: deadLetters },
  {
    table: 'idempotent_answer',
    page: mentions(
      ['body'],
      `exists (select from api_token k where k.id = t.token_id and k.service_ids && array[$1::text, '*'])`,
    ),
  },
  { table: 'send_set', page: mentions(['filter'], 't.service_id = $1') },
  {
    table: 'unwritten_answer',
    page: mentions(['facts'], 'exists (select from send s where s.id = t.send and s.service_id = $1)'),
  },
  { table: 'audit', page: mentions(['before', 'after'], 't.service_id = $1') },
];
