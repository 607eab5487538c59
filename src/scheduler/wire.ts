// Wires a whole scheduler by hand: first what all stages share, then each stage by its own wire.ts, which decides by CARILLON_ROLES
// whether the stage works in this process. If a stage calls another, it gets that here as a port: stages never import each other.
import { AcceptedDrafts } from './accept/draft-reader.js';
import { EventParser } from './accept/event-parser.js';
import { wireAccept } from './accept/wire.js';
import { wireAudience } from './audience/wire.js';
import { wireCore, type Given } from './core.js';
import { UndiciPushApi } from './push-client/undici-push-api.js';
import { wireDispatch } from './dispatch/wire.js';
import { wireFollow } from './follow/wire.js';
import { WHOLE } from './decide/lifecycle/replica-slice.js';
import { wireOperate } from './operate/wire.js';
import { wirePlan } from './plan/wire.js';
import { wirePublish } from './outcomes/publish/wire.js';
import { wireRollUp } from './outcomes/rollup/wire.js';
import { wirePushClient } from './push-client/wire.js';

export type SchedulerInternals = ReturnType<typeof wireScheduler>;

export function wireScheduler(given: Given) {
  const core = wireCore(given);
  const client = wirePushClient(core);
  const pushApi = new UndiciPushApi(core.projects, core.clock, {
    ...core.config.push,
    corrected: (serviceId, offsetMs) => client.clocks.corrected(serviceId, offsetMs),
  });
  const { tzdataDir: tzdata, mostCells } = core.config;
  const parser = new EventParser({ rules: core.rules, tzdata, mostCells, pool: core.workers });
  const drafts = new AcceptedDrafts(parser, core.projects);
  const plans = wirePlan(core, drafts, wireAudience(core, client, pushApi));
  const dispatching = wireDispatch(core, client, pushApi);
  const followers = wireFollow(core, { ...client, pushApi, slice: dispatching?.slice ?? (() => WHOLE) });
  wirePublish(core);
  wireRollUp(core);
  return {
    ...core,
    ...client,
    ...wireOperate(core, client, pushApi),
    pushApi,
    intake: wireAccept(core, parser, drafts, plans),
    plans,
    /** Undefined: this process does not dispatch. */
    dispatch: dispatching?.dispatch,
    /** Resolves when every call in flight is written down; call it before anything that this needs is closed. */
    stop: async (): Promise<void> => {
      await Promise.all([dispatching?.stop(), ...followers.map((follower) => follower.stop())]);
      await client.calls.stop();
      await pushApi.close();
    },
  };
}
