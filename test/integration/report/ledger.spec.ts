import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { readLedger, type Ledger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import type { LedgerFilter } from '../../../src/scheduler/report/ledger/ledger-filter.js';
import type { MissingCode } from '../../../src/scheduler/report/ledger/ledger-missing.store.js';
import { rollUpAll } from '../../support/scheduler/rollers.js';
import { PlanWorld, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
const ids = {
  campaign: '',
  revised: '',
  send: '',
  retried: '',
  retry: '',
  rejection: '',
  duplicate: '',
  parked: '',
  uncertain: '',
  command: '',
};

/** One of everything the ledger counts: 7 events and 5 chunks, one of them retried. */
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  const at = new Date(START);

  const { id, sends } = await world.planned({ audience: users(5) });
  ids.campaign = id;
  const [first = '', second = '', third = '', fourth = ''] = sends;
  ids.send = first;
  await world.lead(first, ['sending', 'accepted', 'sent'], { attempts: 2 });
  await attempt(first);
  ids.uncertain = second;
  await world.lead(second, ['sending', 'uncertain']);
  await world.lead(third, ['sending', 'scheduled']);
  ids.retried = fourth;
  await world.lead(fourth, ['sending', 'accepted', 'failed']);
  ids.retry = await retry(fourth);

  // A campaign with a second revision, a cancel over Kafka and one by hand, one that waits, a duplicate, and two rejections.
  ids.revised = await world.accepted({ serviceId: SERVICE });
  await world.planDue.runOnce();
  const [revision, command, rejected, unreadable, duplicate] = Array.from({ length: 5 }, () =>
    v7({ msecs: START }),
  );
  await world.event(revision ?? '', 'revision');
  await world.rows(
    `insert into revision (campaign, revision, event, state, data, request, taken_at)
     select campaign, 2, $2, 'superseded', data, request, taken_at from revision where campaign = $1`,
    [ids.revised, revision],
  );
  await world.event(command ?? '', 'command');
  ids.command = v7({ msecs: START });
  const cancel = { campaign: ids.revised, act: 'cancel', given_at: at, given_by: 'spec' };
  await world.insert('command', { ...cancel, id: ids.command, event: command });
  await world.insert('command', { ...cancel, id: v7({ msecs: START }) });
  await world.event(rejected ?? '', 'rejected');
  ids.rejection = v7({ msecs: START });
  const rejection = { reasons: '[]', rejected_at: at, body_hash: Buffer.from('hash') };
  await world.insert('rejection', { ...rejection, id: ids.rejection, event: rejected });
  await world.event(unreadable ?? '', 'rejected', null);
  await world.insert('rejection', { ...rejection, id: v7({ msecs: START }), event: unreadable });
  ids.duplicate = duplicate ?? '';
  ids.parked = v7({ msecs: world.clock.now() });
  await world.event(ids.parked, 'parked');
  await world.insert('parked_command', {
    event: ids.parked,
    service_id: SERVICE,
    campaign_id: 'late',
    source: '/shop',
    event_id: 'late-1',
    act: 'cancel',
    event_time: new Date(world.clock.now()),
    ends_at: new Date(world.clock.now() + 3_600_000),
  });
  await world.event(ids.duplicate, 'duplicate');
  await world.insert('duplicate', { event: ids.duplicate, of_event: revision });
});
afterAll(async () => world.close());

/** The first of two attempts: the send itself has the newest. */
async function attempt(send: string): Promise<void> {
  await world.insert('attempt', { send, attempt: 1, kind: 'send', started_at: new Date(START) });
}

/** As an operator's retry does it: a new send, and the chunk's newest. */
async function retry(send: string): Promise<string> {
  const id = v7({ msecs: START });
  await world.rows(
    `with old as (update send set next_send = $2 where id = $1 returning *),
     addressed as (insert into send_recipients (send, recipients) select $2, recipients from send_recipients where send = $1)
     insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, retry_of, retries, state, state_at,
                       state_by, mode, mode_rule, intended_at, due_at, next_at, created_at)
     select $2, service_id, campaign, revision, occurrence, cell, chunk, id, 1, 'planned', state_at, 'spec', mode,
            mode_rule, intended_at, due_at, next_at, created_at from old`,
    [send, id],
  );
  return id;
}

