// From the broker to planned sends: a scheduler as in production with the roles `accept` and `plan`, and the rows that it
// leaves by one insert.
import { scheduler } from 'node:timers/promises';
import { World } from '../dispatch/world.js';
import { insertSame, PLANNED, sameRows } from './same-rows.js';
import { openWorld, type House } from './house.js';

export interface PlannedRound {
  /** Events a second. */
  readonly ours: number;
  readonly insert: number;
  readonly rowsEach: number;
}

/** Events in one statement: all of them would be half a gigabyte of parameters. */
const EACH = 2_500;

export async function plannedRound(
  house: House,
  name: string,
  topic: string,
  count: number,
): Promise<PlannedRound> {
  const world = await openWorld(house, name);
  try {
    const program = await world.scheduler('accept,plan', {
      KAFKA_BROKERS: house.kafka.brokers.join(),
      KAFKA_GROUP_ID: name,
      KAFKA_EVENTS_TOPIC: topic,
    });
    let ours = 0;
    try {
      ours = await plannedPerSecond(world, count);
    } finally {
      await program.stop();
    }
    const same = await sameRows(world, PLANNED, { events: count, each: EACH, together: true });
    const other = await openWorld(house, `${name}_insert`);
    try {
      await other.vacuum();
      const ms = await insertSame(other, same, 1);
      return { ours, insert: (same.events / ms) * 1_000, rowsEach: same.rows / same.events };
    } finally {
      await other.close();
    }
  } finally {
    await world.close();
  }
}

/**
 * Campaigns planned a second, by the database's own rows: from the first event that was kept to the last campaign that was
 * planned.
 */
async function plannedPerSecond(world: World, count: number): Promise<number> {
  for (;;) {
    const { done } = await world.one<{ done: number }>(
      `select count(*)::int as done from campaign where state not in ('accepted', 'planning')`,
    );
    if (done >= count) break;
    // Each question reads all campaigns there are.
    await scheduler.wait(500);
  }
  const { s } = await world.one<{ s: number }>(
    `select extract(epoch from (select max(state_at) from campaign) - (select min(received_at) from event))::float8 as s`,
  );
  return count / s;
}
