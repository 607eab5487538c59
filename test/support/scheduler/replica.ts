// The dispatch and follow stages with their loops, in this process: a replica for the specs that lose answers.
import { pino } from 'pino';
import { SystemClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { Loops } from '../../../src/platform/loops/loops.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { RecoverLost } from '../../../src/scheduler/dispatch/recover-lost.js';
import { Replicas } from '../../../src/scheduler/dispatch/replicas.js';
import type { FollowDue } from '../../../src/scheduler/follow/follow-due.js';
import { followerOf, rigOf, type Rig } from './rig.js';
import type { World } from './world.js';

const log = pino({ level: process.env['SPEC_LOG'] ?? 'silent' });

export class Replica {
  readonly #loops = new Loops(log);

  private constructor(
    private readonly sql: PooledDatabase,
    private readonly rig: Rig,
    private readonly follows: readonly FollowDue[],
  ) {}

  /** Reaches the database by `url`. */
  static async start(world: World, url: string): Promise<Replica> {
    const sql = createDataSource({
      url,
      schema: 'scheduler',
      migrations: [],
      poolSize: 4,
      applicationName: 'replica of a spec',
    });
    await sql.initialize();
    const clock = new SystemClock();
    // A long silence: no replica may be taken for dead for its lost answers, and none stops sending.
    const replicas = new Replicas({ sql, clock, log, silentMs: 60_000 });
    const rig = rigOf(world, clock, { sql, aheadMs: 500, batch: 20, replicas });
    const follows = (['p', 'c'] as const).map((work) =>
      followerOf(world, clock, rig, { sql, work, slice: () => replicas.slice() }),
    );
    const replica = new Replica(sql, rig, follows);
    const recover = new RecoverLost({ sql, clock, log, replicas, aheadMs: 500 });
    const loops = replica.#loops;
    loops.add({ name: 'dispatch', runOnce: () => rig.dispatch.runOnce(), idleMs: 50 });
    loops.add({ name: 'replica', runOnce: () => replicas.runOnce(), idleMs: 100 });
    loops.add({ name: 'recover', runOnce: () => recover.runOnce(), idleMs: 100 });
    for (const [index, follow] of follows.entries())
      loops.add({ name: `follow-${index}`, runOnce: () => follow.runOnce(), idleMs: 50 });
    const acts = new WorkActs({ database: sql, clock });
    loops.add({ name: 'acts', runOnce: () => acts.runOnce(), idleMs: 50 });
    loops.start();
    return replica;
  }

  async stop(): Promise<void> {
    await this.#loops.stop();
    for (const follow of this.follows) await follow.stop();
    await this.rig.stop();
    await this.sql.destroy();
  }
}
