// The dispatch and follow stages with their loops, in this process: a replica for the specs that lose answers.
import { pino } from 'pino';
import { SystemClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database.js';
import type { PooledDatabase } from '../../../src/platform/pooled-database.js';
import { Loops } from '../../../src/platform/loops.js';
import { TakeBack } from '../../../src/scheduler/operate/take-back.js';
import { RecoverLost } from '../../../src/scheduler/dispatch/recover-lost.js';
import type { FollowDue } from '../../../src/scheduler/follow/follow-due.js';
import { followerOf, rigOf, type Rig } from './rig.js';
import type { World } from './world.js';

/** Of claims and looks: what an answer that was lost had claimed waits so long. */
const CLAIM_LEASE_MS = 1_000;
const log = pino({ level: process.env['SPEC_LOG'] ?? 'silent' });

export class Replica {
  readonly #loops = new Loops(log);

  private constructor(
    private readonly sql: PooledDatabase,
    private readonly rig: Rig,
    private readonly follow: FollowDue,
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
    // What is fired keeps a long lease: none may be left uncertain for it.
    const rig = rigOf(world, clock, {
      sql,
      aheadMs: 500,
      batch: 20,
      claimLeaseMs: CLAIM_LEASE_MS,
      leaseMs: 60_000,
    });
    const follow = followerOf(world, clock, rig, { sql, leaseMs: CLAIM_LEASE_MS });
    const replica = new Replica(sql, rig, follow);
    const recover = new RecoverLost(sql, clock, log);
    const loops = replica.#loops;
    loops.add({ name: 'dispatch', runOnce: () => rig.dispatch.runOnce(), idleMs: 50 });
    loops.add({ name: 'recover', runOnce: () => recover.runOnce(), idleMs: 100 });
    loops.add({ name: 'follow', runOnce: () => follow.runOnce(), idleMs: 50 });
    const takeBack = new TakeBack(sql, clock);
    loops.add({ name: 'take-back', runOnce: () => takeBack.runOnce(), idleMs: 50 });
    loops.start();
    return replica;
  }

  async stop(): Promise<void> {
    await this.#loops.stop();
    await this.follow.stop();
    await this.rig.stop();
    await this.sql.destroy();
  }
}
