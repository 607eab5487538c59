// All callers of a project's gateway in one process, each with some work for which it calls.
import { pino } from 'pino';
import { v4 } from 'uuid';
import { expect } from 'vitest';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { CheckGateway } from '../../../src/scheduler/admin/projects/check-gateway.js';
import { LookUpDue } from '../../../src/scheduler/audience/look-up-due.js';
import { RepeatUncertain } from '../../../src/scheduler/dispatch/repeat-uncertain.js';
import { RETRYABLE_STATES } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { askDelivered } from '../../../src/scheduler/operate/ask-delivered.js';
import { ManySends } from '../../../src/scheduler/operate/many-sends.js';
import { WorkResolves } from '../../../src/scheduler/operate/resolve-many.js';
import { RETRIES } from '../../../src/scheduler/operate/retry-many.js';
import { RetrySend } from '../../../src/scheduler/operate/retry-send.js';
import { WorkRetries } from '../../../src/scheduler/operate/work-retries.js';
import { WorkSets } from '../../../src/scheduler/operate/work-sets.js';
import type { SteppedClock } from '../../../src/platform/clock.js';
import { eventually } from '../../support/eventually.js';
import { followerOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, type World } from '../../support/scheduler/world.js';

export interface Stage {
  readonly world: World;
  readonly clock: SteppedClock;
  readonly rig: Rig;
}

export const CALLERS = [
  'a send',
  'a poll',
  'a cancel',
  'the asking about an uncertain send',
  'a repeat',
  'a look-up',
  'a retry by hand',
  'a retry of many',
  'a check',
] as const;
export type Caller = (typeof CALLERS)[number];

const log = pino({ level: 'silent' });

/** Gives this caller some work; resolves when it is done, or could not be done. */
export const WORK: Readonly<Record<Caller, (stage: Stage) => Promise<unknown>>> = {
  'a send': async ({ world, rig }) => {
    const send = await world.send();
    await rig.dispatch.runOnce();
    if (rig.dispatch.inFlight === 0) return;
    await eventually(async () => expect((await world.read(send)).attempts).toBe(1));
  },
  'a poll': (stage) => followed(stage, 'accepted'),
  'a cancel': (stage) => followed(stage, 'canceling'),
  'the asking about an uncertain send': (stage) => followed(stage, 'uncertain'),
  'a repeat': async ({ world, clock, rig }) => {
    await world.send({ state: 'uncertain', columns: { attempts: 1 } });
    const own = { replica: v4(), mayLeave: () => true, timeoutMs: 10_000 };
    const repeat = new RepeatUncertain({ ...depsOf({ world, clock, rig }), ...own });
    await repeat.runOnce();
  },
  'a look-up': async ({ world, clock, rig }) => {
    const campaign = await world.campaign({ state: 'planning', delivery: RECIPIENT_CLOCK });
    await world.dataSource.query(
      `update revision set data = data || '{"segments":[],"audience":{"type":"USER","to":["a"]}}'`,
    );
    const [at, end] = [new Date(clock.now()), new Date(clock.now() + 86_400_000)];
    await world.dataSource.query('update campaign set plan_at = $1, revision = 1', [end]);
    await world.insert('audience_lookup', {
      campaign,
      service_id: SERVICE,
      opened_at: at,
      give_up_at: end,
      next_at: at,
    });
    const stage = depsOf({ world, clock, rig });
    const lookUp = new LookUpDue({
      ...stage,
      database: world.dataSource,
      userApi: rig.pushApi,
      offsetCacheMs: 1_000,
    });
    await lookUp.runOnce();
  },
  'a retry by hand': async ({ world, clock, rig }) => {
    const send = await failed(world);
    const retry = new RetrySend({
      database: world.dataSource,
      askDelivered: askDelivered(rig.pushApi, rig.calls, 'retry'),
      clock,
    });
    return retry
      .run({ send, who: 'token:ops', holds: () => true, acceptDuplicates: false })
      .catch((error: unknown) => error);
  },
  'a retry of many': async ({ world, clock, rig }) => {
    await failed(world);
    const { dataSource: database } = world;
    const ask = askDelivered(rig.pushApi, rig.calls, 'retries');
    const retry = new WorkRetries({ database, rules: loadZoneRules(), clock, askDelivered: ask });
    const work = new WorkSets(
      { database, projects: rig.projects, clock, wakeIn: () => undefined },
      { retry, resolve: new WorkResolves({ clock }) },
    );
    const retries = new ManySends({ database, clock, work }, RETRIES);
    return retries.preview(
      { filter: { states: RETRYABLE_STATES }, resolution: null, reason: null },
      { who: 'token:ops', serviceFilter: null },
    );
  },
  'a check': async ({ clock, rig }) => {
    const project = await rig.projects.get(SERVICE);
    if (project === undefined) throw new Error('there is no project');
    return new CheckGateway(rig.pushApi, clock, rig.calls).check(project).catch((error: unknown) => error);
  },
};

const RECIPIENT_CLOCK = { kind: 'recipient', local: '2027-03-02T09:00' };

const depsOf = ({ world, clock, rig }: Stage) => ({
  sql: world.dataSource,
  pushApi: rig.pushApi,
  projects: rig.projects,
  calls: rig.calls,
  clock,
  log,
});

const failed = (world: World): Promise<string> =>
  world.send({ state: 'failed', columns: { request_id: 'r-1', code: 'RESULT_FAILED' } });

const POLL_WORK = { accepted: 'p', canceling: 'c', uncertain: 'u' } as const;

async function followed({ world, clock, rig }: Stage, state: keyof typeof POLL_WORK): Promise<void> {
  await world.send({
    state,
    mode: state === 'canceling' ? 'reserved' : 'immediate',
    dueAt: clock.now() + 3_600_000,
    columns: {
      request_id: 'r-1',
      next_at: new Date(clock.now()),
      handed_off_at: new Date(START),
      ...(state === 'canceling' ? { goal: 'canceled' } : {}),
    },
  });
  const follow = followerOf(world, clock, rig, {
    work: POLL_WORK[state],
    yields: state !== 'canceling',
  });
  await follow.runOnce();
  await follow.idle();
  await follow.stop();
}
