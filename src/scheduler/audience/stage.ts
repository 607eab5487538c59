// The look-ups of registered offsets and names, and erasures (role plan); in every process uploads of lists and of zones.
import type { Type } from '@nestjs/common';
import { Sealer } from '../../platform/secrets/sealed.js';
import type { Core } from '../core.js';
import type { PushClient } from '../push-client/stage.js';
import { AskNames } from './choices/ask-names.js';
import { ChoicesController } from './choices/choices.controller.js';
import { EraseUsers } from './erasure/erase-users.js';
import { ErasuresController } from './erasure/erasures.controller.js';
import { ListsController } from './lists/lists.controller.js';
import { SweepLists } from './lists/sweep-lists.js';
import { UploadList } from './lists/upload-list.js';
import { LookUpDue } from './look-up-due.js';
import { LookUpNow } from './look-up-now.js';
import { audienceMetrics } from './metrics.js';
import { UploadTurns } from './rows/upload-of-request.js';
import { PutZones } from './zones/put-zones.js';
import { ZonesController } from './zones/zones.controller.js';

export const AUDIENCE_CONTROLLERS: readonly Type[] = [
  ChoicesController,
  ErasuresController,
  ListsController,
  ZonesController,
];

/** Requests wake the loop; without one, it looks this often for an erasure that a dead process has left. */
const ERASURES_IDLE_MS = 30_000;

export function audienceStage(core: Core, { calls, pushApi: userApi }: PushClient) {
  const { offsetCacheMs, loopIdleMs: idleMs, roles } = core.config;
  const { database, projects, clock, log, rules } = core;
  const deps = { database, userApi, calls, projects, clock, offsetCacheMs };
  const lookUp = new LookUpDue({ ...deps, log });
  const wakeIn = (ms: number): void => void setTimeout(() => core.loops.wake('erasures'), ms).unref();
  const erase = new EraseUsers({ database, clock, wakeIn });
  const uploading = { database: core.planning, clock, rules };
  return {
    /** What previews look up by, in every role. */
    lookUps: new LookUpNow(deps),
    /** For housekeeping. */
    lists: new SweepLists(core.planning, clock),
    providers: [
      { provide: AskNames, useValue: new AskNames({ sql: core.api, userApi, calls, clock }) },
      { provide: Sealer, useValue: core.sealer },
      { provide: UploadList, useValue: new UploadList(uploading) },
      { provide: PutZones, useValue: new PutZones(uploading) },
      { provide: UploadTurns, useValue: new UploadTurns() },
    ],
    metrics: audienceMetrics(core.api),
    loops: roles.has('plan')
      ? [
          { name: 'lookup', idleMs, runOnce: (signal: AbortSignal) => lookUp.runOnce(signal) },
          { name: 'erasures', idleMs: ERASURES_IDLE_MS, runOnce: () => erase.runOnce() },
        ]
      : [],
  };
}
