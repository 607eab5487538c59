// What every part of this bench stands on: a durable PostgreSQL, a Kafka, and databases with the one project.
import type { RunningKafka } from '../../tools/kafka.js';
import type { RunningPostgres } from '../../tools/postgres.js';
import { World } from '../dispatch/world.js';
import { SOURCE } from './events.js';

export interface House {
  readonly root: string;
  readonly postgres: RunningPostgres;
  readonly kafka: RunningKafka;
  readonly pushUrl: string;
}

export async function openWorld({ root, postgres, pushUrl }: House, name: string): Promise<World> {
  const world = await World.open(root, postgres, name);
  await world.project(pushUrl, 64);
  await world.sql.query('update project set sources = array[$1]', [SOURCE]);
  return world;
}
