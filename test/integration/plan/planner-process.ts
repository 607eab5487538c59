// A planner in a process of its own, for the specs that kill it: plans one round at the instant it is given, then ends.
import { createDataSource } from '../../../src/platform/database/database.js';
import { SteppedClock } from '../../../src/platform/clock.js';
import { plannerOn } from '../../support/scheduler/plan-world.js';

const [url = '', now = ''] = process.argv.slice(2);
const dataSource = createDataSource({
  url,
  schema: 'scheduler',
  migrations: [],
  poolSize: 2,
  applicationName: 'planner to be killed',
});
await dataSource.initialize();
await plannerOn(dataSource, new SteppedClock(Number(now))).runOnce();
await dataSource.destroy();