function ledger(filter: LedgerFilter = { serviceIds: null }): Promise<Ledger> {
  return readLedger(world.dataSource, filter, START);
}

/** Takes rows away past every trigger and key, looks at the ledger, and puts them back. */
async function without(table: string, where: string, parameters: readonly unknown[]): Promise<Ledger> {
  await world.damage(
    `create table taken_away as select * from ${table} where ${where.replace('$1', `'${String(parameters[0])}'`)}`,
  );
  await world.damage(`delete from ${table} where ${where}`, parameters);
  const found = await ledger();
  const [{ names } = { names: '' }] = await world.rows<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  await world.damage(`insert into ${table} (${names}) select ${names} from taken_away`);
  await world.damage('drop table taken_away');
  return found;
}

describe('the balance', () => {
  it('counts every event by its counterpart and every chunk by its newest send, both sides alike', async () => {
    const found = await ledger();

    expect(found.events).toEqual({
      left: 8,
      right: { campaigns: 2, revisions: 1, commands: 1, parked: 1, rejected: 2, duplicates: 1 },
      sum: 8,
      balanced: true,
      gone: 0,
    });
    expect(found.planned).toMatchObject({
      left: 6,
      right: { sent: 1, uncertain: 1, standing: 1, open: 3, failed: 0 },
      sum: 6,
      balanced: true,
    });
    expect(found.tests).toMatchObject({ left: 0, sum: 0, balanced: true });
    expect(found.missing).toEqual([]);
    expect(found.balanced).toBe(true);
  });

  it('has a term for every state that a newest send may be in', async () => {
    const states = [
      'sent',
      'empty',
      'failed',
      'stale',
      'rejected',
      'canceled',
      'expired',
      'skipped',
      'uncertain',
    ];
    const { right } = (await ledger()).planned;
    expect(Object.keys(right)).toEqual([...states, 'standing', 'open']);
  });

  it("shows a caller's services only, and what nobody could read to those who hold everything", async () => {
    expect((await ledger({ serviceIds: [SERVICE] })).events).toMatchObject({
      left: 7,
      sum: 7,
      balanced: true,
    });
    const foreign = await ledger({ serviceIds: ['another'] });
    expect(foreign).toMatchObject({
      events: { left: 0, sum: 0 },
      planned: { left: 0, sum: 0 },
      balanced: true,
    });
  });

  it('can be read of a window of time', async () => {
    const before = await ledger({ serviceIds: null, to: START });
    expect(before).toMatchObject({ events: { left: 0 }, planned: { left: 0 }, balanced: true });
    const since = await ledger({ serviceIds: null, from: START, to: START + 1 });
    expect(since).toMatchObject({ events: { left: 8 }, planned: { left: 6 }, balanced: true });
    const after = await ledger({ serviceIds: null, from: START + 1 });
    expect(after).toMatchObject({ events: { left: 0 }, planned: { left: 0 }, balanced: true });
  });

  it('can be read of a window that begins before the first instant an id can carry', async () => {
    const whole = await ledger();
    const from = Date.parse('1960-01-01T00:00:00Z');
    const to = Date.parse('9999-12-31T23:59:59Z');
    expect(await ledger({ serviceIds: null, from, to })).toEqual(whole);
    expect(await ledger({ serviceIds: null, to: from })).toMatchObject({ events: { left: 0 } });
  });
});

describe('the devices', () => {
  const answer = (target: number | null, sent: number | null): Promise<unknown> =>
    world.damage('update send set target_count = $2, sent_count = $3 where id = $1', [
      ids.send,
      target,
      sent,
    ]);

  it('are each counted as one of what became of them', async () => {
    await answer(7, 5);
    await world.damage("update send set target_count = 4 where state in ('uncertain', 'scheduled')");
    const { devices, balanced } = await ledger();
    expect(devices).toEqual({
      left: 15,
      right: { sent: 5, failed: 6, pending: 0, unknown: 4 },
      sum: 15,
      balanced: true,
      gone: 0,
    });
    expect(balanced).toBe(true);
    await world.damage("update send set target_count = null where state in ('uncertain', 'scheduled')");
    await answer(null, null);
  });

  it('do not balance where a provider took more than were targeted, and the send is named', async () => {
    await answer(3, 5);
    const found = await ledger();
    expect(found).toMatchObject({
      balanced: false,
      devices: { left: 3, right: { sent: 5, failed: 0 }, sum: 5, balanced: false },
      missing: [
        {
          code: 'DEVICES_UNBALANCED',
          count: 1,
          rows: [{ row: `send ${ids.send}`, text: '5 devices taken of 3 targeted' }],
        },
      ],
    });
    expect((await ledger({ serviceIds: ['another'] })).balanced).toBe(true);
    await answer(null, null);
    expect((await ledger()).balanced).toBe(true);
  });
});

