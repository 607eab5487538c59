// A program: the dispatch and follow stages in a process of their own, for the specs that kill it. Prints `up` once its
// loops run, drains on SIGTERM.
import { pino } from 'pino';
import { SystemClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database.js';
import { Secret } from '../../../src/platform/env.js';
import { Loops } from '../../../src/platform/loops.js';
import { Sealer } from '../../../src/platform/sealed.js';
import { loadZoneRules } from '../../../src/platform/zone-rules.js';
import { DispatchDue } from '../../../src/scheduler/dispatch/dispatch-due.js';
import { RecoverLost } from '../../../src/scheduler/dispatch/recover-lost.js';
import { Replicas } from '../../../src/scheduler/dispatch/replicas.js';
import { UndiciPushApi } from '../../../src/scheduler/dispatch/undici-push-api.js';
import { FollowDue } from '../../../src/scheduler/follow/follow-due.js';
import { LearnedGaps } from '../../../src/scheduler/follow/learned-gaps.js';
import { ProjectCalls } from '../../../src/scheduler/push-client/project-calls.js';
import { ProjectStore } from '../../../src/scheduler/store/project.store.js';

export interface ProcessSettings {
  readonly url: string;
  readonly masterKey: string;
  /** Stands in the sends that it has. */
  readonly by: string;
  /** How far ahead of their instant it reads sends. */
  readonly aheadMs: number;
  /** Of a call; leases of claims are longer. */
  readonly timeoutMs: number;
  readonly follows: boolean;
  /** T of the beats; default 30 s: it beats all the time, and a busy machine is not taken for dead. */
  readonly silentMs?: number;
}

const settings = JSON.parse(process.argv[2] ?? '') as ProcessSettings;
const { by, aheadMs, timeoutMs } = settings;
const log = pino({ level: process.env['SPEC_LOG'] ?? 'silent' });
const clock = new SystemClock();
const sql = createDataSource({
  url: settings.url,
  schema: 'scheduler',
  migrations: [],
  poolSize: 4,
  applicationName: 'dispatcher of a spec',
});
await sql.initialize();
const projects = new ProjectStore(sql, new Sealer(new Secret(settings.masterKey)), clock);
const pushApi = new UndiciPushApi(projects, clock, { connectTimeoutMs: timeoutMs / 3, timeoutMs });
const calls = new ProjectCalls({ sql, projects, clock, log });
const loops = new Loops(log);
const replicas = new Replicas({
  sql,
  clock,
  log,
  silentMs: settings.silentMs ?? 30_000,
  gone: () => loops.wake('dispatch-recover'),
  mayLeaveAgain: () => loops.wake('dispatch'),
});
const dispatch = new DispatchDue({
  sql,
  pushApi,
  calls,
  projects,
  rules: loadZoneRules(),
  clock,
  log,
  by,
  replica: replicas.id,
  mayLeave: () => replicas.mayLeave(),
  slice: () => replicas.slice(),
  aheadMs,
  batch: 100,
  wake: () => loops.wake('dispatch'),
});
const follow = new FollowDue({
  sql,
  pushApi,
  calls,
  projects,
  gaps: new LearnedGaps(),
  clock,
  log,
  by: 'follow',
  works: ['p', 'c'],
  batch: 100,
  windowMs: 86_400_000,
  wake: () => loops.wake('follow'),
});
const recover = new RecoverLost({ sql, clock, log, replicas, aheadMs });
loops.add({ name: 'replica', runOnce: () => replicas.runOnce(), idleMs: 100 });
loops.add({ name: 'dispatch', runOnce: () => dispatch.runOnce(), idleMs: 100 });
loops.add({ name: 'dispatch-recover', runOnce: () => recover.runOnce(), idleMs: 100 });
if (settings.follows) loops.add({ name: 'follow', runOnce: () => follow.runOnce(), idleMs: 100 });
loops.start();
process.stdout.write('up\n');
process.stdin.resume().once('end', () => process.exit(1));
process.once('SIGTERM', () => {
  void (async () => {
    await loops.stop();
    await dispatch.stop();
    await follow.stop();
    await replicas.leave();
    await pushApi.close();
    await sql.destroy();
    process.exit(0);
  })();
});
