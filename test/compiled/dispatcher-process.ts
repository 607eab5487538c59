// A program: the dispatch and follow stages in a process of their own, for the specs that kill it. Says `up` once its
// loops run, drains on SIGTERM.
import { pino } from 'pino';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database/database.js';
import { Secret } from '../../src/platform/env.js';
import { Loops } from '../../src/platform/loops/loops.js';
import { Sealer } from '../../src/platform/secrets/sealed.js';
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import { DispatchDue } from '../../src/scheduler/dispatch/dispatch-due.js';
import { RecoverLost } from '../../src/scheduler/dispatch/recover-lost.js';
import { UndiciPushApi } from '../../src/scheduler/push-client/undici-push-api.js';
import { heartbeatOf } from '../../src/scheduler/dispatch/stage.js';
import { FollowDue } from '../../src/scheduler/follow/follow-due.js';
import { LearnedGaps } from '../../src/scheduler/follow/learned-gaps.js';
import { WorkActs } from '../../src/scheduler/operate/changes/work-acts.js';
import { CloseFinished } from '../../src/scheduler/plan/close-finished.js';
import { ProjectCalls } from '../../src/scheduler/push-client/project-calls.js';
import type { PollWork } from '../../src/scheduler/store/send/read-work.store.js';
import { ProjectStore } from '../../src/scheduler/store/project.store.js';

export interface ProcessSettings {
  readonly url: string;
  readonly masterKey: string;
  /** Stands in the sends that it has. */
  readonly by: string;
  /** How far ahead of their instant it reads sends. */
  readonly aheadMs: number;
  /** Of a call; leases of claims are longer. */
  readonly timeoutMs: number;
  /** Asks what became of sends, takes back what is cancelled, and ends campaigns. */
  readonly follows: boolean;
  /** The longest rest of its loops; default 100 ms. */
  readonly idleMs?: number;
  /** T of the heartbeats; default 20 s: no busy machine is taken for dead. */
  readonly silentMs?: number;
}

/** A message to it. */
export interface ClockOrder {
  readonly clockAheadMs: number;
}

/** The machine's clock, which the spec sets forwards and back. */
class SetClock extends SystemClock {
  aheadMs = 0;

  override now(): number {
    return super.now() + this.aheadMs;
  }
}

const settings = JSON.parse(process.argv[2] ?? '') as ProcessSettings;
const { by, aheadMs, timeoutMs, idleMs = 100 } = settings;
const log = pino({ level: process.env['SPEC_LOG'] ?? 'silent' });
const clock = new SetClock();
process.on('message', ({ clockAheadMs }: ClockOrder) => (clock.aheadMs = clockAheadMs));
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
const heartbeat = heartbeatOf({
  config: { replicaSilentMs: settings.silentMs ?? 20_000 },
  database: sql,
  clock,
  log,
  loops,
});
const { replicas } = heartbeat;
const rules = loadZoneRules();
const dispatch = new DispatchDue({
  sql,
  pushApi,
  calls,
  projects,
  rules,
  clock,
  log,
  by,
  replica: replicas.id,
  mayLeave: (firedAt) => replicas.mayLeave(firedAt),
  slice: () => replicas.slice(),
  aheadMs,
  batch: 100,
  wake: () => loops.wake('dispatch'),
  onWritten: () => undefined,
  onNotTaken: () => undefined,
});
const followOf = (work: PollWork, loop: string) =>
  new FollowDue({
    sql,
    pushApi,
    calls,
    projects,
    gaps: new LearnedGaps(),
    rules,
    clock,
    log,
    by: 'follow',
    work,
    slice: () => replicas.slice(),
    batch: 100,
    windowMs: 86_400_000,
    wake: () => loops.wake(loop),
    onWritten: () => undefined,
  });
const follows = { follow: followOf('p', 'follow'), cancel: followOf('c', 'cancel') };
const recover = new RecoverLost({ sql, clock, log, replicas, aheadMs });
for (const loop of heartbeat.loops) loops.add(loop);
loops.add({ name: 'dispatch', runOnce: () => dispatch.runOnce(), idleMs });
loops.add({ name: 'dispatch-recover', runOnce: () => recover.runOnce(), idleMs });
if (settings.follows) {
  const acts = new WorkActs({ database: sql, clock });
  const close = new CloseFinished(sql, clock);
  for (const [name, follow] of Object.entries(follows))
    loops.add({ name, runOnce: () => follow.runOnce(), idleMs });
  // Until its pages come, what is cancelled is held back by `fire` alone.
  loops.add({ name: 'acts', runOnce: () => acts.runOnce(), idleMs: 5_000 });
  loops.add({ name: 'close', runOnce: () => close.runOnce(), idleMs });
}
loops.start();
process.send?.('up');
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => {
  void (async () => {
    await loops.stop();
    await dispatch.stop();
    for (const follow of Object.values(follows)) await follow.stop();
    await heartbeat.leave();
    await pushApi.close();
    await sql.destroy();
    process.exit(0);
  })();
});
