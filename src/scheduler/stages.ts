// A whole scheduler: its stages in their order. What one stage asks of another, it is given here as a port: stages never import
// each other. CARILLON_ROLES decides in each stage whether it works in this process.
import type { Type } from '@nestjs/common';
import { addStages, type Stage } from '../platform/stage.js';
import { ACCEPT_CONTROLLERS, acceptStage, eventReaders } from './accept/stage.js';
import { housekeepingStage } from './admin/housekeeping/stage.js';
import { ADMIN_CONTROLLERS, adminStage } from './admin/stage.js';
import { ALERTS_CONTROLLERS, alertsStage } from './alerts/stage.js';
import { AUDIENCE_CONTROLLERS, audienceStage } from './audience/stage.js';
import { coreStage } from './core-stage.js';
import { createCore, type Given } from './core.js';
import { dispatchStage } from './dispatch/stage.js';
import { DOCUMENTS_CONTROLLERS, documentsStage } from './documents/stage.js';
import { followStage } from './follow/stage.js';
import { OPERATE_CONTROLLERS, operateStage } from './operate/stage.js';
import { publishStage } from './outcomes/publish/stage.js';
import { retentionStage } from './outcomes/retention/stage.js';
import { rollUpStage } from './outcomes/rollup/stage.js';
import { STREAM_CONTROLLERS, streamStage } from './outcomes/stream/stage.js';
import { PLAN_CONTROLLERS, planStage } from './plan/stage.js';
import { pushClientStage } from './push-client/stage.js';
import { REPORT_CONTROLLERS, reportStage } from './report/stage.js';

/** All of the API. */
export const CONTROLLERS: readonly Type[] = [
  ...ACCEPT_CONTROLLERS,
  ...AUDIENCE_CONTROLLERS,
  ...PLAN_CONTROLLERS,
  ...OPERATE_CONTROLLERS,
  ...REPORT_CONTROLLERS,
  ...ALERTS_CONTROLLERS,
  ...STREAM_CONTROLLERS,
  ...ADMIN_CONTROLLERS,
  ...DOCUMENTS_CONTROLLERS,
];

export type SchedulerInternals = ReturnType<typeof createStages>;

export function createStages(given: Given) {
  const core = createCore(given);
  const client = pushClientStage(core);
  const audience = audienceStage(core, client);
  const readers = eventReaders(core);
  const plan = planStage(core, readers.drafts, audience.lookUps);
  const accept = acceptStage(core, readers, plan);
  const dispatch = dispatchStage(core, client);
  const follow = followStage(core, client, dispatch.slice);
  const stream = streamStage(core);
  const admin = adminStage(core, client, dispatch.dispatch);
  const alerts = alertsStage(core);
  const stages: readonly Stage[] = [
    coreStage(core),
    client,
    audience,
    plan,
    dispatch,
    follow,
    publishStage(core),
    rollUpStage(core),
    stream,
    operateStage(core, client),
    accept,
    reportStage(core),
    alerts,
    admin,
    housekeepingStage(core, { parked: accept.parked, lists: audience.lists }),
    retentionStage(core),
    documentsStage(core, () => CONTROLLERS),
  ];
  addStages(stages, core);
  return {
    ...core,
    calls: client.calls,
    pushApi: client.pushApi,
    intake: accept.events,
    trace: admin.trace,
    stream,
    providers: stages.flatMap(({ providers = [] }) => providers),
    /** Undefined: this process does not dispatch. */
    dispatch: dispatch.dispatch,
    /** Resolves when every call in flight is written down; call it before anything that this needs is closed. */
    stop: async (): Promise<void> => {
      stream.stop();
      await Promise.all([dispatch.stop(), follow.stop()]);
      await alerts.stop();
      await client.calls.stop();
      await client.pushApi.close();
    },
  };
}
