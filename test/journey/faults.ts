// The faults that dispatch must survive, one after the other: how each strikes while campaigns are on their way, and
// how many sends it may leave in doubt at most.
import { readdirSync, readFileSync } from 'node:fs';
import { CUTS } from '../support/peers/cutting-proxy.js';
import { throughout } from '../support/eventually.js';
import { IN_FLIGHT, SERVICE, type FaultHouse } from './fault-house.js';
import type { Load } from './fault-load.js';

export const SENDS = 24;
const SOON = { from: 500, to: 1_500 };
const MINUTES_10 = 600_000;
/** Far enough for dues to lie beyond it that are waited for all the same. */
const SECONDS_15 = 15_000;

export interface Struck {
  /** Answers cut and calls in flight at a kill: nobody can know more. */
  readonly uncertain: number;
  /** How far ahead of the true time the schedulers' clocks have been. */
  readonly aheadMs?: number;
}

export interface Fault {
  readonly name: string;
  /** Publishes SENDS campaigns and does the harm in their midst; whatever was taken away is back when it returns. */
  readonly strike: (house: FaultHouse, load: Load) => Promise<Struck>;
}

const NOBODY_IN_DOUBT: Struck = { uncertain: 0 };

/** Waits until some of the load has left, by chance how many, and some has not. */
async function amidst(load: Load): Promise<void> {
  await load.handedOff(load.between(1, Math.floor(SENDS / 2)));
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'a scheduler is killed −9, and maybe the other as well',
    async strike(house, load) {
      await slowAnswers(house, 150);
      await load.publish(SENDS, SOON);
      const kills = load.between(1, 2);
      const first = load.between(0, 1);
      for (let kill = 0; kill < kills; kill += 1) {
        await amidst(load);
        const victim = house.replicas[(first + kill) % 2];
        victim?.signal('SIGKILL');
        await victim?.ended();
        await victim?.launch();
      }
      return { uncertain: kills * IN_FLIGHT };
    },
  },
  {
    name: 'the push service is cut off before, during and after its answer',
    async strike(house, load) {
      house.toPush.cutNext(
        Array.from({ length: load.between(4, 10) }, () => load.pick([...CUTS, undefined])),
      );
      await load.publish(SENDS, SOON);
      await load.handedOff(SENDS);
      await load.over(60_000);
      const made = house.toPush.endCutting();
      return { uncertain: made.filter((cut) => cut !== 'after').length };
    },
  },
  {
    name: 'the push service answers bursts of 429, 503 and 504',
    async strike(house, load) {
      const { management } = house;
      let lost = 0;
      for (const error of ['throttleLimited', 'rateLimited', 'endpointError', 'endpointTimeout'] as const) {
        const count = load.between(1, 4);
        if (error === 'endpointTimeout') lost += count;
        const more = error === 'endpointTimeout' ? {} : { retryAfterSeconds: 1 };
        await management.addFault({
          kind: 'error',
          error,
          operation: 'sendMessage',
          serviceId: SERVICE,
          count,
          ...more,
        });
      }
      await load.publish(SENDS, SOON);
      return { uncertain: lost };
    },
  },
  {
    name: 'PostgreSQL is restarted',
    async strike(house, load) {
      await load.publish(SENDS, SOON);
      await amidst(load);
      if (load.pick([true, false])) process.kill(house.postgres.pid, 'SIGQUIT');
      await house.postgres.restart();
      return NOBODY_IN_DOUBT;
    },
  },
  {
    name: 'PostgreSQL is paused',
    async strike(house, load) {
      await load.publish(SENDS, SOON);
      await amidst(load);
      const stopped = [house.postgres.pid, ...childrenOf(house.postgres.pid)];
      for (const pid of stopped) signal(pid, 'SIGSTOP');
      await throughout(load.between(500, 2_500), () => undefined);
      for (const pid of stopped) signal(pid, 'SIGCONT');
      return NOBODY_IN_DOUBT;
    },
  },
  {
    name: 'the connections to PostgreSQL are cut',
    async strike(house, load) {
      await load.publish(SENDS, SOON);
      for (let cut = 0; cut < 3; cut += 1) {
        await amidst(load);
        if (load.pick([true, false])) {
          await house.scheduler.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
          );
        } else {
          await house.toDatabase.close();
          await throughout(load.between(0, 500), () => undefined);
          await house.toDatabase.open();
        }
      }
      return NOBODY_IN_DOUBT;
    },
  },
  {
    name: 'the disk of PostgreSQL is full',
    async strike(house, load) {
      await load.publish(SENDS / 2, SOON);
      await load.handedOff(load.between(1, SENDS / 4));
      await house.setDiskFull(true);
      const published = load.publish(SENDS / 2, SOON);
      await throughout(load.between(500, 1_500), () => undefined);
      await house.setDiskFull(false);
      await published;
      return NOBODY_IN_DOUBT;
    },
  },
  {
    name: 'Kafka is restarted as events come in',
    async strike(house, load) {
      await load.publish(SENDS / 2, SOON, 'kafka');
      if (load.pick([true, false])) process.kill(house.kafka.pid, 'SIGKILL');
      const restarted = house.kafka.restart();
      await Promise.all([restarted, load.publish(SENDS / 2, { from: 0, to: 2_000 }, 'kafka')]);
      return NOBODY_IN_DOUBT;
    },
  },
  {
    name: 'schedulers join and leave, and the partitions go from one to the other',
    async strike(house, load) {
      const joining = await house.newReplica('c');
      const some = SENDS / 4;
      await load.publish(some, SOON, 'kafka');
      await joining.start();
      house.replicas.push(joining);
      await load.publish(some, SOON, 'kafka');
      const leaving = house.replicas.splice(load.between(0, 1), 1)[0];
      await Promise.all([leaving?.stop(), load.publish(2 * some, SOON, 'kafka')]);
      if (leaving === undefined) return NOBODY_IN_DOUBT;
      await leaving.launch();
      house.replicas.splice(0, 0, leaving);
      await house.replicas.pop()?.stop();
      return NOBODY_IN_DOUBT;
    },
  },
  {
    name: 'the clocks are set 15 seconds forward and back again',
    async strike(house, load) {
      await load.publish(SENDS / 4, SOON);
      await load.publish((3 * SENDS) / 4, { from: 0, to: 2 * SECONDS_15 });
      await load.handedOff(load.between(1, SENDS / 4));
      await house.stepClocks(SECONDS_15);
      // What leaves by then leaves ahead; from then on nothing does, until they are right.
      await house.clocksFoundWrong();
      await house.stepClocks(0);
      return { uncertain: 0, aheadMs: SECONDS_15 };
    },
  },
  {
    name: 'the clocks are set 10 minutes back and forward again',
    async strike(house, load) {
      await load.publish(SENDS / 2, SOON);
      await load.handedOff(load.between(1, SENDS / 4));
      await house.stepClocks(-MINUTES_10);
      // Due by the schedulers' clocks; long ago by the true one.
      const late = await load.publish(SENDS / 2, { from: -MINUTES_10, to: 1_000 - MINUTES_10 }, 'kafka');
      // By then a process may have found its clock wrong, and send nothing until it is right.
      await house.stepClocks(0);
      await load.handedOff(late.length, late);
      return NOBODY_IN_DOUBT;
    },
  },
];

/** Half of the calls are answered late, so that some are always in flight. */
async function slowAnswers(house: FaultHouse, ms: number): Promise<void> {
  await house.management.addFault({
    kind: 'delay',
    ms,
    operation: 'sendMessage',
    serviceId: SERVICE,
    probability: 0.5,
  });
}

/** A server's own processes do not stop with it. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    // After the name, which may hold anything: state, then the parent.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
