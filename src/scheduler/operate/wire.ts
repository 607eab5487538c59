// What operators do by hand: what the routes of the api role call, and the loops that work off retries and resolves of many sends (role
// dispatch) and take back those of cancelled campaigns (role follow).
import type { Core } from '../core.js';
import type { PushApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/wire.js';
import { askDelivered } from './ask-delivered.js';
import { CancelCampaign } from './cancel-campaign.js';
import { ResolveMany } from './resolve-many.js';
import { ResolveSend } from './resolve-send.js';
import { RetryMany } from './retry-many.js';
import { RetrySend } from './retry-send.js';
import { TakeBack } from './take-back.js';
import { WorkResolves } from './work-resolves.js';
import { WorkRetries } from './work-retries.js';

/** Both loops are woken by what is asked for; between that they look for what a process that died has left. */
const IDLE_MS = 30_000;

/**
 * Loops that the loop `retries` wakes, for the pages that ask a gateway: one that is slow to answer holds up one of them, and
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
    const asks = (): Promise<number> => work.runOnce(undefined, true);
    for (const name of RETRY_ASKERS) loops.add({ name, runOnce: asks, idleMs: IDLE_MS });
    loops.add({ name: 'resolves', runOnce: () => resolves.runOnce(), idleMs: IDLE_MS });
  }
  if (config.roles.has('follow')) {
    const takeBack = new TakeBack(database, clock);
    loops.add({ name: 'take-back', runOnce: () => takeBack.runOnce(), idleMs: IDLE_MS });
  }
  return {
    cancelCampaign: new CancelCampaign(database, clock, rules),
    resolveSend: new ResolveSend(database, clock),
    retrySend: new RetrySend({
      database,
      askDelivered: askDelivered(pushApi, calls, 'retry'),
      clock,
    }),
    retryMany: new RetryMany({ database, clock, work }),
    resolveMany: new ResolveMany({ database, clock, work: resolves }),
  };
}
