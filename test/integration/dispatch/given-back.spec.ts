// What becomes of claimed sends when the database fails under the dispatcher. Nobody ends leases here: whatever is sent
// was not left to one.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { rowsOf, type Sql } from '../../../src/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { Gateway } from './gateway.js';
import { rigOf, type Limits, type Rig } from './rig.js';
import { START, World } from './world.js';

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
  const rows = await rowsOf<{ state: string }>(world.dataSource, 'select state from send');
  return rows.map(({ state }) => state);
};
const allAccepted = () =>
  eventually(async () => expect(await states()).toEqual(['accepted', 'accepted', 'accepted']));

it('a send whose request is ready only when its lease is nearly over is not called then, and leaves later', async () => {
  let late = 0;
  const clock = new (class extends SteppedClock {
    override elapsed(): number {
      return super.elapsed() + late;
    }
  })(START);
  rig = rigOf(world, clock, { leaseMs: 30_000 });
  const prepare = rig.pushApi.prepareSend.bind(rig.pushApi);
  rig.pushApi.prepareSend = async (call) => {
    // As a machine does that slept meanwhile.
    if (late === 0) late = 20_000;
    return prepare(call);
  };
  await rig.dispatch.runOnce();
  await eventually(async () => expect(await states()).toEqual(['planned', 'planned', 'planned']));
  expect(gateway.posts).toEqual([]);
  clock.advance(1_000);
  await eventually(async () => {
    await rig.dispatch.runOnce();
    expect(await states()).toEqual(['accepted', 'accepted', 'accepted']);
  });
  expect(gateway.posts).toHaveLength(3);
});

describe('claimed sends', () => {
  it('are fired again when the database has refused to let them go', async () => {
    await world.dataSource.query(`select setval('spec_fires', 1, false)`);
    start();
    expect(await rig.dispatch.runOnce()).toBe(3);
    await allAccepted();
    expect(gateway.posts).toHaveLength(3);
    expect(await world.path(sends[0] ?? '')).toEqual([
      'planned>claimed',
      'claimed>sending',
      'sending>accepted',
    ]);
  });

  it('go back when the dispatcher ends before they could be fired again', async () => {
    await world.dataSource.query(`select setval('spec_fires', 1, false)`);
    start();
    await rig.dispatch.runOnce();
    await eventually(async () => {
      const [fires] = await rowsOf<{ is_called: boolean }>(
        world.dataSource,
        'select is_called from spec_fires',
      );
      return fires?.is_called === true;
    });
    await rig.stop();
    // They are fired again a quarter of a second later: sent, where the end came after that.
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

  it('are given back and claimed again when the answer to their claim was lost', async () => {
    let lost = 0;
    const query = async (...asked: Parameters<Sql['query']>): Promise<unknown> => {
      const answer: unknown = await world.dataSource.query(...asked);
      if (lost === 0 && (await states()).includes('claimed')) {
        lost += 1;
        throw new Error('Connection terminated unexpectedly');
      }
      return answer;
    };
    start({ sql: { query } as Sql });
    await expect(rig.dispatch.runOnce()).rejects.toThrow('Connection terminated');
    expect(await states()).toEqual(['claimed', 'claimed', 'claimed']);
    expect(await rig.dispatch.runOnce()).toBe(3);
    await allAccepted();
    expect(gateway.posts).toHaveLength(3);
  });

  it('leave at once beside those that the database refuses to fire, which wait and say why', async () => {
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
      for (const send of [refused, yearless]) expect((await world.read(send)).state).toBe('planned');
    });
    expect(gateway.posts).toHaveLength(10);
    for (const send of [refused, yearless]) {
      expect(await world.read(send)).toMatchObject({
        code: 'FIRE_REFUSED',
        detail: expect.stringContaining('date/time field value out of range'),
        next_at: new Date(START + 60_000),
        attempts: 0,
      });
      expect(await world.path(send)).toEqual(['planned>claimed', 'claimed>planned']);
    }
    expect(errors).toHaveLength(2);
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ send: refused })]));
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ send: yearless })]));
    // Tried again later, and ended by its own policy at last.
    expect(await rig.dispatch.runOnce()).toBe(0);
    clock.set(START + 60_000);
    await rig.dispatch.runOnce();
    await eventually(async () => {
      expect((await world.read(refused)).next_at).toEqual(new Date(START + 120_000));
    });
    clock.set(START + 31 * 60_000);
    await rig.dispatch.runOnce();
    await eventually(async () => {
      expect(await world.read(refused)).toMatchObject({ state: 'expired', code: 'LATE' });
    });
    // One that may be as late as it likes ends with its thirtieth refusal.
    await eventually(async () => {
      expect((await world.read(yearless)).next_at).toEqual(new Date(START + 32 * 60_000));
    });
    await world.dataSource.query(
      `insert into send_history (send, sequence, from_state, to_state, code, at, by)
       select $1, 1000 + n, 'claimed', 'planned', 'FIRE_REFUSED', $2, 'spec'
         from generate_series(1, 29 - (select count(*) from send_history where send = $1 and code = 'FIRE_REFUSED')) n`,
      [yearless, new Date(START)],
    );
    clock.set(START + 32 * 60_000);
    await rig.dispatch.runOnce();
    await eventually(async () => {
      expect(await world.read(yearless)).toMatchObject({ state: 'expired', code: 'FIRE_REFUSED' });
    });
    expect(await rig.dispatch.runOnce()).toBe(0);
  });
});
