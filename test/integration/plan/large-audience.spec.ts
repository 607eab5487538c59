// A large audience must stream through planning: no statement, and so no moment, holds more than its share of the ids.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/platform/database/database.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { plannerOn, PlanWorld, users } from '../../support/scheduler/plan-world.js';

const IDS = 200_000;
const ZONES = 40;
/** So many ids are held before they are written, plus those of the request that reaches this number. */
const HELD_IDS = 50_000 + 1_000;

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(async () => world.close());

/** The real database; notes how many ids of recipients each statement of a transaction carries. */
function noting(database: Database, carried: number[]): Database {
  const idsIn = (parameters: readonly unknown[] = []): number =>
    parameters.reduce((sum: number, text) => sum + (String(text).match(/\\"z\d/g)?.length ?? 0), 0);
  return {
    query: database.query.bind(database),
    transaction: (work) =>
      database.transaction((sql) => {
        const query = sql.query.bind(sql);
        sql.query = async (text, parameters) => {
          carried.push(idsIn(parameters));
          return query(text, parameters);
        };
        return work(sql);
      }),
  };
}

describe('200 000 USER ids over 40 zones', () => {
  it('are planned in one pass, every id once, never more than a share of them in hand', async () => {
    const zones = loadZoneRules()
      .names()
      .toSorted()
      .filter((zone) => zone.startsWith('America/'))
      .slice(0, ZONES);
    const id = await world.accepted({
      audience: null,
      delivery: {
        kind: 'recipient',
        local: '2027-03-02T09:00',
        segments: zones.map((zone, index) => ({ zone, audience: users(IDS / ZONES, `z${index}`) })),
      },
    });
    const carried: number[] = [];
    expect(await plannerOn(noting(world.dataSource, carried), world.clock).runOnce()).toBe(1);

    expect(carried.reduce((sum, ids) => sum + ids, 0)).toBe(IDS);
    expect(Math.max(...carried)).toBeLessThanOrEqual(HELD_IDS);
    expect(await world.campaign(id)).toMatchObject({ state: 'planned' });
    const [counted] = await world.rows(
      `select count(distinct id)::int as sends, count(distinct cell)::int as cells, count(distinct user_id)::int as ids,
              count(*)::int as places
         from send join send_recipients r on r.send = id, unnest(r.recipients) as user_id where campaign = $1`,
      [id],
    );
    expect(counted).toEqual({ sends: IDS / 1_000, cells: ZONES, ids: IDS, places: IDS });
  });
});
