// A gateway is in trouble for five minutes, shortened: its circuit admits so few POSTs that few sends become uncertain, and all others
// leave once it is back, in their order. Two replicas, and a server whose answers the spec sets.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../src/platform/clock.js';
import { Loops } from '../../../src/platform/loops/loops.js';
import { eventually } from '../../support/eventually.js';
import { failure, Gateway, json, reset, take, type Answer } from '../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

/** Of the five minutes, the first rest and the longest. */
const SHORTENED = 200;
const BAD_MS = 300_000 / SHORTENED;
const CIRCUIT = { after: 5, baseMs: 500 / SHORTENED, capMs: 15_000 / SHORTENED };
const [IN_FLIGHT, SENDS] = [16, 400];
const MOST_UNCERTAIN = 2 * IN_FLIGHT + 60;

let world: World;
let gateway: Gateway;
let rigs: Rig[];
let loops: Loops;
const clock = new SystemClock();

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url, rate_per_second: 1_000, in_flight: IN_FLIGHT });
  await world.copies(await world.send({ dueAt: clock.now() }), SENDS - 1);
  loops = new Loops(pino({ level: 'silent' }));
  rigs = ['one', 'two'].map((name) => {
    const rig = rigOf(world, clock, { circuit: CIRCUIT });
    loops.add({ name, runOnce: () => rig.dispatch.runOnce(), idleMs: 20 });
    return rig;
  });
});
afterEach(async () => {
  await loops.stop();
  for (const rig of rigs) await rig.stop();
  await gateway.close();
});

const states = async () =>
  Object.fromEntries(
    (
      await world.dataSource.query<{ state: string; sends: number }>(
        'select state, count(*)::int as sends from send group by 1',
      )
    ).map(({ state, sends }) => [state, sends]),
  );
const foreign502: Answer = json(502, 'bad gateway');
/** Answers POSTs with this, and GETs with a 404. */
const postsAlone =
  (answer: Answer): Answer =>
  (asked, response) =>
    (asked.method === 'POST' ? answer : failure(404, '300'))(asked, response);

/** In trouble for its minutes, then well, unless given otherwise; returns how many POSTs left meanwhile. */
async function badMinutes(answer: Answer, then: Answer = take): Promise<number> {
  gateway.answer = answer;
  const began = clock.elapsed();
  loops.start();
  await eventually(() => clock.elapsed() > began + BAD_MS);
  gateway.answer = then;
  return gateway.posts.length;
}

describe('a gateway whose POSTs end badly for five minutes', () => {
  it.each([
    ['502, while its GETs are well', postsAlone(foreign502)],
    ['a reset, while its GETs are well', postsAlone(reset)],
    ['502, as do its GETs', foreign502],
  ])('by %s, leaves 2 × inFlight + 60 uncertain at most, and gets all the rest', async (_, answer) => {
    const posts = await badMinutes(answer);
    expect(posts).toBeLessThanOrEqual(MOST_UNCERTAIN);
    // The rate was halved several times: here it climbs at once, not within a minute.
    await eventually(
      async () => {
        await world.dataSource.query('update project_pace set rate = 1000');
        const { uncertain = 0, accepted = 0 } = await states();
        expect(uncertain + accepted).toBe(SENDS);
        expect(uncertain).toBeGreaterThan(0);
        expect(uncertain).toBeLessThanOrEqual(MOST_UNCERTAIN);
      },
      { withinMs: 60_000 },
    );
  });

  it('by 503/500, is called as rarely, and no send becomes uncertain', async () => {
    const posts = await badMinutes(postsAlone(failure(503, '500')));
    expect(posts).toBeLessThanOrEqual(MOST_UNCERTAIN);
    expect((await states())['uncertain'] ?? 0).toBe(0);
  });

  it('is called at a lower rate, and shown as a trouble of both', async () => {
    const bad = postsAlone(foreign502);
    await badMinutes(bad, bad);
    const [pace] = await world.dataSource.query<{ slow: boolean }>(
      'select rate < 500 and slowed_at is not null as slow from project_pace where service_id = $1',
      [SERVICE],
    );
    expect(pace).toEqual({ slow: true });
    const troubles = await world.dataSource.query('select code, detail from project_trouble');
    const trouble = { code: 'CIRCUIT_OPEN', detail: '502 "bad gateway"' };
    expect(troubles).toEqual([trouble, trouble]);
  });
});

describe('a circuit that is half-open', () => {
  const until = async (state: string): Promise<void> => {
    await eventually(() =>
      rigs.every(({ calls }) => calls.blocks.gate(SERVICE).circuit.stateAt(clock.elapsed()) !== state),
    );
  };

  it('lets no POST leave while GETs are bad, and one once they are good', async () => {
    gateway.answer = foreign502;
    loops.start();
    await until('closed');
    await eventually(() => rigs.every(({ dispatch }) => dispatch.inFlight === 0));
    const before = gateway.posts.length;
    const gets = gateway.asked.length;
    await eventually(() => gateway.asked.length > gets + 6);
    expect(gateway.posts).toHaveLength(before);
    gateway.answer = postsAlone(foreign502);
    await eventually(() => gateway.posts.length >= before + 2);
  });
});
