// Wires the operators' work: the use cases behind the routes of the api role, the loops that work on sets of sends to retry or
// resolve (role dispatch), and the loop that takes back the sends of cancelled campaigns (role follow).
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import type { Core } from '../core.js';
import type { PushApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/wire.js';
import { askDelivered } from './ask-delivered.js';
import { CancelCampaign } from './cancel-campaign.js';
import { ManySends } from './many-sends.js';
import { RESOLVES, WorkResolves } from './resolve-many.js';
import { ResolveSend } from './resolve-send.js';
import { RETRIES } from './retry-many.js';
import { RetrySend } from './retry-send.js';
import { TakeBack } from './take-back.js';
import { WorkRetries } from './work-retries.js';
import { WorkSets } from './work-sets.js';

/** Requests wake the loops; without one, they look this often for work that a dead process has left. */
const IDLE_MS = 30_000;

/** Workers whose pages ask a gateway: a gateway that answers slowly holds up one of them, and no page that asks nobody. */
const ASKERS = 4;

export function wireOperate(core: Core, { calls }: PushClient, pushApi: PushApi) {
  const { config, database, projects, rules, clock, loops } = core;
  const wakeAskers = (): void => loops.wake('sets-ask');
  const work = new WorkSets(
    { database, projects, clock, wakeIn: (ms) => void setTimeout(wakeAskers, ms).unref() },
    {
      retry: new WorkRetries({
        database,
        rules,
        clock,
        askDelivered: askDelivered(pushApi, calls, 'retries'),
      }),
      resolve: new WorkResolves({ clock }),
    },
  );
  if (config.roles.has('dispatch')) {
    const pages = (): Promise<number> => {
      wakeAskers();
      return work.runOnce(undefined, false);
    };
    loops.add({ name: 'sets', runOnce: pages, idleMs: IDLE_MS });
    const questions = (): Promise<number> => work.runOnce(undefined, true);
    loops.add({ name: 'sets-ask', runOnce: questions, idleMs: IDLE_MS, workers: ASKERS });
  }
  if (config.roles.has('follow')) {
    const takeBack = new TakeBack(database, clock);
    loops.add({ name: 'take-back', runOnce: () => takeBack.runOnce(), idleMs: IDLE_MS });
  }
  const joined = new JoinedDatabase(database);
  return {
    cancelCampaign: new CancelCampaign(joined, clock, rules),
    resolveSend: new ResolveSend(joined, clock),
    retrySend: new RetrySend({
      database: joined,
      clock,
      askDelivered: askDelivered(pushApi, calls, 'retry'),
    }),
    retries: new ManySends({ database: joined, clock, work }, RETRIES),
    resolves: new ManySends({ database: joined, clock, work }, RESOLVES),
  };
}
