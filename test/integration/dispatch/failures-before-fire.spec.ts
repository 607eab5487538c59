// Sends that were looked ahead to leave once and lose nothing when the database, or the dispatcher itself, fails.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { eventually } from '../../support/eventually.js';
import { sendStatementOf } from '../../support/postgres/send-statements.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import { rigOf, type Limits, type Rig } from '../../support/scheduler/rig.js';
import { START, World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let rig: Rig;
let sends: string[];

beforeAll(async () => {
  world = await World.open();
  await world.dataSource.query(`
create sequence spec_fires;
create function spec_fail_once() returns trigger language plpgsql as $$
begin
  if new.state = 'sending' and nextval('spec_fires') = 1 then
    raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
  end if;
  return new;
end $$;
create trigger spec_fail_once before update on send for each row execute function spec_fail_once();
create function spec_refuse() returns trigger language plpgsql as $$
begin
  if new.state = 'sending' and new.chunk = 7 then
    raise exception 'date/time field value out of range' using errcode = 'datetime_field_overflow';
  end if;
  return new;
end $$;
create trigger spec_refuse before update on send for each row execute function spec_refuse();`);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await world.project({ base_url: gateway.url });
  await world.dataSource.query(`select setval('spec_fires', 1)`);
  sends = await Promise.all([world.send(), world.send(), world.send()]);
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

function start(limits: Limits = {}): void {
  rig = rigOf(world, new SteppedClock(START), limits);
}
const states = async () => {
  const rows = await world.dataSource.query<{ state: string }>('select state from send');
  return rows.map(({ state }) => state);
};
const allAccepted = () =>
  eventually(async () => expect(await states()).toEqual(['accepted', 'accepted', 'accepted']));

it('a send whose request is ready only when others may take this replica for dead does not leave then, but later', async () => {
  let mayLeave = true;
  rig = rigOf(world, new SteppedClock(START), { mayLeave: () => mayLeave });
  const prepare = rig.pushApi.prepareSend.bind(rig.pushApi);
  rig.pushApi.prepareSend = async (call) => {
    // Like on a machine that slept meanwhile.
    mayLeave = false;
    return prepare(call);
  };
  await rig.dispatch.runOnce();
  await eventually(async () => {
    const rows = await world.dataSource.query('select state, attempts from send');
    expect(rows).toEqual(sends.map(() => ({ state: 'planned', attempts: 1 })));
  });
  // Nor is anything fired before the next heartbeat.
  await rig.dispatch.runOnce();
  expect(await world.path(sends[0] ?? '')).toEqual(['planned>sending', 'sending>planned']);
  expect(gateway.posts).toEqual([]);
  rig.pushApi.prepareSend = prepare;
  mayLeave = true;
  await rig.dispatch.runOnce();
  await allAccepted();
  expect(gateway.posts).toHaveLength(3);
});

it.each(['has stopped', 'hangs'])(
  'another replica sends what a replica that %s had looked ahead to',
  async (what) => {
    const clock = new SteppedClock(START - 2_000);
    rig = rigOf(world, clock, { mayLeave: () => what !== 'hangs' });
    expect(await rig.dispatch.runOnce()).toBe(3);
    if (what === 'has stopped') await rig.dispatch.stop();
    // From the other's slice it takes sends that have been due for a second.
    const other = rigOf(world, clock, { slice: () => ({ index: 1, of: 1_000_000 }) });
    clock.set(START + 999);
    expect(await other.dispatch.runOnce()).toBe(0);
    clock.set(START + 1_000);
    expect(await other.dispatch.runOnce()).toBe(3);
    await allAccepted();
    await other.stop();
    expect(gateway.posts).toHaveLength(3);
  },
);

describe('sends that were looked ahead to', () => {
  it('are fired again when the database has refused to fire them', async () => {
    await world.dataSource.query(`select setval('spec_fires', 1, false)`);
    start();
    expect(await rig.dispatch.runOnce()).toBe(3);
    await allAccepted();
    expect(gateway.posts).toHaveLength(3);
    expect(await world.path(sends[0] ?? '')).toEqual(['planned>sending', 'sending>accepted']);
  });

  it('stay planned when the dispatcher ends before they could be fired again', async () => {
    await world.dataSource.query(`select setval('spec_fires', 1, false)`);
    start();
    await rig.dispatch.runOnce();
    await eventually(async () => {
      const [fires] = await world.dataSource.query<{ is_called: boolean }>(
        'select is_called from spec_fires',
      );
      return fires?.is_called === true;
    });
    await rig.stop();
    // They are fired again a quarter of a second later: if the dispatcher ended after that, they were sent.
    for (const state of await states()) expect(['planned', 'accepted']).toContain(state);
  });

  it('leave although the settings of their projects could not be read at first', async () => {
    start();
    const { projects } = rig;
    const read = projects.getMany.bind(projects);
    vi.spyOn(projects, 'getMany')
      .mockImplementationOnce(read)
      .mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    expect(await rig.dispatch.runOnce()).toBe(3);
    await allAccepted();
  });

  it('are read again when the answer to their look ahead was lost', async () => {
    let lost = 0;
    const query = async (...asked: Parameters<Sql['query']>): Promise<unknown> => {
      const answer: unknown = await world.dataSource.query(...asked);
      if (lost === 0 && sendStatementOf(asked[0]) === 'look-ahead') {
        lost += 1;
        throw new Error('Connection terminated unexpectedly');
      }
      return answer;
    };
    start({ sql: { query } as Sql });
    await expect(rig.dispatch.runOnce()).rejects.toThrow('Connection terminated');
    expect(await rig.dispatch.runOnce()).toBe(3);
    await allAccepted();
    expect(gateway.posts).toHaveLength(3);
  });

  it('leave at once next to those that the database refuses to fire, which wait and say why', async () => {
    const more = [1, 2, 3, 4, 5, 6].map(() => world.send());
    const wellOff = [...sends, ...(await Promise.all(more)), await world.send({ dueAt: START - 1 })];
    const refused = await world.send({ chunk: 7 });
    // No instant of the year 0 can be put into the statement.
    const yearless = await world.send({
      columns: { due_at: '0001-06-01T00:00:00Z BC' },
      campaign: await world.campaign({ policy: { lateness: { maxMs: 0, beyond: 'send' } } }),
    });
    const errors: unknown[] = [];
    const clock = new SteppedClock(START);
    rig = rigOf(world, clock, {
      log: pino({ level: 'error' }, { write: (line: string) => errors.push(JSON.parse(line)) }),
    });
    expect(await rig.dispatch.runOnce()).toBe(12);
    await eventually(async () => {
      for (const send of wellOff) expect((await world.read(send)).state).toBe('accepted');
      for (const send of [refused, yearless]) expect((await world.read(send)).code).toBe('FIRE_REFUSED');
    });
    expect(gateway.posts).toHaveLength(10);
    for (const send of [refused, yearless]) {
      expect(await world.read(send)).toMatchObject({
        code: 'FIRE_REFUSED',
        detail: expect.stringContaining('date/time field value out of range'),
        next_at: new Date(START + 60_000),
        attempts: 0,
      });
      expect(await world.path(send)).toEqual(['>planned']);
    }
    expect(errors).toHaveLength(2);
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ send: refused })]));
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ send: yearless })]));
    // It is tried again later, and in the end its own policy ends it.
    expect(await rig.dispatch.runOnce()).toBe(0);
    clock.set(START + 60_000);
    await rig.dispatch.runOnce();
    await eventually(async () => {
      expect((await world.read(refused)).next_at).toEqual(new Date(START + 120_000));
    });
    clock.set(START + 29 * 60_000 + 59_000);
    await rig.dispatch.runOnce();
    await eventually(async () => {
      for (const send of [refused, yearless])
        expect(await world.read(send)).toMatchObject({
          state: 'planned',
          next_at: new Date(START + 30 * 60_000 + 59_000),
        });
    });
    // A send that may be late without limit ends half an hour after its first refusal.
    clock.set(START + 31 * 60_000);
    await rig.dispatch.runOnce();
    await eventually(async () => {
      expect(await world.read(refused)).toMatchObject({ state: 'expired', code: 'LATE' });
      expect(await world.read(yearless)).toMatchObject({ state: 'expired', code: 'FIRE_REFUSED' });
    });
    expect(await rig.dispatch.runOnce()).toBe(0);
  });
});