describe('a row that is gone', () => {
  const cases: [
    what: string,
    table: string,
    where: string,
    id: () => string,
    named: MissingCode,
    row: () => string,
  ][] = [
    [
      'an event',
      'event',
      "verdict = 'command' and id <> $1",
      () => v7(),
      'COMMAND_WITHOUT_EVENT',
      () => `command ${ids.command}`,
    ],
    [
      "a campaign's event",
      'event',
      'id = (select event from campaign where id = $1)',
      () => ids.campaign,
      'CAMPAIGN_WITHOUT_EVENT',
      () => `campaign ${ids.campaign}`,
    ],
    [
      "a revision's event",
      'event',
      "verdict = 'revision' and id <> $1",
      () => v7(),
      'REVISION_WITHOUT_EVENT',
      () => `revision ${ids.revised} 2`,
    ],
    [
      "a rejection's event",
      'event',
      'id = (select event from rejection where id = $1)',
      () => ids.rejection,
      'REJECTION_WITHOUT_EVENT',
      () => `rejection ${ids.rejection}`,
    ],
    [
      "a duplicate's event",
      'event',
      'id = $1',
      () => ids.duplicate,
      'DUPLICATE_WITHOUT_EVENT',
      () => `duplicate ${ids.duplicate}`,
    ],
    ['a rejection', 'rejection', 'id = $1', () => ids.rejection, 'EVENT_WITHOUT_COUNTERPART', () => 'event '],
    ['a command', 'command', 'id = $1', () => ids.command, 'EVENT_WITHOUT_COUNTERPART', () => 'event '],
    [
      'a command that waits',
      'parked_command',
      'event = $1',
      () => ids.parked,
      'EVENT_WITHOUT_COUNTERPART',
      () => `event ${ids.parked}`,
    ],
    [
      'the event of a command that waits',
      'event',
      'id = $1',
      () => ids.parked,
      'PARKED_WITHOUT_EVENT',
      () => `parked_command ${ids.parked}`,
    ],
    [
      'a duplicate',
      'duplicate',
      'event = $1',
      () => ids.duplicate,
      'EVENT_WITHOUT_COUNTERPART',
      () => `event ${ids.duplicate}`,
    ],
    [
      'a revision',
      'revision',
      'revision = 2 and campaign = $1',
      () => ids.revised,
      'EVENT_WITHOUT_COUNTERPART',
      () => 'event ',
    ],
    ['a campaign', 'campaign', 'id = $1', () => ids.campaign, 'EVENT_WITHOUT_COUNTERPART', () => 'event '],
    [
      'the revision in force',
      'revision',
      'revision = 1 and campaign = $1',
      () => ids.campaign,
      'CAMPAIGN_WITHOUT_REVISION',
      () => `campaign ${ids.campaign}`,
    ],
    [
      "a row of a campaign's history",
      'campaign_history',
      'sequence = 2 and campaign = $1',
      () => ids.campaign,
      'CAMPAIGN_HISTORY_GAP',
      () => `campaign ${ids.campaign}`,
    ],
    [
      'an occurrence',
      'occurrence',
      'campaign = $1',
      () => ids.campaign,
      'CELL_WITHOUT_OCCURRENCE',
      () => `cell ${ids.campaign} once`,
    ],
    ['a cell', 'cell', 'campaign = $1', () => ids.campaign, 'SEND_WITHOUT_CELL', () => 'send '],
    [
      'a cell, against the plan',
      'cell',
      'campaign = $1',
      () => ids.campaign,
      'PLAN_WITHOUT_CELLS',
      () => `campaign ${ids.campaign}`,
    ],
    ['a send', 'send', 'id = $1', () => ids.send, 'CELL_WITHOUT_SENDS', () => `cell ${ids.campaign} once`],
    ['a retry', 'send', 'id = $1', () => ids.retry, 'NEXT_SEND_MISSING', () => `send ${ids.retried}`],
    [
      'a retry, against its cell',
      'send',
      'id = $1',
      () => ids.retry,
      'CELL_WITHOUT_SENDS',
      () => `cell ${ids.campaign} once`,
    ],
    [
      'whom a send goes to',
      'send_recipients',
      'send = $1',
      () => ids.uncertain,
      'RECIPIENTS_MISSING',
      () => `send ${ids.uncertain}`,
    ],
    [
      "what no column has of a send's history",
      'send_note',
      'send = $1',
      () => ids.send,
      'SEND_HISTORY_GAP',
      () => `send ${ids.send}`,
    ],
    ['an attempt', 'attempt', 'send = $1', () => ids.send, 'ATTEMPTS_MISSING', () => `send ${ids.send}`],
  ];

  it.each(cases)('%s is named', async (_, table, where, id, named, row) => {
    const found = await without(table, where, [id()]);

    expect(found.balanced).toBe(false);
    const missing = found.missing.find(({ code }) => code === named);
    expect(missing?.count).toBeGreaterThan(0);
    expect(missing?.rows[0]?.row).toContain(row());
    expect(missing?.rows[0]?.text).not.toBe('');
    expect((await ledger()).balanced).toBe(true);
  });

  it('shows in the balance itself, where it is one that the balance counts', async () => {
    expect((await without('event', "verdict = 'command' and id <> $1", [v7()])).events).toMatchObject({
      left: 7,
      sum: 8,
    });
    expect((await without('campaign', 'id = $1', [ids.campaign])).events).toMatchObject({ left: 8, sum: 7 });
    expect((await without('send', 'id = $1', [ids.retry])).planned).toMatchObject({ left: 6, sum: 5 });
    expect((await without('send', 'id = $1', [ids.send])).planned).toMatchObject({ left: 6, sum: 5 });
    expect((await without('cell', 'campaign = $1', [ids.campaign])).planned).toMatchObject({
      left: 1,
      sum: 6,
    });
  });

  it('is distinguished from two newest of a chunk, and from a next that is of another chunk', async () => {
    const damaged = async (next: string | null): Promise<Ledger> => {
      await world.damage('update send set next_send = $2 where id = $1', [ids.retried, next]);
      const found = await ledger();
      await world.damage('update send set next_send = $2 where id = $1', [ids.retried, ids.retry]);
      expect(found.balanced).toBe(false);
      return found;
    };
    const twice = await damaged(null);
    expect(twice.planned).toMatchObject({ left: 6, sum: 7, balanced: false });
    expect(twice.missing).toMatchObject([
      { code: 'CELL_WITHOUT_SENDS' },
      {
        code: 'CHUNK_COUNTED_TWICE',
        count: 1,
        rows: [{ row: expect.stringMatching(`^chunk ${ids.campaign} once .* 3$`) }],
      },
    ]);
    expect((await damaged(ids.send)).missing).toMatchObject([
      { code: 'NEXT_SEND_MISSING', count: 1, rows: [{ row: `send ${ids.retried}` }] },
    ]);
    expect((await ledger()).balanced).toBe(true);
  });

  it('looks at the catalogue once a statement, not once a row: of a million rows it would never end', async () => {
    const asked: { text: string; plan: string }[] = [];
    await readLedger(
      {
        query: (text, parameters) => world.dataSource.query(text, parameters),
        transaction: (work) =>
          world.dataSource.transaction((sql) =>
            work({
              query: async (text, parameters) => {
                if (/\b(from|join)\b/.test(text)) {
                  const rows = await sql.query<{ 'QUERY PLAN': string }>(`explain ${text}`, parameters);
                  asked.push({ text, plan: rows.map((row) => row['QUERY PLAN']).join('\n') });
                }
                return sql.query(text, parameters);
              },
            }),
          ),
      },
      { serviceIds: null },
      START,
    );
    expect(asked.filter(({ text }) => text.includes('kept_from')).length).toBeGreaterThan(5);
    for (const { plan } of asked) expect(plan).not.toMatch(/(Filter|Cond): .*kept_from/);
  });

  it.each([1, 2, 3])('is found the same in pages of %i cells or sends as in one', async (most) => {
    const inPages = (filter: LedgerFilter): Promise<Ledger> =>
      readLedger(world.dataSource, filter, START, most);
    for (const filter of [
      { serviceIds: null },
      { serviceIds: [SERVICE] },
      { serviceIds: ['another'] },
      { serviceIds: null, from: START, to: START + 1 },
      { serviceIds: null, to: START },
    ])
      expect(await inPages(filter)).toEqual(await ledger(filter));

    await world.damage('create table taken_away as select * from send_recipients');
    await world.damage('delete from send_recipients');
    const [found, whole] = [await inPages({ serviceIds: null }), await ledger()];
    await world.damage('insert into send_recipients select * from taken_away');
    await world.damage('drop table taken_away');
    expect(found.missing).toMatchObject([{ code: 'RECIPIENTS_MISSING', count: whole.missing[0]?.count }]);
    expect(new Set(found.missing[0]?.rows)).toEqual(new Set(whole.missing[0]?.rows));
  });

  it('names whom an ended send went to only where it may be retried', async () => {
    const { sends } = await world.planned({ audience: users(2) });
    const [failed = '', sent = ''] = sends;
    await world.lead(failed, ['sending', 'accepted', 'failed']);
    await world.lead(sent, ['sending', 'accepted', 'sent']);
    const kept = await world.rows<{ send: string }>(
      'select send from send_recipients where send in ($1, $2)',
      [failed, sent],
    );
    expect(kept).toEqual([{ send: failed }]);
    expect((await ledger()).balanced).toBe(true);
    expect((await without('send_recipients', 'send = $1', [failed])).missing).toMatchObject([
      { code: 'RECIPIENTS_MISSING', count: 1, rows: [{ row: `send ${failed}` }] },
    ]);
    expect((await ledger()).balanced).toBe(true);
  });

  it('names at most 100 rows of a kind, and counts all', async () => {
    const lost = Array.from({ length: 120 }, () => v7({ msecs: START + 60_000 }));
    for (const id of lost) await world.event(id, 'duplicate');
    const found = await ledger({ serviceIds: null, from: START + 60_000 });
    expect(found.missing).toMatchObject([{ code: 'EVENT_WITHOUT_COUNTERPART', count: 120 }]);
    expect(found.missing[0]?.rows).toHaveLength(100);
    await world.rows('delete from event where id = any($1)', [lost]);
  });
});

