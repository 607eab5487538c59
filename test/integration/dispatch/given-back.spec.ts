// What becomes of claimed sends when the database fails under the dispatcher. Nobody ends leases here: whatever is sent
// was not left to one.
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
create trigger spec_fail_once before update on send for each row execute function spec_fail_once();`);
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
});
