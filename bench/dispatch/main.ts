// npm run bench:dispatch — measures dispatch against yardsticks in the same run; ends with 1 when one is missed.
import { report } from '../measure.js';
import { projectRoot } from '../../tools/project.js';
import { openStage } from './stage.js';
import { throughput } from './throughput.js';

const stage = await openStage();
try {
  const held = report(projectRoot, [await throughput(stage)]);
  if (!held) process.exitCode = 1;
} finally {
  await stage.close();
}