describe('where all is rolled up', () => {
  beforeAll(() => rollUpAll(world.dataSource));

  it('a row that the rollups lack is named, and one that they have too much', async () => {
    expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
    const lacking = await without('send_rollup', "campaign = $1 and state = 'sent'", [ids.campaign]);
    const named = { code: 'SUMS_DIFFER', count: 1, rows: [{ row: expect.stringMatching(/^cell .* sent$/) }] };
    expect(lacking).toMatchObject({ balanced: false, missing: [named] });
    expect((await without('send', 'id = $1', [ids.send])).missing).toContainEqual(
      expect.objectContaining({ code: 'SUMS_DIFFER', count: 1 }),
    );
    expect((await ledger()).balanced).toBe(true);
  });

  it('a send that lies in two days is named', async () => {
    const [{ names } = { names: '' }] = await world.rows<{ names: string }>(
      `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
        where attrelid = 'send'::regclass and attnum > 0 and attname <> 'ended_at' and attgenerated = ''`,
    );
    await world.damage(
      `insert into send (${names}, ended_at) select ${names}, ended_at - interval '100 years' from send where id = $1`,
      [ids.send],
    );
    const { missing } = await ledger();
    await world.damage('delete from send where id = $1 and ended_at < state_at', [ids.send]);
    expect(missing).toContainEqual(
      expect.objectContaining({
        code: 'SEND_TWICE',
        rows: [{ row: `send ${ids.send}`, text: '2 rows have this id' }],
      }),
    );
  });
});
