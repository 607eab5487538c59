// The faults of the race: a replica is stopped for longer than T, PostgreSQL is away for longer than T, a fire comes to it late.
import type { RunningPostgres } from '../../../../tools/postgres.js';
import { eventually, lasting } from '../../../support/eventually.js';
import type { RaceGateway } from './race-gateway.js';
import { histories, lostSends, onTheWireOf } from './race-history.js';
import type { RaceReplica } from './race-replica.js';
import type { World } from '../../../support/scheduler/world.js';

/** A late fire comes to the database after this time: by then the replica has asked about it and fired again. */
const FIRE_LATE_MS = 2_000;
/** One replica reaches the database again this long before the others. */
const FIRST_BACK_MS = 1_000;

/** The sends that the others found lost while it was stopped, each with how often it had been requested by then. */
export type Stood = ReadonlyMap<string, number>;

export class RaceFaults {
  constructor(
    private readonly world: World,
    private readonly gateway: RaceGateway,
    private readonly postgres: RunningPostgres,
  ) {}

  /** Stops it while it fires, until the others have made its sends in flight uncertain; then it goes on. */
  async standStill(replica: RaceReplica): Promise<Stood> {
    const { by, dispatcher } = replica;
    const sql = this.world.dataSource;
    do {
      dispatcher.go();
      await replica.atNextFire(() => dispatcher.hold());
      await lasting(200);
      // Another may have fired all of it.
    } while ((await onTheWireOf(sql, by)) === 0);
    await eventually(async () => (await onTheWireOf(sql, by)) === 0, { everyMs: 100 });
    const lost = lostSends(await histories(sql)).filter((one) => one.by === by);
    await this.gateway.learn(sql);
    const stood = lost.map(({ send }) => [send, this.gateway.callsOf(send).length] as const);
    dispatcher.go();
    return new Map(stood);
  }

  /**
   * The sends in flight when the outage begins are still unanswered when it ends. One replica is back before the others, which have
   * been silent since it began.
   */
  async outage(replicas: readonly RaceReplica[], ms: number): Promise<void> {
    let answer = (): void => undefined;
    this.gateway.answerAfter(new Promise((resolve) => (answer = resolve)));
    const others = replicas.slice(1);
    await eventually(async () => {
      const text = "select from send where state = 'sending' and state_by = any($1)";
      return (await this.world.dataSource.query(text, [others.map(({ by }) => by)])).length > 0;
    });
    for (const { proxy } of others) proxy.shut();
    await this.postgres.stop();
    await lasting(ms);
    await this.postgres.restart();
    const before = await this.#beats();
    await eventually(async () => (await this.#beats()) !== before, { everyMs: 10 });
    await lasting(FIRST_BACK_MS);
    for (const { proxy } of others) proxy.open();
    answer();
  }

  async #beats(): Promise<string> {
    const rows = await this.world.dataSource.query('select id, beat_at::text from replica order by id');
    return JSON.stringify(rows);
  }

  /** Meanwhile the gateway refuses sends of `shy` users, and they are planned again. */
  async lateFire(replica: RaceReplica): Promise<void> {
    await replica.atNextFire(() => 'late');
    this.gateway.isBusy = true;
    await lasting(FIRE_LATE_MS);
    await replica.proxy.release();
    this.gateway.isBusy = false;
  }
}
