// This process's beat as a loop, and its metrics. Goes on through the drain: what is still answered then is not lost.
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../platform/clock.js';
import type { Log } from '../../platform/log.js';
import type { Loops } from '../../platform/loops.js';
import type { PooledDatabase } from '../../platform/pooled-database.js';
import type { RunLoop } from '../../platform/run-loop.js';
import { Replicas } from './replicas.js';

export class OwnReplica {
  constructor(
    readonly replicas: Replicas,
    private readonly loop: RunLoop,
  ) {}

  /** After the drain. Where the database is away, its row is found silent. */
  async leave(): Promise<void> {
    await this.loop.stop();
    await this.replicas.leave().catch(() => undefined);
  }
}

interface OwnReplicaParts {
  readonly sql: PooledDatabase;
  readonly clock: Clock;
  readonly log: Log;
  readonly loops: Loops;
  readonly metrics: Registry;
  readonly silentMs: number;
}

export function ownReplica({ sql, clock, log, loops, metrics, silentMs }: OwnReplicaParts): OwnReplica {
  const replicas = new Replicas({
    sql,
    clock,
    log,
    silentMs,
    gone: () => loops.wake('dispatch-recover'),
    mayLeaveAgain: () => loops.wake('dispatch'),
  });
  const live: Gauge = new Gauge({
    name: 'carillon_replicas_live',
    help: 'processes that dispatch and beat, this one among them, as it sees them',
    registers: [metrics],
    collect: () => live.set(replicas.live),
  });
  const loop = loops.add({
    name: 'replica',
    runOnce: () => replicas.runOnce(),
    idleMs: silentMs / 5,
    lasts: true,
  });
  return new OwnReplica(replicas, loop);
}
