// Seeded rounds of every fault that dispatch must survive, with real processes. After each, what the push service has
// taken is held against what the scheduler says: each send exactly once or uncertain, none lost, none before its due.
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { testLength } from '../support/lengths.js';
import { randomOf } from '../support/seeded.js';
import { FAULTS } from './faults.js';
import { FaultHouse } from './fault-house.js';
import { Load } from './fault-load.js';

const ROUNDS = testLength('FAULT_ROUNDS', { normal: 2, long: 50 });
const SEED = Number(process.env['CARILLON_TEST_SEED'] ?? 20_270_301);

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open();
});
afterEach(async () => {
  await house.clearFaults();
});
afterAll(async () => {
  await house.close();
});

describe.each(Array.from({ length: ROUNDS }, (_, round) => SEED + round))('seed %i', (seed) => {
  it.each(FAULTS.map((fault, index) => ({ ...fault, index })))(
    'each send goes once or is uncertain, and the ledger balances, though $name',
    async ({ strike, index }) => {
      const load = new Load(house, randomOf(seed * 100 + index));
      onTestFailed(async () => {
        process.stderr.write(`${await house.logs()}\n${await load.standing()}`);
      });
      const struck = await strike(house, load);
      await load.over(90_000);
      expect(await load.wrongs(struck)).toEqual([]);
      await house.ledger();
    },
    240_000,
  );
});
