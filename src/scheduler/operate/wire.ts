// What operators do by hand: the use cases behind the routes of the api role, the loops that work off retries and resolves of many
// sends (role dispatch), and the loop that takes back the sends of cancelled campaigns (role follow).
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import type { Core } from '../core.js';
import type { PushApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/wire.js';
import { askDelivered } from './ask-delivered.js';
import { CancelCampaign } from './cancel-campaign.js';
import { ResolveMany, WorkResolves } from './resolve-many.js';
import { ResolveSend } from './resolve-send.js';
import { RetryMany } from './retry-many.js';
import { RetrySend } from './retry-send.js';
import { TakeBack } from './take-back.js';
import { WorkRetries } from './work-retries.js';

/** The loops are woken by requests; in between they look for what a process that died has left. */
const IDLE_MS = 30_000;

/**
 * The loops for pages that ask a gateway, woken by the loop `retries`. A gateway that answers slowly holds up only one of them, and
 * none of the pages that ask nobody.
 */
const RETRY_ASKERS = ['retries-ask-1', 'retries-ask-2', 'retries-ask-3', 'retries-ask-4'];

export function wireOperate(core: Core, { calls }: PushClient, pushApi: PushApi) {
  const { config, database, projects, rules, clock, loops } = core;
  const wakeAskers = (): void => RETRY_ASKERS.forEach((name) => loops.wake(name));
  const work = new WorkRetries({
    database,
    projects,
    rules,
    clock,
    askDelivered: askDelivered(pushApi, calls, 'retries'),
    wakeIn: (ms) => void setTimeout(wakeAskers, ms).unref(),
  });
  const resolves = new WorkResolves({ database, projects, clock });
  if (config.roles.has('dispatch')) {
    const pages = (): Promise<number> => {
      wakeAskers();
      return work.runOnce(undefined, false);
    };
    loops.add({ name: 'retries', runOnce: pages, idleMs: IDLE_MS });
    for (const name of RETRY_ASKERS)
      loops.add({ name, runOnce: () => work.runOnce(undefined, true), idleMs: IDLE_MS });
    loops.add({ name: 'resolves', runOnce: () => resolves.runOnce(), idleMs: IDLE_MS });
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
    retryMany: new RetryMany({ database: joined, clock, work }),
    resolveMany: new ResolveMany({ database: joined, clock, work: resolves }),
  };
}
