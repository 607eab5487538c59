// npm run bench:planning — measures planning against yardsticks in the same run, so that the machine does not count;
// ends with 1 when one is missed.
import { fileURLToPath } from 'node:url';
import { report } from '../measure.js';
import { buildTables } from './build-tables.js';
import { lists } from './lists.js';
import { planToRows } from './plan-to-rows.js';
import { resolveLocalTimes } from './resolve-local-times.js';
import { simulateYear } from './simulate-year.js';

// Compiled, this file lies in dist/bench/planning.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const found = [
  resolveLocalTimes(),
  ...buildTables(),
  ...simulateYear(),
  await planToRows(),
  ...(await lists()),
];
if (!report(root, found, '## Planning\n\n`npm run bench:planning`; fsync and synchronous_commit on.'))
  process.exitCode = 1;
