// npm run bench:push-service — measures the push service against yardsticks in the same run, so that the machine does
// not count; ends with 1 when one is missed. `requests`, `users` or `fan-out` as arguments run those alone.
import { cpus, loadavg, totalmem } from 'node:os';
import { projectRoot } from '../../tools/project.js';
import { report, type Finding } from '../measure.js';
import { answerRequests } from './answer-requests.js';
import { fanOut } from './fan-out.js';
import { registerUsers } from './register-users.js';
import { openStage, type Stage } from './stage.js';

const BENCHES: Readonly<Record<string, (stage: Stage) => Promise<Finding[]>>> = {
  requests: answerRequests,
  users: async (stage) => [await registerUsers(stage)],
  'fan-out': fanOut,
};

// What was started ends with this process, however it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const asked = process.argv.slice(2);
const loadBefore = loadavg()[0] ?? 0;
const stage = await openStage();
try {
  const findings: Finding[] = [];
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (asked.length === 0 || asked.includes(name)) findings.push(...(await bench(stage)));
  }
  const command = ['npm run bench:push-service', ...(asked.length === 0 ? [] : ['--', ...asked])].join(' ');
  const loadAfter = loadavg()[0] ?? 0;
  const section = [
    '## Push service',
    '',
    `\`${command}\` on ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB,`,
    `${process.platform} ${process.arch}; ${stage.database}. Service, yardstick, database and load share the machine.`,
    `Its load was ${loadBefore.toFixed(1)} before the run, when nothing of ours ran yet, and ${loadAfter.toFixed(1)} at its end.`,
  ].join('\n');
  if (!report(projectRoot, findings, section)) process.exitCode = 1;
} finally {
  await stage.close();
}
